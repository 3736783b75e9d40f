#include "tools/cli/graph_session.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <limits>

#include "lib/annotations/error_notes.h"
#include "lib/annotations/summary.h"
#include "lib/archive/read_codes.h"
#include "lib/base/near_file.h"
#include "lib/base/suggest.h"
#include "lib/diag/code_table.h"
#include "lib/graph/move_device.h"
#include "lib/libtorch_fallback/dry_run.h"
#include "lib/libtorch_fallback/open_libtorch.h"
#include "lib/prove/answer_with_z3.h"
#include "lib/python/shipped_rules.h"
#include "lib/readers/read_graph.h"
#include "lib/value_ranges/value_analysis.h"
#include "tools/cli/input_files.h"
#include "tools/cli/no_z3.h"
#include "tools/cli/operator_libraries.h"
#include "tools/cli/progress.h"
#include "tools/cli/signals.h"

namespace fakeprop::cli {
namespace {

class Stopwatch {
 public:
  double Milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::optional<std::string> ReadSpec(const std::string& path, DiagnosticSink& sink) {
  if (path.empty()) return std::string();
  return ReadInput(path, sink, {"`fakeprop inputs GRAPH` prints a spec to start from"});
}

LibTorchFallback* OpenLoggedLibTorch(std::string_view why, std::string& reason) {
  static bool is_open = false;
  const Stopwatch watch;
  LibTorchFallback* libtorch = OpenLibTorch(reason);
  if (libtorch && !is_open) spdlog::info("opened LibTorch: {}", why);
  if (libtorch && !is_open) spdlog::debug("opening took {:.0f} ms", watch.Milliseconds());
  is_open = true;
  return libtorch;
}

ScriptGraph ImportScript(const ScriptSource& source) {
  std::string reason;
  if (LibTorchFallback* libtorch = OpenLoggedLibTorch("it compiles TorchScript", reason))
    return libtorch->ImportScript(source);
  Fail(ErrorClass::kUnsupportedOperator, "LibTorch, which compiles TorchScript, could not be opened: " + reason);
}

ReaderOptions ReaderOptionsFrom(const CommandLineOptions& options, BufferReading* buffers = nullptr) {
  return {{.method = options.method, .import_script = ImportScript, .add_library = AddShippedLibrary}, options.model,
      buffers};
}

// Whether the command looks at the integers in tensors.
bool LooksAtValues(const CommandLineOptions& options) {
  switch (options.command) {
    case Command::kPropagate:
    case Command::kShow: return options.writes_values;
    case Command::kProve:
    case Command::kContract: return !options.skips_values;
    default: return options.command == Command::kLint;
  }
}

// A recorded graph has the symbols that PyTorch made, where intervals may settle a size.
bool LearnsFromValues(const CommandLineOptions& options) {
  return LooksAtValues(options) && options.command != Command::kLint;
}

void GiveBounds(const Source& source, std::vector<InputValue>& inputs) {
  for (size_t i = 0; i < source.graph.inputs.size() && i < inputs.size(); ++i) {
    const auto bounds = source.buffers.find(source.graph.inputs[i].qualified_name);
    const bool is_buffer = source.graph.inputs[i].kind == InputKind::kBuffer && inputs[i].is_tensor;
    if (bounds == source.buffers.end() || !is_buffer || inputs[i].values || inputs[i].constant) continue;
    inputs[i].values = ValueBounds{bounds->second.least, bounds->second.greatest, /*are_met=*/true};
  }
}

}  // namespace

std::optional<Graph> ReadChosenGraph(
    const std::string& path, const CommandLineOptions& options, DiagnosticSink& sink, BufferReading* buffers) {
  const ReadingProgress reading(path);
  DiagnosticSink found;
  std::optional<Graph> graph = ReadGraph(path, ReaderOptionsFrom(options, buffers), found);
  for (Diagnostic diagnostic : found.diagnostics()) {
    std::string meant = diagnostic.code.id == kUnreadableFile.id ? DidYouMean(NearFile(path)) : "";
    if (!meant.empty()) diagnostic.notes.push_back(std::move(meant));
    sink.Add(std::move(diagnostic));
  }
  return graph;
}

std::optional<Graph> ReadChosenContent(
    std::string content, const std::string& source, const CommandLineOptions& options, DiagnosticSink& sink) {
  return ReadGraphContent(std::move(content), source, ReaderOptionsFrom(options), sink);
}

std::optional<Source> ReadSource(
    const std::string& path, const std::string& spec, const CommandLineOptions& options, DiagnosticSink& sink) {
  const Stopwatch watch;
  BufferReading buffers;
  if (options.reads_buffers) buffers.most_bytes = std::numeric_limits<uint64_t>::max();
  std::optional<Graph> graph = ReadChosenGraph(path, options, sink, LooksAtValues(options) ? &buffers : nullptr);
  if (!graph) return std::nullopt;
  spdlog::info("read {}: {} nodes", path, graph->nodes.size());
  spdlog::debug("reading took {:.2f} ms", watch.Milliseconds());
  std::optional<Source> source = SourceOf(std::move(*graph), spec, options, sink);
  if (source) source->buffers = std::move(buffers.bounds);
  return source;
}

std::optional<Source> SourceOf(
    Graph graph, const std::string& spec, const CommandLineOptions& options, DiagnosticSink& sink) {
  if (options.torch) graph.torch = *options.torch;
  if (options.build) graph.build = *options.build;
  if (options.device) MoveToDevice(graph, *options.device);
  if (!options.given_inputs.empty()) {
    std::string text = SpecOf(options.given_inputs, graph);
    return Source{std::move(graph), std::move(text), "--input"};
  }
  std::optional<std::string> text = ReadSpec(spec, sink);
  if (!text) return std::nullopt;
  return Source{std::move(graph), std::move(*text), spec == "-" ? "standard input" : spec};
}

std::optional<std::vector<InputValue>> BindInputs(const Source& source, const CommandLineOptions& options,
    ShapeEnv& env, const SymbolValues& hints, DiagnosticSink& sink, UnbackedInputs unbacked) {
  std::optional<std::vector<InputValue>> inputs =
      ResolveInputs(source.graph, source.spec, source.spec_name, sink, &env, hints, unbacked);
  if (inputs) GiveBounds(source, *inputs);
  if (!inputs || !options.device) return inputs;
  // A spec may name devices as well.
  for (InputValue& input : *inputs)
    if (input.is_tensor) input.meta.device = *options.device;
  return inputs;
}

std::optional<Loaded> Load(
    const std::string& path, const std::string& spec, const CommandLineOptions& options, DiagnosticSink& sink) {
  std::optional<Source> source = ReadSource(path, spec, options, sink);
  return source ? LoadSource(std::move(*source), options, sink) : std::nullopt;
}

std::optional<Loaded> LoadSource(Source source, const CommandLineOptions& options, DiagnosticSink& sink) {
  auto shape_env = std::make_shared<ShapeEnv>();
  std::optional<std::vector<InputValue>> inputs = BindInputs(source, options, *shape_env, {}, sink);
  if (!inputs) return std::nullopt;
  if (!options.symbolic) {
    const std::string hints = SpecializeToHints(*inputs, *shape_env);
    if (!hints.empty())
      spdlog::warn("--no-symbolic: the symbols of {} take their hints: {}", source.graph.source, hints);
    shape_env = std::make_shared<ShapeEnv>();
    shape_env->SetMakesUnbacked(false);
  }
  if (options.prove) TakeInterruptsInAThread();
  if (std::string reason; options.prove && !AnswerWithZ3(*shape_env, reason)) {
    sink.Add(NoZ3("`--prove`", reason));
    return std::nullopt;
  }
  return Loaded{std::move(source.graph), std::move(*inputs), std::move(shape_env)};
}

RunOptions RunOptionsFrom(const Graph& graph, const CommandLineOptions& options, bool keep_going) {
  AddShippedRulesFor(graph);
  RunOptions propagate;
  propagate.keep_going = keep_going;
  propagate.grad_enabled = options.grad.value_or(graph.kind != kTorchScriptKind);
  propagate.allow_fallback_kernels = options.allow_fallback_kernels;
  propagate.op_rules = &GivenRules();
  propagate.open_libtorch = [](std::string& reason) { return OpenLoggedLibTorch("an operator has no rule", reason); };
  return propagate;
}

Annotations Run(const Graph& graph, const std::vector<InputValue>& inputs, std::shared_ptr<ShapeEnv> env,
    const CommandLineOptions& options, bool keep_going, const Console& console, const std::string& stage) {
  const Stopwatch watch;
  Progress progress(options.progress, options.verbosity, console, stage);
  RunOptions propagate = RunOptionsFrom(graph, options, keep_going);
  propagate.crossref = options.crossref;
  DryRunFallback dry_run;
  propagate.open_libtorch = [&](std::string& reason) {
    return dry_run.Before(OpenLoggedLibTorch("an operator has no rule", reason));
  };
  propagate.shape_env = std::move(env);
  propagate.keeps_calls = LooksAtValues(options);
  if (LearnsFromValues(options)) propagate.on_unbacked = TeachNumbersFromData(graph, inputs);
  if (progress.enabled()) propagate.progress = [&](size_t done, size_t total) { progress.Show(done, total); };
  Annotations annotations = RunGraph(graph, inputs, propagate);
  progress.Show(graph.nodes.size(), graph.nodes.size());
  progress.Clear();
  spdlog::info("propagated {}: {}", graph.source, ToString(Summarize(annotations)));
  spdlog::debug("propagating took {:.2f} ms", watch.Milliseconds());
  ExplainErrors(graph, inputs, annotations);
  return annotations;
}

Annotations Run(const Loaded& loaded, const CommandLineOptions& options, bool keep_going, const Console& console) {
  return Run(loaded.graph, loaded.inputs, loaded.shape_env, options, keep_going, console);
}

}  // namespace fakeprop::cli
