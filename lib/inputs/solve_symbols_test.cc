// The symbols of a graph that was recorded as dynamic: what gives them values, and what contradicts.
#include "lib/inputs/solve_symbols.h"

#include <gtest/gtest.h>

#include "lib/inputs/testing/resolve_text.h"

namespace fakeprop {
namespace {

using testing::ReadInputGraph;
using testing::Resolve;
using testing::Spec;

std::string Solve(std::string_view expression, int64_t number) {
  bool impossible = false;
  const auto value = SolveLinear(*ParseExpression(expression), "s0", {{"s1", 3}}, number, impossible);
  return value ? std::to_string(*value) : impossible ? "impossible" : "not linear";
}

TEST(SolveLinear, FindsTheOneInteger) {
  EXPECT_EQ(Solve("s0", 7), "7");
  EXPECT_EQ(Solve("8*s0", 16), "2");
  EXPECT_EQ(Solve("2*s0 + 1", 9), "4");
  EXPECT_EQ(Solve("s0*s1 - s1", 9), "4");
  EXPECT_EQ(Solve("8*s0", 17), "impossible");
  EXPECT_EQ(Solve("s0**2", 16), "not linear");
  EXPECT_EQ(Solve("s0*s2", 16), "not linear");
}

TEST(Symbols, TakeTheValuesThatShapesGive) {
  Graph graph = ReadInputGraph("dynamic");
  // mask's own strides, y and x follow from s77 = 6, s53 = 9.
  EXPECT_EQ(Resolve(graph, Spec(R"({"mask": {"shape": [6, 9]}, "n": {"value": 1}})"), "x mask y z"),
      "x: f32[6, 3] on cpu strides [3, 1]\n"
      "mask: b8[6, 9] on cpu strides [9, 1]\n"
      "y: f32[12] on cpu strides [1]\n"
      "z: f32[4, 6] on cpu strides [1, 4] offset 2\n");
  // 2*s77 = 10 gives s77; mask follows where its dtype alone is given.
  EXPECT_EQ(Resolve(graph, Spec(R"({"y": {"shape": [10]}, "mask": {"shape": [5, 4]}, "n": {"value": 1}})"), "x"),
      "x: f32[5, 3] on cpu strides [3, 1]\n");
  // Another rank says nothing about symbols.
  EXPECT_EQ(Resolve(graph, Spec(R"({"y": {"shape": [10, 1]}, "mask": {"shape": [6, 4]}, "n": {"value": 1}})"), "x y"),
      "x: f32[6, 3] on cpu strides [3, 1]\ny: f32[10, 1] on cpu strides [1, 1]\n");
}

TEST(Symbols, WithoutAValue) {
  Graph graph = ReadInputGraph("dynamic");
  const std::string specs = "FP2006 /graph_module/signature/input_specs";
  EXPECT_EQ(Resolve(graph, ""), specs +
                                    "/1: input `x`: dimension 0 is `s77`, and nothing gives `s77` a value: "
                                    "give `\"x\": {\"shape\": [...]}` in the input spec\n" +
                                    specs +
                                    "/2: input `mask`: dimension 1 is `s53`, and nothing gives `s53` a value: "
                                    "give `\"mask\": {\"shape\": [...]}` in the input spec\n" +
                                    specs +
                                    "/6: input `n`: its value is `s86`, and nothing gives `s86` a value: "
                                    "give `\"n\": {\"value\": ...}` in the input spec\n");
  EXPECT_EQ(Resolve(graph, Spec(R"({"x": {"shape": [6, 3]}, "mask": {"dtype": "float32"}, "n": {"value": 1}})")),
      "FP2006 /inputs/mask: input `mask`: dimension 1 is `s53`, and nothing gives `s53` a value: "
      "give `\"mask\": {\"shape\": [...]}` in the input spec\n");
}

TEST(Symbols, Contradictions) {
  const std::pair<std::string, std::string> kRows[] = {
      {R"({"x": {"shape": [6, 3]}, "mask": {"shape": [7, 9]}})",
          "/inputs/mask/shape/0: dimension 0 of `mask` is 7 but the graph recorded `s77`, "
          "and `s77` is 6 by dimension 0 of `x`"},
      {R"({"x": {"shape": [6, 3]}, "y": {"shape": [11]}})",
          "/inputs/y/shape/0: dimension 0 of `y` is 11 but the graph recorded `2*s77`, "
          "and `s77` is 6 by dimension 0 of `x`"},
      {R"({"y": {"shape": [11]}})",
          "/inputs/y/shape/0: dimension 0 of `y` is 11 but the graph recorded `2*s77`, which is that for no `s77`"},
      {R"({"x": {"shape": [65, 3]}})",
          "/inputs/x/shape/0: `s77` is 65 by dimension 0 of `x`, which makes `2*s77` 130; "
          "the graph wants it from 4 to 100"},
      {R"({"mask": {"shape": [6, 3]}})",
          "/inputs/mask/shape/1: `s53` is 3 by dimension 1 of `mask`, which makes `s53` 3; "
          "the graph wants it at least 4"},
  };
  Graph graph = ReadInputGraph("dynamic");
  for (const auto& [inputs, expected] : kRows)
    EXPECT_EQ(Resolve(graph, Spec(inputs)), "FP2007 " + expected + "\n") << inputs;
}

TEST(Symbols, LowerBoundOfTwoIsNotEnforced) {
  Graph graph = ReadInputGraph("dynamic");
  graph.ranges.erase("2*s77");
  EXPECT_EQ(Resolve(graph, Spec(R"({"x": {"shape": [1, 3]}, "mask": {"shape": [1, 4]}, "n": {"value": 1}})"), "y"),
      "y: f32[2] on cpu strides [1]\n");
}

}  // namespace
}  // namespace fakeprop
