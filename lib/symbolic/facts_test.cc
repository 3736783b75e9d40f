#include "lib/symbolic/facts.h"

#include <gtest/gtest.h>

#include "lib/symbolic/expression_arena.h"
#include "lib/symbolic/symbol_table.h"

namespace fakeprop {
namespace {

class FactsTest : public testing::Test {
 protected:
  Sym Declare(const std::string& name, std::optional<int64_t> hint, Range range) {
    const int64_t index = symbols_.NextIndex();
    Sym symbol = arena_.Symbol(name, SymType::kInt, hint, index, uint64_t{1} << index);
    symbols_.Add({.node = symbol, .range = range, .hint = hint, .is_unbacked = !hint});
    facts_.Declare(symbol, range);
    return symbol;
  }
  Sym Number(int64_t value) { return arena_.Integer(value); }
  std::optional<bool> Answer(Sym condition) { return facts_.Answer(condition, Reach::kQuestions); }

  ExpressionArena arena_;
  SymbolTable symbols_;
  Facts facts_{arena_, symbols_};
  Sym s0_ = Declare("s0", 16, {2, Range::kNoHigh});
  Sym s1_ = Declare("s1", 8, {2, 64});
  Sym u0_ = Declare("u0", std::nullopt, {0, Range::kNoHigh});
};

TEST_F(FactsTest, AnswerWithoutHints) {
  EXPECT_EQ(Answer(AtMost(s1_, Number(64))), true);
  EXPECT_EQ(Answer(Equal(s0_, Number(1))), false);
  EXPECT_EQ(Answer(Equal(s0_, Number(16))), std::nullopt);
}

TEST_F(FactsTest, AreLearnedOnce) {
  EXPECT_EQ(facts_.Learn(AtMost(s0_, Number(10))), nullptr);
  EXPECT_EQ(facts_.Learn(AtMost(s0_, Number(20))), nullptr);
  EXPECT_EQ(facts_.learned().size(), 1u);
  EXPECT_EQ(facts_.ranges().RangeOf(s0_), (Range{2, 10}));
  Sym differ = Not(Equal(s0_, s1_));
  EXPECT_EQ(facts_.Learn(differ), nullptr);
  EXPECT_TRUE(facts_.conditions().Holds(differ));
  EXPECT_EQ(Answer(Equal(s1_, s0_)), false);
}

TEST_F(FactsTest, NameTheContradictingPart) {
  Sym small = AtMost(s0_, Number(10)), large = AtMost(Number(12), s0_);
  EXPECT_EQ(facts_.Learn(And(small, large)), large);
  EXPECT_EQ(Answer(small), true);
}

TEST_F(FactsTest, LaterSymbolsGiveWay) {
  EXPECT_EQ(facts_.Learn(Equal(s0_, s1_)), nullptr);
  EXPECT_EQ(facts_.Substitute(s1_, Reach::kResults), s0_);
  EXPECT_EQ(facts_.ranges().RangeOf(s0_), (Range{2, 64}));
}

TEST_F(FactsTest, AKeptNameStaysInResults) {
  symbols_.InfoOf(s1_).keeps_name = true;
  EXPECT_EQ(facts_.Learn(Equal(s0_, s1_)), nullptr);
  EXPECT_EQ(facts_.Substitute(s1_, Reach::kResults), s1_);
  EXPECT_EQ(Answer(Equal(s0_, s1_)), true);
}

TEST_F(FactsTest, DataStandsInOnlyForErrors) {
  Sym u1 = Declare("u1", std::nullopt, {0, Range::kNoHigh});
  EXPECT_EQ(facts_.Learn(Equal(u1, Add(u0_, s0_))), nullptr);
  Sym follows = AtMost(u1, Add(u0_, s0_));
  EXPECT_EQ(facts_.Substitute(u1, Reach::kQuestions), u1);
  EXPECT_EQ(facts_.Answer(follows, Reach::kErrors), true);
}

TEST_F(FactsTest, MultiplesHaveAHiddenQuotient) {
  EXPECT_EQ(facts_.Learn(Equal(Modulo(s0_, Number(8)), Number(0))), nullptr);
  EXPECT_EQ(Answer(Equal(Modulo(s0_, Number(4)), Number(0))), true);
  EXPECT_EQ(Answer(AtMost(Number(8), s0_)), true);
  EXPECT_EQ(facts_.Substitute(s0_, Reach::kResults), s0_);
}

}  // namespace
}  // namespace fakeprop
