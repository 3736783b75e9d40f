// A run gives back the ShapeEnv that it was lent: with new symbols, guards and facts, else as it was.
#include <gtest/gtest.h>

#include "lib/error/error.h"
#include "lib/inputs/inputs.h"
#include "lib/interpreter/annotations.h"
#include "lib/interpreter/run_graph.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

class LentShapeEnv : public testing::TestWithParam<std::string_view> {
 protected:
  LentShapeEnv() {
    Graph graph;
    graph.kind = GetParam();
    graph.nodes.push_back({.name = "output", .op = NodeOp::kOutput, .target = "output"});
    graph.nodes[0].arguments.push_back({"", Value(1)});
    EXPECT_TRUE(RunGraph(graph, {}, {.shape_env = env_}).diagnostics.empty());
  }

  const std::vector<std::string> names_ = {"n"};
  const std::shared_ptr<ShapeEnv> env_ = std::make_shared<ShapeEnv>();
  const ScopedShapeEnvSettings settings_{
      *env_, {.place = {"item", ""},
                 .namer = [this] { return &names_; },
                 .describer = [](const GraphPlace& place) { return "the place " + std::string(place.node); }}};
};

TEST_P(LentShapeEnv, MakesUnbackedSymbols) { EXPECT_TRUE(env_->makes_unbacked()); }

TEST_P(LentShapeEnv, HasItsPlaceNamerAndDescriber) {
  const Sym symbol = env_->NewUnbacked(SymType::kInt, {});
  EXPECT_EQ(symbol->name, "n");
  try {
    env_->Guard(Equal(symbol, env_->Integer(1)));
    ADD_FAILURE() << "no error";
  } catch (const OpError& e) {
    EXPECT_NE(e.message().find("`n` comes from the place item"), std::string::npos) << e.message();
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, LentShapeEnv, testing::Values(kFxKind, kTorchScriptKind));

}  // namespace
}  // namespace fakeprop
