#include "lib/interpreter/interpreter.h"

#include <gtest/gtest.h>

#include "lib/interpreter/run_graph_through.h"
#include "lib/interpreter/testing/written_graph.h"
#include "lib/rules/rule_table.h"

namespace fakeprop {
namespace {

using testing::ReadWrittenGraph;
using testing::ShortText;
using testing::WrittenGraph;

std::string NodeText(const NodeAnnotation& node, const Annotations& annotations) {
  switch (node.kind) {
    case NodeAnnotation::Kind::kValue: return node.node->name + " " + ShortText(node.value);
    case NodeAnnotation::Kind::kError:
      return node.node->name + " !" + std::string(annotations.diagnostics.at(node.diagnostic).code.class_name);
    case NodeAnnotation::Kind::kSkipped: return node.node->name + " skipped for " + node.cause->name;
  }
  return "";
}

// "x f32[2]; y !ShapeMismatch; z skipped for y", a line for each graph: "path/call: ..." of a subgraph.
std::string TextOf(const Annotations& annotations) {
  std::string text;
  for (const GraphAnnotations& graph : annotations.graphs) {
    if (!graph.path.empty()) text += "\n" + graph.path + "/" + graph.call + ": ";
    for (const NodeAnnotation& node : graph.nodes)
      text += (&node == graph.nodes.data() ? "" : "; ") + NodeText(node, annotations);
  }
  return text;
}

std::string Text(std::string_view text, const RunOptions& options = {}) {
  const WrittenGraph written = ReadWrittenGraph(text);
  return TextOf(RunGraph(written.graph, written.inputs, options));
}

constexpr std::string_view kOneFails = R"(
    x: f32[2,3]
    a = relu(x)
    b = mm(x, x)
    c = relu(b)
    d = relu(a)
    return d)";

TEST(Interpreter, WritesDownWhatEachNodeProduced) {
  EXPECT_EQ(Text(R"(
      x: f32[2,3]
      t = t(x)
      y = mm(x, t)
      return y, [x])"),
      "x f32[2, 3]; t f32[3, 2], strides [1, 3]; y f32[2, 2]; output (f32[2, 2], [f32[2, 3]])");
}

TEST(Interpreter, StopsAtTheFirstError) {
  EXPECT_EQ(Text(kOneFails),
      "x f32[2, 3]; a f32[2, 3]; b !ShapeMismatch; c skipped for b; d skipped for b; output skipped for b");
}

TEST(Interpreter, GoesOnWithWhatDoesNotDependOnAnError) {
  RunOptions options;
  options.keep_going = true;
  EXPECT_EQ(Text(kOneFails, options),
      "x f32[2, 3]; a f32[2, 3]; b !ShapeMismatch; c skipped for b; d f32[2, 3]; output f32[2, 3]");
}

TEST(Interpreter, AMutationShowsFromItsNodeOn) {
  EXPECT_EQ(Text(R"(
      x: f32[2,3]
      y = t_(x)
      return x)"),
      "x f32[2, 3]; y f32[3, 2], strides [1, 3]; output f32[3, 2], strides [1, 3]");
}

TEST(Interpreter, InputsOfOneGroupStandOnTheLargestStorage) {
  const WrittenGraph written = ReadWrittenGraph(R"(
      x: f32[2]
      y: f32[6] of x
      return x, y)");
  const Annotations annotations = RunGraph(written.graph, written.inputs, {});
  ASSERT_EQ(annotations.storages.size(), 1u);
  EXPECT_EQ(annotations.storages[0]->nbytes.ToString(), "24");
}

TEST(Interpreter, InputsOfOneStorageShareAVersion) {
  EXPECT_EQ(Text(R"(
      x: f32[2] grad
      y: f32[2] of x
      views = unbind.int(x)
      view = _operator.getitem(views, 0)
      z = zero_(y)
      w = relu(view)
      return w)")
                .substr(0, 200),
      "x f32[2]; y f32[2]; views [f32[], f32[]]; view f32[]; z f32[2]; w !AutogradError; output skipped for w");
}

TEST(Interpreter, ASubgraphIsWrittenDownOnceForEachMetadata) {
  EXPECT_EQ(Text(R"(
      x: f32[2]
      y: f32[3]
      graph f(a)
        b = relu(a)
        return b
      p = higher_order.wrap(f, x)
      q = higher_order.wrap(f, x)
      r = higher_order.wrap(f, y)
      return p, q, r)"),
      "x f32[2]; y f32[3]; f graph 0; p f32[2]; q f32[2]; r f32[3]; output (f32[2], f32[2], f32[3])\n"
      "f/: a f32[2]; b f32[2]; output f32[2]\n"
      "f/r: a f32[3]; b f32[3]; output f32[3]");
}

TEST(Interpreter, AnErrorInASubgraphIsReportedThereAndFailsItsCaller) {
  RunOptions options;
  options.keep_going = true;
  EXPECT_EQ(Text(R"(
      x: f32[2,3]
      graph f(a)
        b = mm(a, a)
        c = relu(a)
        return b, c
      p = higher_order.wrap(f, x)
      y = relu(x)
      return p, y)",
                options),
      "x f32[2, 3]; f graph 0; p !ShapeMismatch; y f32[2, 3]; output skipped for p\n"
      "f/: a f32[2, 3]; b !ShapeMismatch; c f32[2, 3]; output skipped for b");
}

TEST(Interpreter, ASubgraphIsGivenAsManyInputsAsItTakes) {
  for (const char* arguments : {"f", "f, x, x"})
    EXPECT_EQ(Text("x: f32[2]\ngraph f(a)\n  return a\np = higher_order.wrap(" + std::string(arguments) + ")\nreturn p")
                  .substr(0, 30),
        "x f32[2]; f graph 0; p !TypeEr")
        << arguments;
}

TEST(Interpreter, LibTorchIsOpenedOnceAtNeed) {
  int opened = 0;
  RunOptions options;
  options.keep_going = true;
  options.open_libtorch = [&](std::string&) {
    ++opened;
    return nullptr;
  };
  Text("x: f32[2]\ny = relu(x)\nreturn y", options);
  EXPECT_EQ(opened, 0);
  EXPECT_EQ(Text("x: f32[2]\ny = output_nr(x)\nz = output_nr(x)\nreturn x", options),
      "x f32[2]; y !UnsupportedOperator; z !UnsupportedOperator; output f32[2]");
  EXPECT_EQ(opened, 1);
}

TEST(Interpreter, TellsHowFarItIs) {
  std::vector<size_t> done;
  RunOptions options;
  options.progress = [&](size_t node, size_t total) {
    EXPECT_EQ(total, 3u);
    done.push_back(node);
  };
  Text("x: f32[2]\ny = relu(x)\nreturn y", options);
  EXPECT_EQ(done, (std::vector<size_t>{0, 1, 2}));
}

TEST(Interpreter, LookUpsServeLaterRuns) {
  const WrittenGraph written = ReadWrittenGraph("x: f32[2]\ny = relu(x)\nreturn y");
  RunOptions options;
  options.resolved = NewResolvedGraphs();
  const std::string first = TextOf(RunGraph(written.graph, written.inputs, options));
  EXPECT_EQ(TextOf(RunGraph(written.graph, written.inputs, options)), first);
}

// Serves add by the rule of mul, and knows nothing else.
class OnlyAdd final : public LibTorchFallback {
 public:
  bool Knows(std::string_view full_name) override { return full_name == "aten::add.Tensor"; }
  void Run(Call& call) override {
    ++calls;
    RunRule(*FindRule(call.schema()), call);
  }
  void RunWithoutRule(Call&) override {}

  int calls = 0;
};

// Says the same of every call that it is asked about.
class SaysNo final : public LibTorchFallback {
 public:
  bool Knows(std::string_view) override { return false; }
  void Run(Call&) override {}
  void RunWithoutRule(Call&) override {}
  std::string WordsOfEager(const Call&) override {
    ++questions;
    return "eager refuses";
  }

  int questions = 0;
};

TEST(Interpreter, EagerIsAskedAboutTheFirstErrorsOfARunAlone) {
  SaysNo eager;
  RunOptions options;
  options.keep_going = true;
  options.open_libtorch = [&](std::string&) { return &eager; };
  std::string graph = "x: f32[2,3]\n";
  for (int i = 0; i < 70; ++i) graph += "y" + std::to_string(i) + " = einsum(\"ij,jk->ik\", [x, x])\n";
  const WrittenGraph written = ReadWrittenGraph(graph + "return x");
  const Annotations annotations = RunGraph(written.graph, written.inputs, options);
  ASSERT_EQ(annotations.diagnostics.size(), 70u);
  EXPECT_TRUE(annotations.diagnostics[63].message.ends_with(": eager refuses")) << annotations.diagnostics[63].message;
  EXPECT_FALSE(annotations.diagnostics[64].message.ends_with(": eager refuses")) << annotations.diagnostics[64].message;
  EXPECT_EQ(eager.questions, 64);
}

TEST(Interpreter, AStandInServesWhatItKnows) {
  const WrittenGraph written = ReadWrittenGraph("x: f32[2]\ny = add.Tensor(x, x)\nz = mul.Tensor(x, y)\nreturn z");
  OnlyAdd stand_in;
  const Annotations annotations = RunGraphThrough(written.graph, written.inputs, {}, stand_in);
  EXPECT_EQ(TextOf(annotations), "x f32[2]; y f32[2]; z f32[2]; output f32[2]");
  EXPECT_EQ(stand_in.calls, 1);
}

}  // namespace
}  // namespace fakeprop
