#include "lib/symbolic/expression_arena.h"

#include <gtest/gtest.h>

#include "lib/error/error.h"

namespace fakeprop {
namespace {

class Arena : public testing::Test {
 protected:
  ExpressionArena arena_;
  Sym s0_ = arena_.Symbol("s0", SymType::kInt, 6, 0, 1);
  Sym u0_ = arena_.Symbol("u0", SymType::kInt, std::nullopt, 1, 2);
};

TEST_F(Arena, EqualExpressionsAreOneNode) {
  EXPECT_EQ(arena_.Integer(3), arena_.Integer(3));
  EXPECT_NE(arena_.Integer(3), arena_.Integer(4));
  EXPECT_NE(arena_.Integer(1), arena_.Truth(true));
  EXPECT_EQ(arena_.Constant(SymNumber::Of(0.5)), arena_.Constant(SymNumber::Of(0.5)));
  EXPECT_NE(arena_.Constant(SymNumber::Of(0.0)), arena_.Constant(SymNumber::Of(-0.0)));
  EXPECT_EQ(Add(s0_, u0_), Add(u0_, s0_));
  EXPECT_EQ(Add(s0_, u0_)->arena, &arena_);
}

TEST_F(Arena, SymbolsOfOneNameDifferByIndex) {
  EXPECT_NE(arena_.Symbol("s0", SymType::kInt, 6, 2, 4), s0_);
  EXPECT_EQ(arena_.Symbol("s0", SymType::kInt, 6, 0, 1), s0_);
}

TEST_F(Arena, FollowsHintsAndSymbols) {
  Sym product = Multiply(s0_, arena_.Integer(7));
  ASSERT_TRUE(product->hint);
  EXPECT_EQ(product->hint->integer, 42);
  EXPECT_EQ(product->symbols, 1u);
  EXPECT_FALSE(product->is_unbacked);
  Sym sum = Add(product, u0_);
  EXPECT_FALSE(sum->hint);
  EXPECT_EQ(sum->symbols, 3u);
  EXPECT_TRUE(sum->is_unbacked);
  EXPECT_LT(product->id, sum->id);
}

TEST_F(Arena, LeavesOutAHintBeyond64Bits) {
  Sym large = arena_.Symbol("s1", SymType::kInt, int64_t{1} << 62, 2, 4);
  EXPECT_FALSE(Multiply(large, large)->hint);
}

TEST_F(Arena, TooDeepIsAnError) {
  Sym node = s0_;
  try {
    for (int i = 0; i < 500; ++i) node = Modulo(Add(node, arena_.Integer(i)), u0_);
    FAIL();
  } catch (const OpError& e) {
    EXPECT_EQ(e.error_class(), ErrorClass::kOverflow);
    EXPECT_EQ(e.message(), "an expression over sizes has grown beyond 32768 parts");
  }
}

}  // namespace
}  // namespace fakeprop
