#include "lib/lint/golden_reference.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lib/annotations/annotations_json.h"
#include "lib/diag/render_text.h"
#include "lib/interpreter/annotations.h"
#include "lib/interpreter/run_graph.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

using nlohmann::json;

// x: f32[2, 3] -> t (a view of x) -> neg -> abs -> output (neg, abs)
class SmallRun {
 public:
  SmallRun() {
    graph.source = "g.json";
    graph.kind = "torch.export";
    graph.nodes = {{.name = "x", .op = NodeOp::kPlaceholder, .target = "x"}, CallOf("t", 0), CallOf("neg", 1),
        CallOf("abs", 2),
        {.name = "output",
            .op = NodeOp::kOutput,
            .target = "output",
            .arguments = {{"", ContainerOf(ContainerKind::kTuple, std::vector<GraphValue>{NodeRef{2}, NodeRef{3}})}}}};
    graph.inputs.push_back({.node = 0});
    inputs.push_back(
        {.is_tensor = true, .meta = ContiguousMeta(DimSpan(kSizes), ScalarType::Float, Device(DeviceType::CPU))});
    annotations = RunGraph(graph, inputs, {});
  }

  // With other sizes of x.
  void Rerun(std::initializer_list<Dim> sizes, std::shared_ptr<ShapeEnv> env) {
    const std::vector<Dim> dims(sizes);
    inputs[0].meta = ContiguousMeta(DimSpan(dims), ScalarType::Float, Device(DeviceType::CPU));
    annotations = RunGraph(graph, inputs, {.shape_env = std::move(env)});
  }

  // Adds placeholders in front of the output.
  void AddInputs(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      graph.inputs.push_back({.node = static_cast<int32_t>(graph.nodes.size() - 1)});
      graph.nodes.insert(graph.nodes.end() - 1, {.name = name, .op = NodeOp::kPlaceholder, .target = name});
      inputs.push_back(inputs[0]);
    }
    annotations = RunGraph(graph, inputs, {});
  }

  json Written() const { return json::parse(WriteAnnotations(graph, annotations)); }

  // The findings against `golden`, one line each.
  std::string Compare(const json& golden) const {
    DiagnosticSink sink;
    const auto file = GoldenFile::Read(golden.dump(), "old.json", sink);
    if (!file) return RenderText(sink.diagnostics().at(0));
    std::string out;
    for (const Finding& f : file->Compare({graph, inputs, annotations, {}})) {
      out += f.diagnostic.message;
      for (const FieldDifference& field : f.fields) out += "; " + field.field;
      for (const std::string& name : f.also_differ) out += ", then " + name;
      out += "\n";
    }
    return out;
  }

  Graph graph;
  std::vector<InputValue> inputs;
  Annotations annotations;

 private:
  static Node CallOf(std::string op, int32_t of) {
    return {.name = op,
        .op = NodeOp::kCallFunction,
        .target = "torch.ops.aten." + op + ".default",
        .arguments = {{"self", NodeRef{of}}}};
  }
  static constexpr Dim kSizes[] = {2, 3};
};

json& ValueOf(json& file, int node) { return file.at("nodes").at(node).at("meta").at("val"); }

TEST(Golden, TheSameIsTheSame) {
  const SmallRun run;
  EXPECT_EQ(run.Compare(run.Written()), "");
}

TEST(Golden, StorageNumbersDoNotCount) {
  const SmallRun run;
  json golden = run.Written();
  for (json& storage : golden["storages"]) storage["id"] = storage["id"].get<int>() + 10;
  for (int i : {0, 1, 2, 3}) ValueOf(golden, i)["storage"] = ValueOf(golden, i)["storage"].get<int>() + 10;
  for (json& item : ValueOf(golden, 4)) item["storage"] = item["storage"].get<int>() + 10;
  EXPECT_EQ(run.Compare(golden), "");
}

TEST(Golden, AliasingDoes) {
  const SmallRun run;
  json golden = run.Written();
  golden["storages"].push_back({{"id", 9}, {"nbytes", 24}, {"device", "cpu"}});
  ValueOf(golden, 1)["storage"] = 9;
  EXPECT_EQ(run.Compare(golden), "storage of `t` is that of x but was one of its own; storage\n");
  golden = run.Written();
  golden["storages"][0]["nbytes"] = 48;
  EXPECT_EQ(run.Compare(golden), "storage nbytes of `x` is 24 but was 48; storage nbytes\n");
}

TEST(Golden, WhatFollowsIsToldWithItsCause) {
  const SmallRun run;
  json golden = run.Written();
  for (int i : {2, 3}) ValueOf(golden, i)["dtype"] = "float64";
  for (json& item : ValueOf(golden, 4)) item["dtype"] = "float64";
  EXPECT_EQ(run.Compare(golden), "dtype of `neg` is float32 but was float64; dtype, then abs, then output\n");
}

TEST(Golden, OtherFields) {
  const SmallRun run;
  json golden = run.Written();
  ValueOf(golden, 0)["requires_grad"] = true;
  ValueOf(golden, 3)["value"] = {{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}};
  EXPECT_EQ(run.Compare(golden),
      "requires_grad of `x` is false but was true; requires_grad\n"
      "value of `abs` is unknown but was [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]; value\n");
}

TEST(Golden, NodesComeAndGo) {
  const SmallRun run;
  json golden = run.Written();
  golden["nodes"][2]["name"] = "relu";
  EXPECT_EQ(run.Compare(golden),
      "node `neg` is new: old.json has none of that name\n"
      "node `relu` is gone: g.json has none of that name\n");
  golden = run.Written();
  golden["nodes"][2]["target"] = "torch.ops.aten.relu.default";
  EXPECT_EQ(run.Compare(golden),
      "target of `neg` is torch.ops.aten.neg.default but was torch.ops.aten.relu.default; target\n");
}

TEST(Golden, NodesThatComeOrGoAreOneFinding) {
  const SmallRun run;
  json golden = run.Written();
  json more = golden["nodes"][2];
  for (const char* name : {"a", "b"}) more["name"] = name, golden["nodes"].push_back(more);
  EXPECT_EQ(run.Compare(golden), "2 nodes are gone, `a` first: g.json has none of their names, then b\n");
}

TEST(Golden, AnotherGraphsIsTold) {
  const SmallRun run;
  json golden = run.Written();
  golden["graph"]["source"] = "other.json";
  for (int i : {1, 2, 3}) golden["nodes"][i]["name"] = "node" + std::to_string(i);
  EXPECT_EQ(run.Compare(golden),
      "this is a golden of another graph, other.json: it shares 2 of its 5 nodes with g.json, which has 5\n");
}

TEST(Golden, AnotherGraphsIsToldByItsParameters) {
  SmallRun run;
  run.AddInputs({"p_a_weight", "p_a_bias", "p_b_weight", "p_b_bias", "mask"});
  json golden = run.Written();
  const auto rename = [&](int i, const char* name) {
    golden["nodes"][i]["name"] = golden["nodes"][i]["target"] = name;
  };
  rename(4, "p_c_weight"), rename(5, "p_c_bias");
  EXPECT_EQ(run.Compare(golden).find("another graph"), std::string::npos) << "one layer has another name";
  rename(6, "p_d_weight"), rename(7, "p_d_bias");
  EXPECT_EQ(run.Compare(golden),
      "this is a golden of another graph, g.json: it shares 0 of its 4 parameters with g.json, which has 4\n");
}

// The golden's sizes are expressions over symbols of its own: what follows from them is found with those.
TEST(Golden, WhatFollowsFromInputsOverSymbolsIsOneFinding) {
  SmallRun of_symbols;
  const auto env = std::make_shared<ShapeEnv>();
  const Dim n = Dim::Of(env->NewSymbol("n", {2, 64}, 5, "x.size(0)"));
  of_symbols.Rerun({n, 3}, env);
  json golden = of_symbols.Written();
  EXPECT_EQ(of_symbols.Compare(golden), "");
  SmallRun of_numbers;
  EXPECT_EQ(of_numbers.Compare(golden),
      "shape of `x` is [2, 3] but was [\"n\", 3]; shape, then t, then neg, then abs, then output\n");
}

TEST(Golden, ErrorsOfThePast) {
  const SmallRun run;
  json golden = run.Written();
  golden["nodes"][2] = {{"name", "neg"}, {"op", "call_function"}, {"target", "torch.ops.aten.neg.default"},
      {"error", {{"class", "ShapeMismatch"}, {"code", "FP3001"}, {"message", "m"}}}};
  golden["nodes"][3].erase("meta");
  golden["nodes"][3]["skipped"] = "neg";
  EXPECT_EQ(run.Compare(golden),
      "value of `neg` is f32[3, 2] on cpu, strides [1, 3] but was an error: ShapeMismatch; value\n");
}

TEST(Golden, NullIsAValue) {
  const SmallRun run;
  json golden = run.Written();
  ValueOf(golden, 3) = nullptr;
  const std::string found = run.Compare(golden);
  EXPECT_TRUE(found.starts_with("value of `abs` is {") && found.ends_with("} but was null; value\n")) << found;
}

TEST(Golden, WhatIsNoAnnotationsIsTold) {
  const SmallRun run;
  json golden = run.Written();
  golden["format"] = "fakeprop.inputs/1";
  EXPECT_EQ(run.Compare(golden),
      "error[FP5003]: this is an input spec, not annotations\n"
      " --> old.json\n"
      "   = a golden file is what `fakeprop GRAPH -o FILE` writes\n");
  golden = run.Written();
  golden["nodes"][0]["meta"]["val"].erase("shape");
  EXPECT_NE(run.Compare(golden).find("old.json: /nodes/0/meta/val"), std::string::npos);
  golden = run.Written();
  golden["nodes"][0]["meta"]["val"]["dtype"] = json::array();
  EXPECT_NE(run.Compare(golden).find("old.json: /nodes/0/meta/val/dtype"), std::string::npos);
  golden = run.Written();
  golden["nodes"][2].erase("meta");
  EXPECT_NE(run.Compare(golden).find("old.json: /nodes/2\n"), std::string::npos);
  EXPECT_NE(run.Compare(json::array()).find("FP5003"), std::string::npos);
}

}  // namespace
}  // namespace fakeprop
