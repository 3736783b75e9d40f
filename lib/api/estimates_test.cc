// Memory and work through the public headers alone, as a program uses them.
#include "fakeprop/estimates.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "fakeprop/propagate.h"

namespace {

using fakeprop::AnnotatedGraph;
using fakeprop::DiagnosticSink;

// y = mm(x, x), z = relu(y), for a square x.
constexpr const char* kSquare = R"({"format": "fakeprop.fx/1", "nodes": [
  {"name": "x", "op": "placeholder", "target": "x"},
  {"name": "y", "op": "call_function", "target": "torch.ops.aten.mm.default", "args": [{"node": "x"}, {"node": "x"}]},
  {"name": "z", "op": "call_function", "target": "torch.ops.aten.relu.default", "args": [{"node": "y"}]},
  {"name": "output", "op": "output", "target": "output", "args": [{"node": "z"}]}]})";

AnnotatedGraph RunSquare(const std::string& more = "") {
  DiagnosticSink sink;
  const auto graph = fakeprop::ReadGraphFromMemory(kSquare, "square.json", sink);
  const auto inputs = fakeprop::ResolveInputs(*graph, sink,
      {.spec = R"({"format": "fakeprop.inputs/1",
      "symbols": {"n": {"min": 2, "hint": 4}}, "inputs": {"x": {"dtype": "float32", "shape": ["n", "n"])" +
               more + "}}}"});
  if (!inputs) throw std::runtime_error(ToString(sink));
  return Propagate(*graph, *inputs);
}

TEST(Estimates, Memory) {
  const AnnotatedGraph square = RunSquare();
  const fakeprop::MemoryEstimate memory = EstimateMemory(square);
  EXPECT_EQ(memory.peak, 192);
  EXPECT_EQ(memory.node, "z");
  ASSERT_EQ(memory.pieces.size(), 1u);
  EXPECT_EQ(ToString(memory.pieces[0]), "12*n**2");
  EXPECT_EQ(memory.alive.size(), 3u);
  EXPECT_EQ(memory.categories, (std::map<std::string, int64_t>{{"inputs", 64}, {"outputs", 64}, {"temporaries", 64}}));
  EXPECT_EQ(memory.curve, (std::vector<int64_t>{64, 128, 192, 128}));
  EXPECT_EQ(EstimateMemory(square, {.sizes = {{"n", 10}}, .training = {}}).peak, 1200);
  EXPECT_EQ(LargestWithin(square, "n", 1200), 10);
  EXPECT_EQ(LargestWithin(square, "n", 1199), 9);
  EXPECT_EQ(LargestWithin(square, "n", 40), std::nullopt);
}

TEST(Estimates, Training) {
  fakeprop::MemoryQuestion question;
  question.training.emplace();
  EXPECT_THROW(EstimateMemory(RunSquare(), question), std::invalid_argument);
  // x, z, the gradient of z, that of y, and two of x, which are added.
  const AnnotatedGraph square = RunSquare(R"(, "requires_grad": true)");
  const fakeprop::MemoryEstimate memory = EstimateMemory(square, question);
  EXPECT_EQ(memory.node, "backward of y");
  EXPECT_EQ(memory.peak, 5 * 64);
  question.training->optimizer = "adamm";
  EXPECT_THROW(EstimateMemory(square, question), std::invalid_argument);
}

TEST(Estimates, Cost) {
  const AnnotatedGraph square = RunSquare();
  const fakeprop::CostEstimate cost = EstimateCost(square);
  EXPECT_EQ(Evaluate(cost.flops, {{"n", 4}}), 2 * 64 + 16);
  EXPECT_EQ(ToString(cost.flops_by_operator.at("aten.relu")), "n**2");
  EXPECT_TRUE(cost.uncounted.empty());
  // The product computes for 128 / 64 seconds, relu moves 128 bytes at 16 in a second.
  EXPECT_DOUBLE_EQ(LeastSeconds(square, 64, 16), 128 / 16. + 128 / 16.);
  EXPECT_DOUBLE_EQ(LeastSeconds(square, 1, 1000), 128 + 16);
}

TEST(Estimates, QuestionsThatDoNotFit) {
  const AnnotatedGraph square = RunSquare();
  EXPECT_THROW(EstimateMemory(square, {.sizes = {{"m", 1}}, .training = {}}), std::invalid_argument);
  EXPECT_THROW(EstimateMemory(square, {.sizes = {{"n", 1}}, .training = {}}), std::invalid_argument);
  EXPECT_THROW(LargestWithin(square, "m", 100), std::invalid_argument);
}

}  // namespace
