#include "lib/symbolic/shape_env.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "lib/error/error.h"
#include "lib/symbolic/build.h"

namespace fakeprop {
namespace {

class Env : public testing::Test {
 protected:
  Env() {
    env_.NewSymbol("s0", {2, Range::kNoHigh}, 16, "x.size(0)");
    env_.NewSymbol("s1", {2, 64}, 8, "x.size(1)");
    env_.SetPlace({"nonzero", ""});
    env_.NewUnbacked(SymType::kInt, {0, Range::kNoHigh});
  }
  Sym Parse(std::string_view text) {
    Sym node = ParseSym(text, env_);
    EXPECT_TRUE(node) << text;
    return node;
  }
  // "true", "false", or "?" where it is not certain.
  std::string Static(std::string_view text) {
    auto truth = env_.Static(Parse(text));
    return !truth ? "?" : *truth ? "true" : "false";
  }
  std::string Guards() {
    std::string out;
    for (const GuardRecord& g : env_.guards()) out += (out.empty() ? "" : "; ") + ToString(g.expression);
    return out;
  }
  ShapeEnv env_;
};

TEST_F(Env, RangesDecide) {
  EXPECT_EQ(Static("Eq(s0, 1)"), "false");
  EXPECT_EQ(Static("s1 <= 64"), "true");
  EXPECT_EQ(Static("s1 < 64"), "?");
  EXPECT_EQ(Static("Eq(s0*s1, 0)"), "false");
  EXPECT_EQ(Static("Eq(s0*s1, s1)"), "false");
  EXPECT_EQ(Static("u0 >= 0"), "true");
  EXPECT_EQ(Static("Eq(u0, 1)"), "?");
  EXPECT_EQ(Static("s0 + u0 >= 2"), "true");
  EXPECT_EQ(Static("Eq((s1 - 1)//2 + 1, 0)"), "false");
  EXPECT_EQ(Static("sqrt(s0) > 1.0"), "true");
  EXPECT_EQ(Static("ceiling(ToFloat(s0 - 1)/1.5) >= 1"), "true");
  EXPECT_EQ(Static("ceiling(ToFloat(s0 - 1)/1.5) >= 2"), "?");
  EXPECT_EQ(Static("floor(ToFloat(s1)/1.5) <= 42"), "true");
  EXPECT_EQ(Static("floor(ToFloat(s1)/1.5) <= 41"), "?");
  EXPECT_EQ(Static("ceiling(-1.0*ToFloat(s0)/(-0.25)) >= 8"), "true");
  EXPECT_EQ(Static("TruncToInt(-0.5*ToFloat(s0)) <= -1"), "true");
  EXPECT_EQ(Static("TruncToInt(-0.5*ToFloat(u0)) <= 0"), "true");
  EXPECT_EQ(Static("ceiling(ToFloat(u0)/ToFloat(s0)) >= 0"), "true");
  EXPECT_EQ(Static("ceiling(ToFloat(s0 - 5)/2.0) >= -1"), "true");
  EXPECT_EQ(Guards(), "");
}

TEST_F(Env, TermsDecideTogether) {
  EXPECT_EQ(Static("s1 + 1 <= s0*s1"), "true");
  EXPECT_EQ(Static("s0*s1 <= s1"), "false");
  EXPECT_EQ(Static("s0**2 + 1 <= 16*s1*s0**2"), "true");
  EXPECT_EQ(Static("s0**2 + 1 <= s0*s1*4"), "?");
  EXPECT_EQ(Static("Eq(s0 + s1, s0*s1 + 1)"), "false");
  EXPECT_EQ(Static("s0*s1 <= 64*s0"), "true");
  EXPECT_EQ(Static("u0*s0 <= u0*s0*s1"), "true");
  EXPECT_EQ(Static("u0*s0 < u0*s0*s1"), "?");
  EXPECT_EQ(Static("s0//2 + 1 <= 2*s0"), "true");
  EXPECT_EQ(Static("s0//2 + s0//3 <= s0"), "true");
  EXPECT_EQ(Static("s1*(s0//2) <= s1*s0"), "true");
  EXPECT_EQ(Static("4*(s0//4) > s0"), "false");
  EXPECT_EQ(Static("Eq(s1*s0 + s1*Mod(-s0, 4), 4*s1*((s0 + Mod(-s0, 4))//4))"), "true");
  EXPECT_EQ(Static("Eq(s0, Min(s1, 64))"), "?");
  EXPECT_EQ(Static("Eq(s1, Min(s1, 64))"), "true");
  EXPECT_EQ(Static("s0 + u0 <= s0*u0"), "?");
  EXPECT_EQ(Guards(), "");
}

TEST_F(Env, HintsDecideAndAreRecorded) {
  EXPECT_TRUE(env_.Guard(Parse("s0 > 9")));
  EXPECT_EQ(Guards(), "s0 >= 10");
  EXPECT_FALSE(env_.Guard(Parse("Eq(s0, s1)")));
  EXPECT_TRUE(env_.Guard(Parse("s0 > 4")));
  EXPECT_EQ(Guards(), "s0 >= 10; Ne(s0, s1)");
  EXPECT_EQ(Static("Eq(s1, s0)"), "false");
  EXPECT_EQ(Static("s0 >= 10"), "true");
}

TEST_F(Env, EqualSymbolsAreOne) {
  EXPECT_TRUE(env_.Guard(Parse("Eq(s0, 2*s1)")));
  EXPECT_EQ(Static("Eq(4*s1, 2*s0)"), "true");
  EXPECT_EQ(Static("s0 <= 128"), "true");
  EXPECT_EQ(Static("Eq(Mod(s0, 2), 0)"), "true");
  EXPECT_EQ(env_.Simplify(Parse("s0 + 1"))->env, &env_);
}

TEST_F(Env, FactorsThatArePositiveAreNoPartOfAGuard) {
  EXPECT_TRUE(env_.Guard(Parse("s0*s1 <= 100*s1")));
  EXPECT_TRUE(env_.Guard(Parse("Eq(s0*s1, 16*s1)")));
  EXPECT_FALSE(env_.Guard(Parse("Eq(s1**3, 2*s1**2)")));
  EXPECT_EQ(Guards(), "s0 <= 100; Eq(s0, 16); Ne(s1, 2)");
  EXPECT_EQ(ToString(env_.Simplify(Parse("s0 + s1"))), "s1 + 16");
}

TEST_F(Env, NamesAreKept) {
  env_.KeepName(env_.FindSymbol("s1"));
  EXPECT_TRUE(env_.Guard(Parse("Eq(s0, 2*s1)")));
  EXPECT_EQ(ToString(env_.Simplify(Parse("s0 + 1"))), "2*s1 + 1");
  EXPECT_TRUE(env_.Guard(Parse("Eq(s1, 8)")));
  EXPECT_EQ(ToString(env_.Simplify(Parse("s0*s1"))), "2*s1**2");
  EXPECT_EQ(Static("Eq(s0*s1, 128)"), "true");
}

TEST_F(Env, DivisorsAreKnown) {
  EXPECT_TRUE(env_.Guard(Parse("Eq(Mod(s0, 8), 0)")));
  EXPECT_EQ(Static("Eq(Mod(s0, 4), 0)"), "true");
  EXPECT_EQ(Static("Eq(8*(s0//8), s0)"), "true");
  EXPECT_EQ(Static("s0 >= 8"), "true");
  EXPECT_EQ(ToString(env_.Simplify(Parse("s0"))), "s0");
  EXPECT_TRUE(env_.Guard(Parse("Eq(Mod(s0, 16), 0)")));
  EXPECT_EQ(Static("Eq(16*(s0//16), s0)"), "true");
}

// The quotient of s0 + s1//2 by 8 has s1 in it, so it does not take the place of s1 in results.
TEST_F(Env, QuotientsDoNotGoInCircles) {
  EXPECT_TRUE(env_.Expect(Parse("Eq(Mod(s0 + s1//2 + 4, 8), 0)")));
  EXPECT_TRUE(env_.Expect(Parse("Eq(s0 + s1//2 + 4, s1 + 16)")));
  EXPECT_EQ(Static("Eq(s0 + s1//2 + 4, s1 + 16)"), "true");
  EXPECT_EQ(ToString(env_.Simplify(Parse("s1"))), "s1");
}

TEST_F(Env, DivisorsOfProductsAreKnown) {
  EXPECT_TRUE(env_.Guard(Parse("Eq(Mod(s0**2 + s0, 2), 0)")));
  EXPECT_EQ(Static("Eq(2*((s0**2 + s0)//2), s0**2 + s0)"), "true");
  EXPECT_EQ(Static("2*((s0**2 + s0)//2) < s0**2 + s0"), "false");
  EXPECT_TRUE(env_.Guard(Parse("Eq(Mod(s1 + s1//2 + s1//3, 2), 0)")));
  EXPECT_EQ(Static("Eq(2*((s1 + s1//2 + s1//3)//2), s1 + s1//2 + s1//3)"), "true");
}

TEST_F(Env, BoundsOfSumsAreKnown) {
  EXPECT_TRUE(env_.Expect(Parse("u0 + s1 <= 100")));
  EXPECT_EQ(Static("u0 + s1 <= 101"), "true");
  EXPECT_EQ(Static("200 - 2*u0 - 2*s1 >= 0"), "true");
}

TEST_F(Env, DataDecides) {
  EXPECT_FALSE(env_.GuardOr(Parse("Eq(u0, 1)"), false));
  EXPECT_TRUE(env_.GuardOr(Parse("Eq(u0, 1)"), true));
  try {
    env_.Guard(Parse("Eq(u0, 1)"));
    FAIL();
  } catch (const OpError& e) {
    EXPECT_EQ(e.error_class(), ErrorClass::kDataDependentGuard);
    EXPECT_NE(e.message().find("`u0` comes from node `nonzero`"), std::string::npos) << e.message();
    EXPECT_NE(e.message().find("torch._check(u0 == 1)"), std::string::npos) << e.message();
  }
  EXPECT_TRUE(env_.Expect(Parse("u0 >= 2")));
  EXPECT_FALSE(env_.Guard(Parse("Eq(u0, 1)")));
  EXPECT_FALSE(env_.Expect(Parse("u0 < 2")));
  EXPECT_TRUE(env_.guards()[0].is_assertion);
}

// PyTorch puts no size that data decides in the place of another: what would be an error may still be answered.
TEST_F(Env, EqualitiesOfData) {
  for (int i = 0; i < 2; ++i) env_.NewUnbacked(SymType::kInt, {0, Range::kNoHigh});
  EXPECT_TRUE(env_.Expect(Parse("Eq(u0 + u1 + u2, s0)")));
  EXPECT_EQ(Static("u2 <= s0 - u1"), "?");
  EXPECT_FALSE(env_.GuardOr(Parse("u2 <= s0 - u1"), false));
  EXPECT_TRUE(env_.Guard(Parse("u2 <= s0 - u1")));
  EXPECT_TRUE(env_.Guard(Parse("Eq(2*u0 + 2*u1 + 2*u2, 2*s0)")));
  EXPECT_TRUE(env_.Expect(Parse("Eq(u0, 2*u2)")));  // u2 is s0 - u0 - u1: no circle
  EXPECT_TRUE(env_.Guard(Parse("Eq(4*u2, 2*u0)")));
  EXPECT_EQ(ToString(env_.Simplify(Parse("u0 + u2"))), "u0 + u2");
  EXPECT_EQ(env_.guards().size(), 2u);
}

TEST_F(Env, NotEqualAtTheEdgeNarrows) {
  EXPECT_TRUE(env_.Expect(Parse("Ne(u0, 0)")));
  EXPECT_EQ(Static("u0 >= 1"), "true");
}

TEST_F(Env, ContradictionsNameBothOrigins) {
  env_.SetPlace({"check", ""});
  env_.Learn(Parse("u0 <= 4"));
  env_.Expect(Parse("u0 >= 3"));
  env_.SetPlace({"other", ""});
  try {
    env_.Learn(Parse("u0 <= 2"));
    FAIL();
  } catch (const OpError& e) {
    EXPECT_EQ(e.message(), "`u0 <= 2` cannot hold here: it contradicts `u0 >= 3` at node `check`");
  }
  env_.Expect(Parse("s0 + u0 >= 9"));
  EXPECT_EQ(env_.DescribeContradiction(Parse("u0 <= 2")),
      "`u0 <= 2` cannot hold here: it contradicts `u0 >= 3` at node `check`");
  EXPECT_EQ(env_.DescribeContradiction(Parse("s0 + u0 <= 1")),
      "`s0 + u0 <= 1` cannot hold here: `s0` is at least 2 (x.size(0)), `u0` is at least 0 (node `nonzero`)");
}

TEST_F(Env, SpecializingIsAGuard) {
  EXPECT_EQ(env_.Specialize(Parse("2*s0")).integer, 32);
  EXPECT_EQ(Guards(), "Eq(s0, 16)");
  EXPECT_EQ(ToString(env_.Simplify(Parse("s0*s1"))), "16*s1");
}

// What is quadratic, or recursive, does not end well. By hand: FAKEPROP_GUARDS=1000000.
class ManyGuards : public testing::Test {
 protected:
  ManyGuards() {
    for (int i = 0; i < count_; ++i)
      symbols_.push_back(env_.NewSymbol("s" + std::to_string(i), {2, Range::kNoHigh}, 100, ""));
  }
  const int count_ = std::getenv("FAKEPROP_GUARDS") ? std::atoi(std::getenv("FAKEPROP_GUARDS")) : 20000;
  ShapeEnv env_;
  std::vector<Sym> symbols_;
};

TEST_F(ManyGuards, OfOrder) {
  for (int i = 1; i < count_; ++i) EXPECT_TRUE(env_.Guard(AtMost(symbols_[i - 1], symbols_[i])));
  EXPECT_EQ(env_.guards().size(), static_cast<size_t>(count_ - 1));
}

TEST_F(ManyGuards, OfEqualityFromTheFirst) {
  for (int i = 1; i < count_; ++i) EXPECT_TRUE(env_.Guard(Equal(symbols_[i - 1], symbols_[i])));
  EXPECT_EQ(env_.Simplify(symbols_.back()), symbols_.front());
}

TEST_F(ManyGuards, OfEqualityFromTheLast) {
  for (int i = count_ - 1; i > 0; --i) EXPECT_TRUE(env_.Guard(Equal(symbols_[i - 1], symbols_[i])));
  EXPECT_EQ(env_.Simplify(symbols_.back()), symbols_.front());
}

TEST_F(ManyGuards, OnTheSameSymbol) {
  for (int i = 1; i < count_; ++i) EXPECT_FALSE(env_.Guard(Equal(symbols_[0], Scale(symbols_[i], i + 1))));
  EXPECT_EQ(env_.guards().size(), static_cast<size_t>(count_ - 1));
}

}  // namespace
}  // namespace fakeprop
