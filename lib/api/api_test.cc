// Graphs through the public headers alone, as a program uses them.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "fakeprop/propagate.h"

namespace {

using fakeprop::AnnotatedGraph;
using fakeprop::AnnotatedNode;
using fakeprop::AnnotatedValue;
using fakeprop::DiagnosticSink;
using fakeprop::LoadedGraph;
using fakeprop::TensorMetadata;

constexpr const char* kModel = "graphs/resnet_small/graph.json";

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

LoadedGraph Parse(const std::string& nodes, const fakeprop::ReadOptions& options = {}) {
  DiagnosticSink sink;
  const auto graph = fakeprop::ReadGraphFromMemory(
      R"({"format": "fakeprop.fx/1", "nodes": [)" + nodes + "]}", "written.json", sink, options);
  if (!graph) throw std::runtime_error(ToString(sink));
  return *graph;
}

fakeprop::Inputs Resolve(const LoadedGraph& graph, fakeprop::InputOptions options) {
  DiagnosticSink sink;
  const auto inputs = fakeprop::ResolveInputs(graph, sink, options);
  if (!inputs) throw std::runtime_error(ToString(sink));
  return *inputs;
}

std::string Spec(const std::string& x, const std::string& symbols = "{}") {
  return R"({"format": "fakeprop.inputs/1", "symbols": )" + symbols + R"(, "inputs": {"x": )" + x + "}}";
}

// y = mm(x, x), which wants a square; z = relu(y) depends on it, t = t(x) does not.
constexpr const char* kSquare = R"(
  {"name": "x", "op": "placeholder", "target": "x"},
  {"name": "y", "op": "call_function", "target": "torch.ops.aten.mm.default", "args": [{"node": "x"}, {"node": "x"}]},
  {"name": "z", "op": "call_function", "target": "torch.ops.aten.relu.default", "args": [{"node": "y"}]},
  {"name": "t", "op": "call_function", "target": "torch.ops.aten.t.default", "args": [{"node": "x"}]},
  {"name": "output", "op": "output", "target": "output", "args": [{"tuple": [{"node": "z"}, {"node": "t"}]}]})";

AnnotatedGraph RunSquare(const std::string& shape, fakeprop::PropagateOptions options = {}) {
  const LoadedGraph graph = Parse(kSquare);
  const std::string spec = Spec(R"({"dtype": "float32", "shape": )" + shape + "}", R"({"n": {"min": 2, "hint": 4}})");
  return Propagate(graph, Resolve(graph, {.spec = spec}), options);
}

TEST(ReadGraph, FromAFileAndFromMemory) {
  DiagnosticSink sink;
  const auto of_file = fakeprop::ReadGraph(kModel, sink);
  const auto of_memory = fakeprop::ReadGraphFromMemory(ReadText(kModel), "graph.json", sink);
  ASSERT_TRUE(of_file && of_memory) << ToString(sink);
  EXPECT_EQ(of_file->source(), "graph.json");
  EXPECT_EQ(of_file->kind(), "torch.export");
  EXPECT_GT(of_file->node_count(), 10u);
  const auto annotate = [](const LoadedGraph& graph) { return Propagate(graph, Resolve(graph, {})).ToJson(); };
  EXPECT_EQ(annotate(*of_file), annotate(*of_memory));
}

TEST(ReadGraph, InputsInTheirOrder) {
  DiagnosticSink sink;
  const auto graph = fakeprop::ReadGraph(kModel, sink);
  ASSERT_TRUE(graph);
  const std::vector<fakeprop::GraphInput> inputs = graph->inputs();
  EXPECT_EQ(inputs.front().kind, "parameter");
  EXPECT_FALSE(inputs.front().qualified_name.empty());
  EXPECT_EQ(inputs.back().kind, "user_input");
  EXPECT_NE(graph->InputSpec().find("fakeprop.inputs/1"), std::string::npos);
}

TEST(ReadGraph, WhatCannotBeReadIsADiagnostic) {
  for (const char* content : {"", "{", "[]", "\x80\x02}q", "PK\x03\x04", R"({"graph_module": 3})"}) {
    DiagnosticSink sink;
    EXPECT_FALSE(fakeprop::ReadGraphFromMemory(content, "bad.json", sink)) << content;
    ASSERT_EQ(sink.diagnostics().size(), 1u) << content;
    EXPECT_EQ(sink.diagnostics()[0].file, "bad.json");
    EXPECT_NE(ToString(sink).find("error[FP1"), std::string::npos) << ToString(sink);
  }
  DiagnosticSink sink;
  EXPECT_FALSE(fakeprop::ReadGraph("no/such/file.pt2", sink));
  EXPECT_FALSE(fakeprop::ReadGraph(kModel, sink, {.model = "other"}));
  EXPECT_FALSE(fakeprop::ReadGraph(kModel, sink, {.device = "gpu"}));
  EXPECT_EQ(sink.diagnostics().size(), 3u);
}

TEST(ReadGraph, MovesToADevice) {
  const LoadedGraph graph = Parse(kSquare, {.device = "cuda"});
  const std::string spec = Spec(R"({"dtype": "float32", "shape": [2, 2], "device": "cpu"})");
  EXPECT_EQ(Propagate(graph, Resolve(graph, {.spec = spec})).Find("z")->value().tensor.device, "cuda:0");
}

TEST(ResolveInputs, WhatDoesNotFitIsADiagnostic) {
  const LoadedGraph graph = Parse(kSquare);
  DiagnosticSink sink;
  EXPECT_FALSE(fakeprop::ResolveInputs(graph, sink));  // nothing says what x is
  EXPECT_FALSE(fakeprop::ResolveInputs(graph, sink, {.spec = "{", .spec_name = "mine.json"}));
  EXPECT_FALSE(fakeprop::ResolveInputs(graph, sink, {.spec = Spec(R"({"dtype": "float33", "shape": [2, 2]})")}));
  ASSERT_EQ(sink.diagnostics().size(), 3u) << ToString(sink);
  EXPECT_EQ(sink.diagnostics()[1].file, "mine.json");
  // Earlier errors in the sink say nothing of these inputs.
  EXPECT_TRUE(fakeprop::ResolveInputs(graph, sink, {.spec = Spec(R"({"dtype": "float32", "shape": [2, 2]})")}));
}

TEST(Propagate, SaysWhatEveryNodeProduces) {
  const AnnotatedGraph annotated = RunSquare("[3, 3]");
  EXPECT_TRUE(annotated.ok());
  std::string text;
  for (const AnnotatedNode& node : annotated.nodes())
    text += std::string(node.name()) + " " + ToString(node.value()) + "; ";
  EXPECT_EQ(text,
      "x f32[3, 3] on cpu; y f32[3, 3] on cpu; z f32[3, 3] on cpu; t f32[3, 3] on cpu; "
      "output (f32[3, 3] on cpu, f32[3, 3] on cpu); ");
  const TensorMetadata x = annotated.Find("x")->value().tensor, t = annotated.Find("t")->value().tensor;
  EXPECT_EQ(ToString(t.stride), "[1, 3]");
  EXPECT_EQ(t.dtype, "float32");
  EXPECT_EQ(t.itemsize, 4);
  EXPECT_EQ(t.layout, "strided");
  EXPECT_EQ(t.storage_offset.number, 0);
  EXPECT_EQ(t.storage, x.storage);
  EXPECT_EQ(annotated.storages().at(x.storage).nbytes.number, 36);
  EXPECT_EQ(annotated.storages().size(), 3u);
  EXPECT_EQ(TensorsIn(annotated.Find("output")->value()).size(), 2u);
  EXPECT_EQ(annotated.Find("y")->target(), "torch.ops.aten.mm.default");
  EXPECT_EQ(annotated.Find("y")->op(), "call_function");
  EXPECT_FALSE(annotated.Find("nobody"));
}

TEST(Propagate, ErrorsArePartOfTheResult) {
  const AnnotatedGraph annotated = RunSquare("[2, 3]", {.keep_going = true});
  EXPECT_FALSE(annotated.ok());
  ASSERT_EQ(annotated.errors().size(), 1u);
  const std::optional<AnnotatedNode> y = annotated.Find("y"), z = annotated.Find("z"), t = annotated.Find("t");
  ASSERT_EQ(y->outcome(), AnnotatedNode::Outcome::kError);
  EXPECT_EQ(y->error(), &annotated.errors()[0]);
  EXPECT_EQ(y->error()->code.class_name, "ShapeMismatch");
  EXPECT_EQ(y->error()->node, "y");
  EXPECT_EQ(y->value().kind, AnnotatedValue::Kind::kNone);
  EXPECT_EQ(z->outcome(), AnnotatedNode::Outcome::kSkipped);
  EXPECT_EQ(z->skipped_for(), "y");
  EXPECT_EQ(z->error(), nullptr);
  EXPECT_EQ(ToString(t->value()), "f32[3, 2] on cpu");
  EXPECT_EQ(RunSquare("[2, 3]").Find("t")->outcome(), AnnotatedNode::Outcome::kSkipped);
}

TEST(Propagate, SizesCanBeSymbols) {
  DiagnosticSink sink;
  const std::string folder = "testdata/symbolic/skip_off_by_one/";
  const auto graph = fakeprop::ReadGraph(folder + "graph.json", sink);
  ASSERT_TRUE(graph) << ToString(sink);
  const std::string spec = ReadText(folder + "inputs.json");
  const AnnotatedGraph annotated = Propagate(*graph, Resolve(*graph, {.spec = spec}));
  const fakeprop::SizeExpr height = annotated.Find("max_pool2d")->value().tensor.shape.at(2);
  EXPECT_FALSE(height.number);
  EXPECT_EQ(height.expression, "(h//2)");
  EXPECT_EQ(height.hint, 32);
  EXPECT_EQ(Evaluate(height, {{"h", 9}}), 4);
  EXPECT_EQ(Evaluate(height, {{"w", 9}}), std::nullopt);
  EXPECT_EQ(ToString(annotated.Find("cat")->value().tensor.shape), "[batch, 6, 2*(h//2), 2*(w//2)]");
  ASSERT_EQ(annotated.symbols().size(), 3u);
  EXPECT_EQ(annotated.symbols()[0].name, "batch");
  EXPECT_EQ(annotated.symbols()[0].max, 64);
  EXPECT_EQ(annotated.symbols()[0].hint, 4);
  const std::vector<fakeprop::ShapeGuard> guards = annotated.guards();
  ASSERT_EQ(guards.size(), 2u);
  EXPECT_EQ(guards[0].expression, "Eq(h, 2*(h//2))");
  EXPECT_EQ(guards[0].node, "cat");
  EXPECT_FALSE(guards[0].is_assertion);
  // The same at other hints, and at the hints alone.
  EXPECT_EQ(Propagate(*graph, Resolve(*graph, {.spec = spec, .hints = {{"h", 100}}}))
                .Find("max_pool2d")
                ->value()
                .tensor.shape[2]
                .hint,
      50);
  const AnnotatedGraph in_numbers = Propagate(*graph, Resolve(*graph, {.spec = spec, .symbolic = false}));
  EXPECT_EQ(ToString(in_numbers.Find("cat")->value().tensor.shape), "[4, 6, 64, 48]");
  EXPECT_TRUE(in_numbers.guards().empty());
}

TEST(Propagate, NumbersListsAndWhatDataDecides) {
  const LoadedGraph graph = Parse(R"(
    {"name": "x", "op": "placeholder", "target": "x"},
    {"name": "size", "op": "call_function", "target": "torch.ops.aten.sym_size.int", "args": [{"node": "x"}, 0]},
    {"name": "half", "op": "call_function", "target": "_operator.truediv", "args": [{"node": "size"}, 4]},
    {"name": "rows", "op": "call_function", "target": "torch.ops.aten.unbind.int", "args": [{"node": "x"}]},
    {"name": "found", "op": "call_function", "target": "torch.ops.aten.nonzero.default", "args": [{"node": "x"}]},
    {"name": "output", "op": "output", "target": "output", "args": [{"tuple": [{"node": "found"}, null]}]})");
  const std::string spec = Spec(R"({"dtype": "float32", "shape": [2, 3]})");
  const AnnotatedGraph annotated = Propagate(graph, Resolve(graph, {.spec = spec}));
  EXPECT_TRUE(annotated.ok());
  EXPECT_EQ(annotated.Find("size")->value().integer.number, 2);
  EXPECT_EQ(annotated.Find("half")->value().real, 0.5);
  EXPECT_EQ(ToString(annotated.Find("half")->value()), "0.5");
  const AnnotatedValue rows = annotated.Find("rows")->value();
  EXPECT_EQ(ToString(rows), "[f32[3] on cpu, f32[3] on cpu]");
  EXPECT_EQ(rows.items.at(1).tensor.storage_offset.number, 3);
  const fakeprop::SizeExpr count = annotated.Find("found")->value().tensor.shape.at(0);
  EXPECT_EQ(count.expression, "u0");
  EXPECT_FALSE(count.hint);
  EXPECT_TRUE(annotated.symbols().at(0).is_unbacked);
  EXPECT_EQ(ToString(annotated.Find("output")->value()), "(i64[u0, 2] on cpu, None)");
  const AnnotatedGraph in_numbers = Propagate(graph, Resolve(graph, {.spec = spec, .symbolic = false}));
  EXPECT_EQ(in_numbers.errors().at(0).code.class_name, "DynamicOutputShape");
}

TEST(Propagate, ResultsOutliveWhatTheyWereMadeOf) {
  const AnnotatedGraph annotated = RunSquare("[\"n\", \"n\"]");
  EXPECT_EQ(ToString(annotated.Find("z")->value()), "f32[n, n] on cpu");
  EXPECT_EQ(annotated.Find("z")->target(), "torch.ops.aten.relu.default");
  const std::shared_ptr<fakeprop::ShapeEnv> env = fakeprop::NewShapeEnv();
  {
    const LoadedGraph graph = Parse(kSquare);
    const std::string spec = Spec(
        R"({"dtype": "float32", "shape": ["n", "m"]})", R"({"n": {"min": 2, "hint": 5}, "m": {"min": 2, "hint": 5}})");
    EXPECT_TRUE(Propagate(graph, Resolve(graph, {.spec = spec, .shape_env = env})).ok());
  }
  ASSERT_EQ(ListGuards(*env).size(), 1u);
  EXPECT_EQ(ListGuards(*env)[0].node, "y");
  EXPECT_EQ(ListSymbols(*env).size(), 2u);
}

TEST(Propagate, AGraphWithoutNodesHasNoValues) {
  const LoadedGraph graph = Parse("");
  const AnnotatedGraph annotated = Propagate(graph, Resolve(graph, {}));
  EXPECT_TRUE(annotated.ok());
  EXPECT_TRUE(annotated.nodes().empty());
}

TEST(Propagate, InputsOfAnotherGraphAreRefused) {
  const LoadedGraph one = Parse(kSquare), other = Parse(kSquare);
  const fakeprop::Inputs inputs = Resolve(one, {.spec = Spec(R"({"dtype": "float32", "shape": [2, 2]})")});
  EXPECT_THROW(Propagate(other, inputs), std::invalid_argument);
}

TEST(Propagate, TakesRulesForCustomOperators) {
  const LoadedGraph graph = Parse(R"(
    {"name": "x", "op": "placeholder", "target": "x"},
    {"name": "pairs", "op": "call_function", "target": "torch.ops.apitest.pairs.default", "args": [{"node": "x"}]},
    {"name": "output", "op": "output", "target": "output", "args": [{"node": "pairs"}]})");
  const auto run = [&](std::shared_ptr<const fakeprop::OpRules> rules) {
    return Propagate(graph, Resolve(graph, {.spec = Spec(R"({"dtype": "float32", "shape": [2, 6]})")}),
        {.op_rules = std::move(rules)});
  };
  EXPECT_EQ(run(nullptr).errors().at(0).code.class_name, "UnsupportedOperator");
  DiagnosticSink sink;
  EXPECT_FALSE(fakeprop::ReadOpRules("fakeprop.op_rules/1\nnonsense", "mine.rules", sink));
  EXPECT_EQ(sink.diagnostics().at(0).file, "mine.rules");
  const auto rules = fakeprop::ReadOpRules(
      "fakeprop.op_rules/1\napitest::pairs(Tensor x) -> Tensor\n    rows, width = x.shape\n"
      "    return x.new_empty([rows, width // 2, 2])\n",
      "mine.rules", sink);
  ASSERT_TRUE(rules) << ToString(sink);
  const AnnotatedGraph annotated = run(rules);
  EXPECT_TRUE(annotated.ok()) << annotated.ToJson();
  EXPECT_EQ(ToString(annotated.Find("pairs")->value()), "f32[2, 3, 2] on cpu");
}

TEST(Propagate, ThreadsShareAGraph) {
  DiagnosticSink sink;
  const auto graph = fakeprop::ReadGraph(kModel, sink);
  ASSERT_TRUE(graph);
  std::vector<std::string> written(4);
  std::vector<std::thread> threads;
  for (std::string& json : written)
    threads.emplace_back([&] { json = Propagate(*graph, Resolve(*graph, {})).ToJson(); });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& json : written) EXPECT_EQ(json, written[0]);
  EXPECT_NE(written[0].find("\"meta\""), std::string::npos);
}

TEST(Propagate, SubgraphsAndProgress) {
  DiagnosticSink sink;
  const auto graph = fakeprop::ReadGraph("graphs/mixed_precision/graph.json", sink);
  ASSERT_TRUE(graph) << ToString(sink);
  size_t calls = 0;
  const auto count = [&](size_t, size_t total) { calls += total == graph->node_count(); };
  const AnnotatedGraph annotated = Propagate(*graph, Resolve(*graph, {}), {.progress = count});
  EXPECT_EQ(calls, graph->node_count());
  ASSERT_FALSE(annotated.subgraphs().empty());
  EXPECT_FALSE(annotated.subgraphs()[0].path.empty());
  EXPECT_EQ(annotated.subgraphs()[0].nodes.at(0).op(), "placeholder");
}

}  // namespace
