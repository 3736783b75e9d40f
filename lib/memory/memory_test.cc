// Peaks against PyTorch's (testdata/memory/peaks.json), peaks over symbols against those of runs with numbers, and
// small graphs whose peak can be counted by hand.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "lib/base/testing/read_text.h"
#include "lib/diag/render_text.h"
#include "lib/inputs/inputs.h"
#include "lib/interpreter/run_graph.h"
#include "lib/interpreter/testing/written_graph.h"
#include "lib/libtorch_fallback/open_libtorch.h"
#include "lib/memory/largest_size.h"
#include "lib/memory/liveness.h"
#include "lib/memory/memory_profile.h"
#include "lib/prove/point.h"
#include "lib/readers/read_graph.h"

namespace fakeprop {
namespace {

using nlohmann::json;

// A run whose objects live as long as it does.
struct PropagatedGraph {
  Graph graph;
  std::shared_ptr<ShapeEnv> env = std::make_shared<ShapeEnv>();
  Annotations annotations;

  MemoryProfile Profile(FreeWhen free = FreeWhen::kAfterLastUse) const {
    return {FindLifetimes(graph, annotations, free), *env};
  }
  SymbolValues Point() const { return FixedSymbols(*env).Point(); }
};

PropagatedGraph Propagate(Graph graph, std::vector<InputValue> inputs, std::shared_ptr<ShapeEnv> env) {
  RunOptions options;
  options.shape_env = env;
  options.open_libtorch = [](std::string& reason) { return OpenLibTorch(reason); };
  PropagatedGraph run{std::move(graph), env, {}};
  run.annotations = RunGraph(run.graph, inputs, options);
  if (!run.annotations.diagnostics.empty()) ADD_FAILURE() << RenderText(run.annotations.diagnostics[0]);
  return run;
}

// With `hints`, all symbols are numbers.
PropagatedGraph RunFile(const std::string& path, const std::string& spec, const SymbolValues& hints = {}) {
  DiagnosticSink sink;
  std::optional<Graph> graph = ReadGraph(path, sink);
  auto env = std::make_shared<ShapeEnv>();
  auto inputs = ResolveInputs(
      *graph, spec.empty() ? R"({"format": "fakeprop.inputs/1", "inputs": {}})" : spec, "spec", sink, env.get(), hints);
  if (!inputs) throw std::runtime_error(RenderText(sink.diagnostics().front()));
  if (!hints.empty()) {
    SpecializeToHints(*inputs, *env);
    env = std::make_shared<ShapeEnv>();
  }
  return Propagate(std::move(*graph), std::move(*inputs), env);
}

struct NamedPeak {
  int64_t bytes;
  std::string node;
  friend bool operator==(const NamedPeak&, const NamedPeak&) = default;
  friend std::ostream& operator<<(std::ostream& out, const NamedPeak& p) { return out << p.bytes << " at " << p.node; }
};

NamedPeak PeakOf(const PropagatedGraph& run, FreeWhen free = FreeWhen::kAfterLastUse) {
  const MemoryProfile profile = run.Profile(free);
  const MemoryPeak peak = profile.PeakAt(run.Point());
  return {peak.bytes, peak.step < 0 ? "" : profile.timeline().steps[peak.step].node->name};
}

NamedPeak PeakOfText(const std::string& text, FreeWhen free = FreeWhen::kAfterLastUse) {
  testing::WrittenGraph written = testing::ReadWrittenGraph(text);
  return PeakOf(Propagate(std::move(written.graph), std::move(written.inputs), std::make_shared<ShapeEnv>()), free);
}

TEST(Memory, PeaksAreThoseOfPyTorch) {
  const json peaks = json::parse(std::ifstream("testdata/memory/peaks.json"));
  ASSERT_GE(peaks.size(), 10u);
  for (const auto& [path, peak] : peaks.items())
    EXPECT_EQ(PeakOf(RunFile(path, "")), (NamedPeak{peak.at("bytes"), peak.at("node")})) << path;
}

TEST(Memory, SmallGraphs) {
  // x has 40 bytes and is held; each result has 40 as well.
  const struct {
    const char* text;
    NamedPeak peak;
  } cases[] = {
      {"x: f32[10]\ny = relu(x)\nz = relu(y)\nw = relu(z)\nreturn w", {120, "z"}},
      // A view adds nothing and keeps its base.
      {"x: f32[10]\ny = relu(x)\nv = view(y, [2, 5])\nz = relu(x)\nw = relu(v)\nreturn w, z", {160, "w"}},
      {"x: f32[10]\ny = relu(x)\nz = relu_(y)\nw = relu(z)\nreturn w", {120, "w"}},
      // What nothing uses dies with its node.
      {"x: f32[10]\ny = relu(x)\nz = relu(x)\nw = relu(x)\nreturn w", {80, "y"}},
      // Outputs are kept, and an input that is returned is no second storage.
      {"x: f32[10]\ny = relu(x)\nz = relu(x)\nreturn y, z, x", {120, "z"}},
      // Each part of a list keeps the whole.
      {"x: f32[10]\ny = split.Tensor(x, 5)\na = _operator.getitem(y, 0)\nreturn a", {40, "y"}},
      {"x: f32[10]\nreturn x", {40, "output"}},
  };
  for (const auto& [text, peak] : cases) EXPECT_EQ(PeakOfText(text), peak) << text;
}

TEST(Memory, NothingIsDroppedIfNothingIsFreed) {
  const char* text = "x: f32[10]\ny = relu(x)\nz = relu(y)\nw = relu(z)\nreturn w";
  EXPECT_EQ(PeakOfText(text, FreeWhen::kNever), (NamedPeak{160, "w"}));
  // Without module stacks the whole graph is one scope.
  EXPECT_EQ(PeakOfText(text, FreeWhen::kAtEndOfScope), (NamedPeak{160, "w"}));
}

TEST(Memory, SymbolicPeaksAreThoseOfNumbers) {
  for (const std::string name : {"frames", "heads", "pooled", "pyramid", "skip", "windows"}) {
    const std::string folder = "testdata/symbolic/" + name;
    const std::string spec = ReadTextFile(folder + "/inputs.json");
    const PropagatedGraph symbolic = RunFile(folder + "/graph.json", spec);
    const MemoryProfile profile = symbolic.Profile();
    const std::vector<Dim> pieces = profile.PeakPieces();
    const Domain domain = DomainOf(*symbolic.env);
    PointSource points(domain);
    int compared = 0;
    for (int i = 0; i < 20; ++i) {
      const std::optional<SymbolValues> point = points.Next();
      FixedSymbols fixed(*symbolic.env);
      DiagnosticSink sink;
      if (!point || !fixed.Fix(*point, "", sink)) continue;
      const NamedPeak expected = PeakOf(RunFile(folder + "/graph.json", spec, *point));
      EXPECT_EQ(MaxAt(pieces, *point), expected.bytes) << name;
      const MemoryPeak peak = profile.PeakAt(*point);
      EXPECT_EQ((NamedPeak{peak.bytes, profile.timeline().steps[peak.step].node->name}), expected) << name;
      ++compared;
    }
    EXPECT_GT(compared, 5) << name;
  }
}

TEST(Memory, LargestSizeIsThatOfBruteForce) {
  ShapeEnv env;
  Sym batch = env.NewSymbol("batch", {1, 200}, 4, "");
  env.DeclareMultiple(batch, 3);
  const FixedSymbols fixed(env);
  const auto bytes = [](const SymbolValues& point) { return 100 + 7 * point.at("batch"); };
  for (int64_t budget : {0, 107, 120, 121, 122, 500, 1486, 1487, 5000}) {
    int64_t most = 0;
    for (int64_t b = 3; b <= 200; b += 3)
      if (100 + 7 * b <= budget) most = b;
    const LargestSize largest = FindLargestSize(fixed, env, {"batch"}, budget, bytes);
    EXPECT_EQ(largest.value, most ? most : 3) << budget;  // the least one if none fits
    EXPECT_EQ(largest.outcome, most ? LargestSize::Outcome::kFound : LargestSize::Outcome::kNoneFits) << budget;
    EXPECT_EQ(largest.at_limit, most == 198) << budget;
  }
}

TEST(Memory, BytesBeyond64BitsAreAnError) {
  ShapeEnv env;
  MemoryBlock block{Dim(INT64_MAX / 2 + 1)};
  const Timeline timeline{{{}}, {block, block}};
  EXPECT_THROW(MemoryProfile(timeline, env).PeakAt({}), std::exception);
}

}  // namespace
}  // namespace fakeprop
