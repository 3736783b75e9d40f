#include "lib/inputs/graph_guards.h"

#include <gtest/gtest.h>

namespace fakeprop {
namespace {

class GraphGuardsTest : public ::testing::Test {
 protected:
  // A graph with one input `x` of sizes [s0, s1, 3], and these guards.
  std::vector<std::string> Read(std::vector<std::string> guards) {
    Graph graph;
    graph.nodes.push_back({.name = "x", .op = NodeOp::kPlaceholder, .target = "x"});
    graph.inputs.push_back({.kind = InputKind::kUserInput, .node = 0});
    graph.guards = std::move(guards);
    ShapeEnv env;
    Sym rows = env.NewSymbol("s0", {2, 100}, 8, "x.size(0)"), columns = env.NewSymbol("s1", {2, 100}, 6, "x.size(1)");
    InputValue x;
    x.is_tensor = true;
    x.meta.sizes = {Dim::Of(rows), Dim::Of(columns), 3};
    x.meta.strides = {Dim::Of(columns) * 3, 3, 1};
    const GraphGuards read = ReadGraphGuards(graph, {x}, env);
    std::vector<std::string> texts;
    for (Sym condition : read.conditions) texts.push_back(ToString(condition));
    for (const std::string& text : read.unread) texts.push_back("unread: " + text);
    return texts;
  }
};

TEST_F(GraphGuardsTest, AreConditionsOverSizes) {
  EXPECT_EQ(Read({"L['x'].size()[0] <= 64"}), std::vector<std::string>{"s0 <= 64"});
  EXPECT_EQ(Read({"(L['x'].size()[1] % 4) == 0"}), std::vector<std::string>{"Eq(Mod(s1, 4), 0)"});
  EXPECT_EQ(Read({"L['x'].size()[1] == L['x'].size()[0]"}).size(), 1u);
  EXPECT_EQ(Read({"L['x'].size()[0] == 1 or L['x'].size()[1] == L['x'].size()[0]"}).size(), 1u);
  EXPECT_EQ(Read({"L['x'].stride()[0] == 12"}), std::vector<std::string>{"Eq(s1, 4)"});
}

TEST_F(GraphGuardsTest, AreWrittenInPython) {
  for (const char* text : {"4 <= L['x'].size()[0] <= 64", "max(1, (L['x'].size()[0] - 1) // 4) != 1",
           "math.floor(L['x'].size()[0] / 3) == 2", "torch.sym_max(L['x'].size()[0], 9) == 9",
           "not L['x'].size()[0] == 5"}) {
    const std::vector<std::string> read = Read({text});
    ASSERT_EQ(read.size(), 1u) << text;
    EXPECT_FALSE(read[0].starts_with("unread")) << read[0];
  }
}

TEST_F(GraphGuardsTest, WhatAlwaysHoldsIsLeftOut) {
  EXPECT_EQ(
      Read({"L['x'].size()[0] >= 2", "L['x'].size()[2] == 3", "L['x'].size()[0] <= 100"}), std::vector<std::string>());
}

TEST_F(GraphGuardsTest, WhatIsNotUnderstoodIsNamed) {
  for (const char* text : {"L['y'].size()[0] <= 64", "L['x'].dtype == torch.float32", "L['x'].size()[7] == 2",
           "L['x'] > 2", "L['x", "L['x'].size()[0]", "open('/etc/passwd')"})
    EXPECT_EQ(Read({text}), std::vector<std::string>{std::string("unread: ") + text});
}

}  // namespace
}  // namespace fakeprop
