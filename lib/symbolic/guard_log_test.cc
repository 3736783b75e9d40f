#include "lib/symbolic/guard_log.h"

#include <gtest/gtest.h>

#include "lib/symbolic/expression_arena.h"

namespace fakeprop {
namespace {

TEST(GuardLog, KeepsTheFirstRecordOfACondition) {
  ExpressionArena arena;
  Sym s0 = arena.Symbol("s0", SymType::kInt, 4, 0, 1);
  Sym large = AtMost(arena.Integer(3), s0), small = AtMost(s0, arena.Integer(9));
  GuardLog log;
  log.Record({.expression = large, .place = {"view", ""}});
  log.Record({.expression = small, .place = {"add", ""}, .is_assertion = true});
  log.Record({.expression = large, .place = {"mul", ""}, .is_declared = true});
  ASSERT_EQ(log.records().size(), 2u);
  EXPECT_EQ(log.records()[0].expression, large);
  EXPECT_EQ(log.records()[0].place.node, "view");
  EXPECT_FALSE(log.records()[0].is_declared);
  EXPECT_EQ(log.records()[1].expression, small);
  EXPECT_TRUE(log.records()[1].is_assertion);
}

}  // namespace
}  // namespace fakeprop
