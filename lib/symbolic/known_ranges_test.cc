#include "lib/symbolic/known_ranges.h"

#include <gtest/gtest.h>

#include "lib/symbolic/expression_arena.h"

namespace fakeprop {
namespace {

class Ranges : public testing::Test {
 protected:
  Ranges() {
    ranges_.Declare(s0_, {2, Range::kNoHigh});
    ranges_.Declare(s1_, {2, 64});
  }
  Sym Plus(Sym node, int64_t number) { return Add(node, arena_.Integer(number)); }

  ExpressionArena arena_;
  KnownConditions conditions_;
  KnownRanges ranges_{conditions_};
  Sym s0_ = arena_.Symbol("s0", SymType::kInt, 16, 0, 1);
  Sym s1_ = arena_.Symbol("s1", SymType::kInt, 8, 1, 2);
};

TEST_F(Ranges, FollowFromDeclarations) {
  EXPECT_EQ(ranges_.RangeOf(arena_.Integer(7)), Range::Of(7));
  EXPECT_EQ(ranges_.RangeOf(Plus(Scale(s1_, 2), 1)), (Range{5, 129}));
  EXPECT_EQ(ranges_.RangeOf(Multiply(s0_, s1_)), (Range{4, Range::kNoHigh}));
  EXPECT_EQ(ranges_.RangeOf(Modulo(s0_, s1_)), (Range{0, 63}));
  EXPECT_EQ(ranges_.RangeOf(RoundWith(SymOp::kCeilToInt, FloatArithmetic(SymOp::kFloatDiv, s1_, arena_.Integer(3)))),
      (Range{1, 22}));
}

TEST_F(Ranges, OfSumsAreNarrowed) {
  Sym sum = Add(s0_, s1_);
  EXPECT_EQ(ranges_.RangeOf(sum), (Range{4, Range::kNoHigh}));
  // 2*s0 + 2*s1 + 1 <= 100
  EXPECT_EQ(ranges_.Narrow(Plus(Scale(sum, 2), 1), {Range::kNoLow, 100}), sum);
  EXPECT_EQ(ranges_.RangeOf(sum), (Range{4, 49}));
  EXPECT_EQ(ranges_.RangeOf(Plus(Scale(sum, -1), 50)), (Range{1, 46}));
  EXPECT_EQ(ranges_.Narrow(arena_.Integer(3), {0, 5}), nullptr);
}

TEST_F(Ranges, UseWhichDivisionsAreExact) {
  Sym half = FloorDivide(s0_, arena_.Integer(2));
  // 2*(s0//2) - s0 is -1 or 0.
  Sym lost = Subtract(Scale(half, 2), s0_);
  EXPECT_EQ(ranges_.RangeOf(lost).low, -1);
  conditions_.Add(Equal(Modulo(s0_, arena_.Integer(2)), arena_.Integer(0)));
  ranges_.Expire();
  EXPECT_EQ(ranges_.RangeOf(lost), Range::Of(0));
}

}  // namespace
}  // namespace fakeprop
