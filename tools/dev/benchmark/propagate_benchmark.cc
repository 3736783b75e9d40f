// Times propagation alone: propagate_benchmark GRAPH [--inputs SPEC] [--repeat N] prints nanoseconds a node, and what
// reading the graph, writing its annotations, counting its memory and finding its value ranges took. Without a spec,
// inputs are what the graph recorded.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "lib/annotations/annotations_json.h"
#include "lib/inputs/inputs.h"
#include "lib/interpreter/annotations.h"
#include "lib/interpreter/run_graph.h"
#include "lib/json/json_writer.h"
#include "lib/libtorch_fallback/open_libtorch.h"
#include "lib/memory/memory_profile.h"
#include "lib/python/shipped_rules.h"
#include "lib/readers/read_graph.h"
#include "lib/refine/fixed_symbols.h"
#include "lib/symbolic/shape_env.h"
#include "lib/training/training_step.h"
#include "lib/value_ranges/value_analysis.h"

namespace {

using Clock = std::chrono::steady_clock;

// The fastest of `repeat` runs, in seconds.
template <typename Prepare, typename Run>
double Fastest(int repeat, Prepare prepare, Run run) {
  double best = 1e30;
  for (int i = 0; i < repeat; ++i) {
    prepare();
    const auto start = Clock::now();
    run();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}
template <typename Run>
double Fastest(int repeat, Run run) {
  return Fastest(
      repeat, [] {}, run);
}

// The number with this many digits after the point.
std::string Fixed(double number, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, number);
  return text;
}

// The peak as numbers and as expressions over the symbols.
void FindPeak(fakeprop::Timeline timeline, fakeprop::ShapeEnv& env) {
  const fakeprop::MemoryProfile profile(std::move(timeline), env);
  profile.PeakPieces();
  profile.PeakAt(fakeprop::FixedSymbols(env).Point());
}

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Compiles TorchScript's code.
fakeprop::ScriptGraph ImportScript(const fakeprop::ScriptSource& source) {
  std::string reason;
  fakeprop::LibTorchFallback* libtorch = fakeprop::OpenLibTorch(reason);
  if (!libtorch) throw std::runtime_error("the LibTorch plug-in is missing: " + reason);
  return libtorch->ImportScript(source);
}

int Benchmark(const std::string& path, const std::string& spec, int repeat) {
  using namespace fakeprop;
  DiagnosticSink sink;
  ReaderOptions reading;
  reading.import_script = ImportScript;
  reading.add_library = AddShippedLibrary;
  const auto graph = ReadGraph(path, reading, sink);
  RunOptions options;
  options.keep_going = true;
  options.open_libtorch = OpenLibTorch;
  std::optional<std::vector<InputValue>> inputs;
  // Symbols of its own for each run, so that none finds what another has learned.
  const auto prepare = [&] {
    options.shape_env = std::make_shared<ShapeEnv>();
    inputs = graph ? ResolveInputs(*graph, spec, "", sink, options.shape_env.get()) : std::nullopt;
  };
  prepare();
  if (!inputs) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(),
        sink.diagnostics().empty() ? "unreadable" : sink.diagnostics()[0].message.c_str());
    return 2;
  }
  Annotations annotations = RunGraph(*graph, *inputs, options);
  const double read = Fastest(std::min(repeat, 5), [&] { ReadGraph(path, reading, sink); });
  const double propagate = Fastest(repeat, prepare, [&] { annotations = RunGraph(*graph, *inputs, options); });
  // Each analysis is of a fresh run, whose symbols nobody has asked about yet.
  const auto rerun = [&] {
    prepare();
    annotations = RunGraph(*graph, *inputs, options);
  };
  const double values = Fastest(repeat, rerun, [&] { AnalyzeValues(*graph, *inputs, annotations); });
  options.keeps_calls = true;
  const double with_calls = Fastest(repeat, prepare, [&] { annotations = RunGraph(*graph, *inputs, options); });
  const double values_of_calls = Fastest(repeat, rerun, [&] { AnalyzeValues(*graph, *inputs, annotations); });
  const double write = Fastest(std::min(repeat, 20), [&] { WriteAnnotations(*graph, annotations); });
  const int few = std::min(repeat, 20);
  ShapeEnv& env = *annotations.shape_env;
  const double memory = Fastest(few, [&] { FindPeak(FindLifetimes(*graph, annotations), env); });
  const double training = Fastest(few, [&] { FindPeak(ModelTraining(*graph, annotations, {}).timeline, env); });
  const size_t nodes = graph->nodes.size();
  JsonWriter json;
  json.BeginObject();
  json.Key("nodes").Int(static_cast<int64_t>(nodes));
  json.Key("symbols").Int(static_cast<int64_t>(annotations.shape_env->symbols().size()));
  json.Key("guards").Int(static_cast<int64_t>(annotations.shape_env->guards().size()));
  json.Key("errors").Int(static_cast<int64_t>(annotations.diagnostics.size()));
  json.Key("propagate_ns_per_node").Number(Fixed(propagate * 1e9 / static_cast<double>(nodes), 1));
  json.Key("propagate_ms").Number(Fixed(propagate * 1e3, 4));
  json.Key("values_ms").Number(Fixed(values * 1e3, 4));
  json.Key("propagate_with_calls_ms").Number(Fixed(with_calls * 1e3, 4));
  json.Key("values_of_calls_ms").Number(Fixed(values_of_calls * 1e3, 4));
  json.Key("read_ms").Number(Fixed(read * 1e3, 3));
  json.Key("write_ms").Number(Fixed(write * 1e3, 3));
  json.Key("memory_ms").Number(Fixed(memory * 1e3, 3));
  json.Key("training_ms").Number(Fixed(training * 1e3, 3));
  json.EndObject();
  std::puts(json.Take().c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string path, spec;
  int repeat = 200;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--repeat") && i + 1 < argc) {
      repeat = std::max(1, std::atoi(argv[++i]));
    } else if (!std::strcmp(argv[i], "--inputs") && i + 1 < argc) {
      spec = TextOf(argv[++i]);
    } else {
      path = argv[i];
    }
  }
  if (path.empty()) {
    std::fprintf(stderr, "usage: propagate_benchmark GRAPH [--inputs SPEC] [--repeat N]\n");
    return 2;
  }
  return Benchmark(path, spec, repeat);
}
