#include "lib/torchscript/script_names.h"

#include <gtest/gtest.h>

#include "lib/torchscript/script_captures.h"

namespace fakeprop {
namespace {

TEST(UniqueNames, ANumberIsAppendedToWhatIsThere) {
  UniqueNames names;
  EXPECT_EQ(names.Make("add"), "add");
  EXPECT_EQ(names.Make("add"), "add_1");
  EXPECT_EQ(names.Make("add_2"), "add_2");
  EXPECT_EQ(names.Make("add"), "add_3");
}

TEST(PlainName, NumbersThatMakeUniqueGo) {
  EXPECT_EQ(PlainName("input.7"), "input");
  EXPECT_EQ(PlainName("input0.1"), "input0");
  EXPECT_EQ(PlainName("28"), "v28");
  EXPECT_EQ(PlainName("x"), "x");
}

ScriptNode MakeNode(std::vector<int32_t> inputs, std::vector<int32_t> outputs, std::vector<ScriptBlock> blocks = {}) {
  ScriptNode node;
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  node.blocks = std::move(blocks);
  return node;
}

TEST(ScriptCaptures, WhatInnerBlocksUseCountsToo) {
  ScriptBlock inner{{}, {3}, {}};
  inner.nodes.push_back(MakeNode({1, 4}, {5}));
  ScriptBlock outer{{4}, {6}, {}};
  outer.nodes.push_back(MakeNode({2, 4}, {3}));
  outer.nodes.push_back(MakeNode({7}, {6}, {inner}));
  const ScriptNode node = MakeNode({0}, {8}, {outer});
  EXPECT_EQ(ScriptCaptures().Of(node), (std::vector<int32_t>{2, 7, 1}));
}

}  // namespace
}  // namespace fakeprop
