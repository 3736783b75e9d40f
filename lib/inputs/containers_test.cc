// Inputs that are lists, tuples and dicts.
#include <gtest/gtest.h>

#include "lib/inputs/inputs.h"
#include "lib/inputs/testing/resolve_text.h"

namespace fakeprop {
namespace {

using testing::Resolve;
using testing::Spec;

const InputPart kTensor{InputType::kTensor, {}}, kInt{InputType::kInt, {}}, kString{InputType::kString, {}};

InputPart ListOf(InputPart item) { return {InputType::kList, {std::move(item)}}; }
InputPart DictOf(InputPart key, InputPart value) { return {InputType::kDict, {std::move(key), std::move(value)}}; }
InputPart TupleOf(std::vector<InputPart> items) { return {InputType::kTuple, std::move(items)}; }
InputPart OptionalOf(InputPart part) { return {InputType::kAny, {std::move(part)}}; }

// A graph with one input `x` of the type.
Graph GraphOf(const InputPart& part) {
  Graph graph;
  graph.source = "graph.pt";
  Node node;
  node.name = node.target = "x";
  node.op = NodeOp::kPlaceholder;
  graph.nodes.push_back(node);
  Input input;
  input.type = part.type;
  input.parts = part.parts;
  input.has_default = part.type == InputType::kAny;
  input.node = 0;
  graph.inputs.push_back(input);
  return graph;
}

struct Row {
  InputPart type;
  std::string entry;  // of the spec for x
  std::string expected;
};

TEST(Containers, Resolved) {
  const std::string kF32 = R"({"shape": [2], "dtype": "float32"})", kI8 = R"({"shape": [3], "dtype": "int8"})";
  const std::string kFirst = "%1: f32[2] on cpu strides [1]\n", kSecond = "%2: i8[3] on cpu strides [1]\n";
  const Row kRows[] = {
      {ListOf(kTensor), R"({"items": [)" + kF32 + ", " + kI8 + "]}", "x: [%1, %2]\n" + kFirst + kSecond},
      {ListOf(kTensor), R"({"items": []})", "x: []\n"},
      {DictOf(kString, kTensor), R"({"items": {"a": )" + kF32 + R"(, "b": )" + kI8 + "}}",
          "x: {\"a\": %1, \"b\": %2}\n" + kFirst + kSecond},
      {DictOf(kInt, kTensor), R"({"items": {"-3": )" + kF32 + "}}", "x: {-3: %1}\n" + kFirst},
      {TupleOf({kTensor, kInt}), R"({"items": [)" + kF32 + R"(, {"value": 4}]})", "x: (%1, %2)\n" + kFirst + "%2: 4\n"},
      {ListOf(ListOf(kTensor)), R"({"items": [{"items": [)" + kF32 + "]}]}",
          "x: [%1]\n%1: [%2]\n%2: f32[2] on cpu strides [1]\n"},
      {ListOf(kInt), R"({"value": [1, 2]})", "x: [1, 2]\n"},
      {ListOf({InputType::kFloat, {}}), R"({"value": [1, 2]})", "x: [1.0, 2.0]\n"},
      {DictOf(kString, kInt), R"({"value": {"a": 1}})", "x: {\"a\": 1}\n"},
      {TupleOf({kInt, kString}), R"({"value": [1, "a"]})", "x: (1, \"a\")\n"},
      {OptionalOf(TupleOf({kTensor, kTensor})), R"({"items": [)" + kF32 + ", " + kI8 + "]}",
          "x: (%1, %2)\n" + kFirst + kSecond},
      {OptionalOf(ListOf(kTensor)), "{}", "x: None\n"},
      {ListOf(OptionalOf(kTensor)), R"({"items": [{"value": null}, )" + kI8 + "]}",
          "x: [%1, %2]\n%1: None\n" + kSecond},
      {InputPart(), R"({"items": [)" + kF32 + "]}", "x: [%1]\n" + kFirst},
      {kString, R"({"value": "sum"})", "x: \"sum\"\n"},
      {{InputType::kDevice, {}}, R"({"value": "cuda"})", "x: cuda:0\n"},
      {ListOf(kTensor), R"({"items": [{"shape": [4], "dtype": "int8"}, {"view_of": "x[0]", "shape": [2]}]})",
          "x: [%1, %2]\n%1: i8[4] on cpu strides [1]\n%2: i8[2] on cpu strides [1] on the storage of %1\n"},
  };
  for (const Row& row : kRows)
    EXPECT_EQ(Resolve(GraphOf(row.type), Spec(R"({"x": )" + row.entry + "}")), row.expected) << row.entry;
}

TEST(Containers, Mistakes) {
  const Row kRows[] = {
      {ListOf(kTensor), "{}",
          "FP2008 the graph recorded nothing for `x`: an input spec has to give the shape and dtype of a tensor, the "
          "value of a number\n"},
      {ListOf(kTensor), R"({"items": [{}]})",
          "FP2008 the graph recorded nothing for `x[0]`: an input spec has to give the shape and dtype of a tensor, "
          "the value of a number\n"},
      {ListOf(kTensor), R"({"items": {"a": {}}})",
          "FP2003 /inputs/x/items: `x` is a list or tuple: its items have no keys\n"},
      {DictOf(kString, kTensor), R"({"items": []})", "FP2003 /inputs/x/items: `x` is a dict: its items have keys\n"},
      {DictOf(kInt, kInt), R"({"items": {"a": {"value": 1}}})",
          "FP2004 /inputs/x/items/a: the keys of this dict are integers, and `a` is none\n"},
      {TupleOf({kInt}), R"({"items": []})", "FP2003 /inputs/x/items: `x` is a tuple of 1 items, not 0\n"},
      {TupleOf({kInt}), R"({"value": [1, 2]})", "FP2003 /inputs/x/value: expected a tuple of 1 items but found 2\n"},
      {kTensor, R"({"items": []})", "FP2003 /inputs/x/items: `x` is no list, tuple or dict and has no `items`\n"},
      {ListOf(kTensor), R"({"value": [1]})",
          "FP2003 /inputs/x/value/0: a tensor stands here: `items` gives the shape and dtype of tensors in lists, "
          "tuples and dicts\n"},
      {ListOf(kTensor), R"({"items": 3})",
          "FP2001 /inputs/x/items: expected a list of inputs, or inputs by key but found 3\n"},
      {ListOf(kTensor), R"({"items": [], "shape": [1]})",
          "FP2003 /inputs/x/shape: `x` is no tensor: it has `items` and no `shape`\n"},
      {kString, R"({"value": 3})", "FP2001 /inputs/x/value: expected a string but found 3\n"},
  };
  for (const Row& row : kRows)
    EXPECT_EQ(Resolve(GraphOf(row.type), Spec(R"({"x": )" + row.entry + "}")), row.expected) << row.entry;
}

TEST(Containers, Template) {
  const std::pair<InputPart, std::string> kRows[] = {
      {ListOf(kTensor), R"({"items": [{"shape": [1], "dtype": "float32", "device": "cpu"}]})"},
      {DictOf(kString, ListOf(kInt)), R"({"items": {"key": {"items": [{"value": 1}]}}})"},
      {DictOf(kInt, kString), R"({"items": {"0": {"value": ""}}})"},
      {TupleOf({kInt, {InputType::kDevice, {}}}), R"({"items": [{"value": 1}, {"value": "cpu"}]})"},
  };
  for (const auto& [type, expected] : kRows) {
    const std::string spec = InputSpecTemplate(GraphOf(type));
    EXPECT_NE(spec.find("\"x\": " + expected + "\n"), std::string::npos) << spec;
    EXPECT_EQ(Resolve(GraphOf(type), spec).find("FP"), std::string::npos) << spec;
  }
}

}  // namespace
}  // namespace fakeprop
