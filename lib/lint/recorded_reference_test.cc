// Lint against a graph's own record: one changed entry is found, at its node and nowhere else.
#include "lib/lint/recorded_reference.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "lib/diag/code_table.h"
#include "lib/libtorch_fallback/open_libtorch.h"
#include "lib/lint/find_differences.h"
#include "lib/readers/read_graph.h"

namespace fakeprop {
namespace {

using nlohmann::json;

std::vector<Finding> Lint(const Graph& graph, const std::vector<InputValue>& inputs) {
  RunOptions options;
  options.keep_going = true;
  options.open_libtorch = OpenLibTorch;
  const Annotations annotations = RunGraph(graph, inputs, options);
  EXPECT_TRUE(annotations.diagnostics.empty()) << graph.source << ": " << annotations.diagnostics[0].message;
  const LintRun run{graph, inputs, annotations, options};
  const RecordedReference reference(graph, InputsAreAsRecorded(graph, inputs));
  return CompareGraph(run, annotations.graphs[0], reference, {kRecordedDiffers, "was recorded as"});
}

std::vector<Finding> LintFile(const json& file) {
  DiagnosticSink sink;
  const std::optional<Graph> graph = ReadExportJson(file.dump(), "graph.json", sink);
  if (!graph) throw std::runtime_error(sink.diagnostics().at(0).message);
  const auto inputs = ResolveInputs(*graph, "", "", sink);
  if (!inputs) throw std::runtime_error(sink.diagnostics().at(0).message);
  return Lint(*graph, *inputs);
}

json& RecordedValues(json& file) { return file.at("graph_module").at("graph").at("tensor_values"); }

std::vector<std::string> NamesOfResults(json& file) {
  std::vector<std::string> names;
  std::string inputs = file.at("graph_module").at("graph").at("inputs").dump();
  for (const auto& [name, meta] : RecordedValues(file).items())
    if (inputs.find("\"" + name + "\"") == std::string::npos && !meta.at("sizes").empty()) names.push_back(name);
  return names;
}

// Changes one field where it counts; gives what lint has to call it, or nothing if this value has no such place.
std::string Change(json& meta, int kind, std::mt19937& random) {
  if (kind == 0) {
    const bool is_float = meta.at("dtype") == 7;
    meta["dtype"] = is_float ? 13 : 7;
    return "dtype";
  }
  const size_t d = random() % meta.at("sizes").size();
  if (kind == 1) {
    meta["sizes"][d]["as_int"] = meta["sizes"][d]["as_int"].get<int64_t>() + 1;
    return "shape";
  }
  for (const json& size : meta["sizes"])
    if (size["as_int"] == 0) return "";
  if (meta["sizes"][d]["as_int"] == 1) return "";
  meta["strides"][d]["as_int"] = meta["strides"][d]["as_int"].get<int64_t>() + 3;
  return "stride";
}

std::vector<std::filesystem::path> GraphFiles() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator("graphs"))
    if (std::filesystem::exists(entry.path() / "graph.json")) files.push_back(entry.path() / "graph.json");
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Recorded, OneChangedEntryIsFoundAtItsNode) {
  std::mt19937 random(20);  // the same changes every time
  int changes = 0;
  for (const auto& path : GraphFiles()) {
    std::ifstream stream(path);
    const json original = json::parse(stream);
    EXPECT_TRUE(LintFile(original).empty()) << path;
    for (int i = 0; i < 8; ++i) {
      json file = original;
      const std::vector<std::string> names = NamesOfResults(file);
      const std::string name = names[random() % names.size()];
      const std::string field = Change(RecordedValues(file).at(name), i % 3, random);
      if (field.empty()) continue;
      ++changes;
      const std::vector<Finding> findings = LintFile(file);
      ASSERT_EQ(findings.size(), 1u) << path << " " << name << " " << field;
      EXPECT_EQ(findings[0].diagnostic.node, name);
      ASSERT_EQ(findings[0].fields.size(), 1u) << name;
      EXPECT_EQ(findings[0].fields[0].field, field);
      EXPECT_TRUE(findings[0].also_differ.empty());
    }
  }
  EXPECT_GE(changes, 50);
}

// x -> neg -> abs -> exp, all f32[2, 3].
class Chain {
 public:
  Chain() {
    graph.source = "g.json";
    graph.nodes.push_back({.name = "x", .op = NodeOp::kPlaceholder, .target = "x"});
    for (const char* op : {"neg", "abs", "exp"}) {
      const int32_t last = static_cast<int32_t>(graph.nodes.size()) - 1;
      graph.nodes.push_back({.name = op,
          .op = NodeOp::kCallFunction,
          .target = std::string("torch.ops.aten.") + op + ".default",
          .arguments = {{"self", NodeRef{last}}}});
    }
    graph.inputs.push_back({.node = 0});
    for (const Node& node : graph.nodes)
      graph.recorded[node.name] = RecordedTensor{.sizes = {{2}, {3}}, .strides = {{3}, {1}}};
    inputs.push_back(
        {.is_tensor = true, .meta = ContiguousMeta(DimSpan(kSizes), ScalarType::Float, Device(DeviceType::CPU))});
  }
  RecordedTensor& Of(const char* name) { return std::get<RecordedTensor>(graph.recorded.at(name)); }

  Graph graph;
  std::vector<InputValue> inputs;

 private:
  static constexpr Dim kSizes[] = {2, 3};
};

std::string AsText(const std::vector<Finding>& findings) {
  std::string out;
  for (const Finding& f : findings) {
    out += f.diagnostic.message;
    for (const std::string& name : f.also_differ) out += ", then " + name;
    out += "\n";
  }
  return out;
}

TEST(Recorded, NothingToFind) {
  Chain chain;
  EXPECT_EQ(AsText(Lint(chain.graph, chain.inputs)), "");
  chain.graph.recorded.erase("abs");
  EXPECT_EQ(AsText(Lint(chain.graph, chain.inputs)), "");
}

// As people write expressions, not as the file does.
TEST(Recorded, SymbolicSizesAreToldAsExpressions) {
  Chain chain;
  chain.Of("exp").sizes[0] = {
      .expression = "Mul(Integer(64), Symbol('s23', positive=True, integer=True))", .hint = 256};
  EXPECT_NE(AsText(Lint(chain.graph, chain.inputs)).find("[64*s23 = 256, 3]"), std::string::npos)
      << AsText(Lint(chain.graph, chain.inputs));
}

TEST(Recorded, WhatFollowsIsToldWithItsCause) {
  Chain chain;
  for (const char* name : {"neg", "abs", "exp"}) chain.Of(name).dtype = ScalarType::Double;
  EXPECT_EQ(AsText(Lint(chain.graph, chain.inputs)),
      "dtype of `neg` is float32 but was recorded as float64, then abs, then exp\n");
}

TEST(Recorded, WhatDoesNotFollowIsToldByItself) {
  Chain chain;
  chain.Of("neg").dtype = ScalarType::Double;
  chain.Of("abs").dtype = ScalarType::Half;
  chain.Of("exp").dtype = ScalarType::Half;
  EXPECT_EQ(AsText(Lint(chain.graph, chain.inputs)),
      "dtype of `neg` is float32 but was recorded as float64\n"
      "dtype of `abs` is float32 but was recorded as float16, then exp\n");
}

TEST(Recorded, OnlyStridesThatCount) {
  Chain chain;
  chain.inputs[0].meta.sizes[0] = 1;
  for (auto& [name, recorded] : chain.graph.recorded) std::get<RecordedTensor>(recorded).sizes[0].number = 1;
  chain.Of("neg").strides[0].number = 77;
  EXPECT_EQ(AsText(Lint(chain.graph, chain.inputs)), "");
  chain.Of("neg").strides[1].number = 2;
  EXPECT_EQ(AsText(Lint(chain.graph, chain.inputs)), "stride of `neg` is [3, 1] but was recorded as [77, 2]\n");
}

TEST(Recorded, StridesOfOtherLayoutsAreNone) {
  Chain chain;
  chain.graph.nodes.pop_back();  // there is no exp of a sparse tensor
  chain.inputs[0].meta.layout = Layout::Sparse;
  chain.inputs[0].sparse.nnz = 4;
  chain.inputs[0].meta.strides.clear();
  for (auto& [name, recorded] : chain.graph.recorded) std::get<RecordedTensor>(recorded).layout = Layout::Sparse;
  EXPECT_EQ(AsText(Lint(chain.graph, chain.inputs)), "");
  chain.Of("neg").layout = Layout::Strided;
  EXPECT_EQ(AsText(Lint(chain.graph, chain.inputs)), "layout of `neg` is sparse_coo but was recorded as strided\n");
}

TEST(Recorded, RequiresGradOfInputsAlone) {
  Chain chain;
  chain.inputs[0].requires_grad = true;
  EXPECT_EQ(AsText(Lint(chain.graph, chain.inputs)), "requires_grad of `x` is true but was recorded as false\n");
}

TEST(Recorded, SubgraphsAreGivenIntermediateValues) {
  Chain chain;
  chain.graph.inputs.clear();  // as in a subgraph
  ObjectTable objects;
  Tensor* x = objects.NewTensor(chain.inputs[0].meta, objects.NewStorage(24, Device(DeviceType::CPU)));
  x->own_requires_grad = true;
  EXPECT_TRUE(RecordedReference(chain.graph, false).Compare(chain.graph.nodes[0], x).empty());
}

TEST(Recorded, DropoutMayBeTracedAsACopy) {
  Chain chain;
  ObjectTable objects;
  TensorMeta part = chain.inputs[0].meta;
  part.strides = {30, 1};
  part.storage_offset = 3;
  Tensor* x = objects.NewTensor(part, objects.NewStorage(240, Device(DeviceType::CPU)));
  Node node = chain.graph.nodes[1];
  const RecordedReference reference(chain.graph, false);
  EXPECT_EQ(reference.Compare(node, x).size(), 2u);
  node.target = "torch.ops.aten.dropout.default";
  EXPECT_TRUE(reference.Compare(node, x).empty());
  chain.Of("neg").strides[0].number = 40;
  EXPECT_EQ(reference.Compare(node, x).size(), 2u);
}

// The copy has not the layout of the dropout's input. That goes on to all that reads it.
TEST(Recorded, WhatFollowsFromADropoutTracedAsACopyIsNoFinding) {
  Chain chain;
  chain.graph.nodes[1].target = "torch.ops.aten.dropout.default";
  chain.graph.nodes[1].arguments = {{"input", NodeRef{0}}, {"p", Value(0.5)}, {"train", Value(false)}};
  chain.inputs[0].meta.strides = {1, 2};
  chain.Of("x").strides = {{1}, {2}};
  EXPECT_EQ(AsText(Lint(chain.graph, chain.inputs)), "");
  chain.Of("exp").dtype = ScalarType::Double;
  EXPECT_EQ(AsText(Lint(chain.graph, chain.inputs)),
      "stride of `exp` is [1, 2] but was recorded as [3, 1], and 1 more field differs\n");
}

TEST(Recorded, DeviceOffsetAndRank) {
  Chain chain;
  chain.Of("exp").device = Device(DeviceType::CUDA, 0);
  chain.Of("exp").storage_offset.number = 4;
  chain.Of("exp").sizes.pop_back();
  chain.Of("exp").strides.pop_back();
  const std::vector<Finding> findings = Lint(chain.graph, chain.inputs);
  EXPECT_EQ(AsText(findings), "shape of `exp` is [2, 3] but was recorded as [2], and 2 more fields differ\n");
  ASSERT_EQ(findings[0].fields.size(), 3u);
  EXPECT_EQ(findings[0].fields[1].field, "storage_offset");
  EXPECT_EQ(findings[0].fields[2].expected, "cuda:0");
}

TEST(Recorded, ExpressionsCountWithTheirHints) {
  Chain chain;
  for (auto& [name, recorded] : chain.graph.recorded) std::get<RecordedTensor>(recorded).sizes[0] = {0, "s0", 2};
  EXPECT_EQ(AsText(Lint(chain.graph, chain.inputs)), "");
  chain.Of("exp").sizes[0] = {0, "2*s0", 4};
  EXPECT_EQ(AsText(Lint(chain.graph, chain.inputs)), "shape of `exp` is [2, 3] but was recorded as [2*s0 = 4, 3]\n");
  // With other sizes than the recorded ones the hints say nothing.
  chain.inputs[0].meta.sizes[0] = 5;
  EXPECT_EQ(AsText(Lint(chain.graph, chain.inputs)), "");
}

TEST(Recorded, ATensorWhereANumberWasRecorded) {
  Chain chain;
  chain.graph.recorded["exp"] = RecordedNumber{.integer = {3}};
  EXPECT_EQ(
      AsText(Lint(chain.graph, chain.inputs)), "value of `exp` is f32[2, 3] on cpu but was recorded as a number\n");
}

}  // namespace
}  // namespace fakeprop
