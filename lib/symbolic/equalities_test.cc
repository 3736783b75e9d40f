#include "lib/symbolic/equalities.h"

#include <gtest/gtest.h>

#include "lib/symbolic/expression_arena.h"

namespace fakeprop {
namespace {

class EqualitiesTest : public testing::Test {
 protected:
  Sym Symbol(int64_t index) {
    return arena_.Symbol("s" + std::to_string(index), SymType::kInt, 4, index, uint64_t{1} << index);
  }
  ExpressionArena arena_;
  Equalities equalities_;
  Sym s0_ = Symbol(0), s1_ = Symbol(1), s2_ = Symbol(2);
};

TEST_F(EqualitiesTest, LeaveOtherExpressionsAlone) {
  Sym sum = Add(s0_, s1_);
  EXPECT_EQ(equalities_.Substitute(sum, Reach::kErrors), sum);
  equalities_.Replace(s2_, s0_, Reach::kResults);
  EXPECT_EQ(equalities_.Substitute(sum, Reach::kErrors), sum);
}

TEST_F(EqualitiesTest, ReachAllWiderUses) {
  equalities_.Replace(s1_, Scale(s0_, 2), Reach::kQuestions);
  Sym sum = Add(s0_, s1_);
  EXPECT_EQ(equalities_.Substitute(sum, Reach::kResults), sum);
  EXPECT_EQ(equalities_.Substitute(sum, Reach::kQuestions), Scale(s0_, 3));
  EXPECT_EQ(equalities_.Substitute(sum, Reach::kErrors), Scale(s0_, 3));
  equalities_.Replace(s2_, s0_, Reach::kResults, Reach::kResults);
  EXPECT_EQ(equalities_.Substitute(s2_, Reach::kResults), s0_);
  EXPECT_EQ(equalities_.Substitute(s2_, Reach::kQuestions), s2_);
}

TEST_F(EqualitiesTest, FollowChains) {
  equalities_.Replace(s2_, Add(s1_, arena_.Integer(1)), Reach::kResults);
  Sym remainder = Modulo(s2_, s0_);
  EXPECT_EQ(ToString(equalities_.Substitute(remainder, Reach::kResults)), "Mod(s1 + 1, s0)");
  equalities_.Replace(s1_, Scale(s0_, 4), Reach::kResults);
  EXPECT_EQ(ToString(equalities_.Substitute(remainder, Reach::kResults)), "Mod(1, s0)");
}

TEST_F(EqualitiesTest, TellWhatLeadsToASymbol) {
  equalities_.Replace(s2_, Modulo(s1_, arena_.Integer(4)), Reach::kQuestions);
  EXPECT_TRUE(equalities_.LeadsTo(Add(s0_, s2_), s1_, Reach::kErrors));
  EXPECT_TRUE(equalities_.LeadsTo(Add(s0_, s2_), s2_, Reach::kErrors));
  EXPECT_FALSE(equalities_.LeadsTo(Add(s0_, s2_), s1_, Reach::kResults));
  EXPECT_FALSE(equalities_.LeadsTo(s1_, s2_, Reach::kErrors));
}

}  // namespace
}  // namespace fakeprop
