// What Z3 makes of our expressions, against their values.
#include "lib/prove/solver.h"

#include <gtest/gtest.h>

#include "lib/prove/answer_with_z3.h"
#include "lib/prove/point.h"
#include "lib/symbolic/build.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

class Solving : public testing::Test {
 protected:
  Solving() {
    for (const char* name : {"s0", "s1"}) env_.NewSymbol(name, {2, Range::kNoHigh}, 16, "");
    env_.NewSymbol("n", {-20, 20}, 3, "");
    std::string reason;
    solver_ = Solver::Open(reason);
    EXPECT_TRUE(solver_) << reason;
    for (const SymbolInfo& symbol : env_.symbols()) solver_->Declare(symbol);
  }

  Sym Parse(std::string_view text) {
    Sym node = ParseSym(text, env_);
    EXPECT_TRUE(node) << text;
    return node;
  }

  // "always", "never", "both", or "?" where Z3 does not know.
  std::string Ask(std::string_view text) {
    Sym condition = Parse(text);
    const auto yes = solver_->Ask(solver_->Term(condition), {}, nullptr),
               no = solver_->Ask(solver_->Term(Not(condition)), {}, nullptr);
    if (no == Solver::Answer::kImpossible) return "always";
    if (yes == Solver::Answer::kImpossible) return "never";
    return yes == Solver::Answer::kPossible && no == Solver::Answer::kPossible ? "both" : "?";
  }

  ShapeEnv env_;
  std::unique_ptr<Solver> solver_;
};

TEST_F(Solving, Answers) {
  struct {
    const char* condition;
    const char* answer;
  } const rows[] = {
      {"s0 >= 2", "always"},
      {"s0 + 1 <= s0*s1", "always"},
      {"s0*s1 >= s0 + s1", "always"},
      {"Eq(s0*s1, 1)", "never"},
      {"Eq(s0, 7)", "both"},
      {"2*((s0 + 7)//8) <= (s0 + 3)//4 + 1", "always"},
      {"Eq(Mod(s0, 4), 0)", "both"},
      {"Eq(Mod(n, 3), -1)", "never"},
      {"(n//2)*2 <= n", "always"},
      {"Eq((n//-2), -((n + 1)//2))", "always"},
      {"Max(s0, s1) >= s1", "always"},
      {"Min(s0, s1, 5) <= 5", "always"},
      {"Where(s0 < s1, s0, s1) <= s0", "always"},
      {"Or(s0 < 5, s0 > 3)", "always"},
      {"And(s0 < 5, s0 > 5)", "never"},
      // Floats, where they are exact; else nothing is known.
      {"Eq(floor(2.0*ToFloat(s0)), 2*s0)", "always"},
      {"Eq(floor(0.5*ToFloat(s0)), s0//2)", "always"},
      {"Eq(ceiling(0.5*ToFloat(s0)), (s0 + 1)//2)", "always"},
      {"Eq(floor(IntTrueDiv(s0, 3)), s0//3)", "always"},
      {"Eq(TruncToInt(0.5*ToFloat(n)), n//2)", "both"},
      {"ToFloat(s0) >= 2.0", "always"},
      {"sqrt(ToFloat(s0)) >= 1.0", "both"},
  };
  for (const auto& row : rows) EXPECT_EQ(Ask(row.condition), row.answer) << row.condition;
}

TEST_F(Solving, ModelsAreValues) {
  for (const char* text :
      {"Eq(s0 + 2*s1, 41)", "Eq(n*n, 49)", "And(s0 > 1000, Eq(Mod(s0, 7), 3))", "n < -5", "Eq(s0*s1, 143)"}) {
    SymbolValues point;
    Sym condition = Parse(text);
    ASSERT_EQ(solver_->Ask(solver_->Term(condition), {"s0", "s1", "n"}, &point), Solver::Answer::kPossible) << text;
    EXPECT_TRUE(ValueAt(condition, point)->Truth()) << text;
  }
}

TEST_F(Solving, AssumptionsStay) {
  EXPECT_EQ(Ask("Eq(s0, s1)"), "both");
  solver_->Assume(Parse("Eq(s0, 2*s1)"));
  EXPECT_EQ(Ask("Eq(s0, s1)"), "never");
  EXPECT_EQ(Ask("Eq(Mod(s0, 2), 0)"), "always");
}

TEST_F(Solving, GivesUp) {
  SymbolValues point;
  EXPECT_EQ(Ask("Eq(s0**3 + s1**3, (n + 30)**3)"), "?");
}

TEST(Prover, GuardsThatHoldAreNoGuards) {
  ShapeEnv env;
  Sym s0 = env.NewSymbol("s0", {2, Range::kNoHigh}, 16, ""), s1 = env.NewSymbol("s1", {2, Range::kNoHigh}, 16, "");
  std::string reason;
  ASSERT_TRUE(AnswerWithZ3(env, reason)) << reason;
  EXPECT_TRUE(env.Guard(ParseSym("s0 + 1 <= s0*s1", env)));
  EXPECT_TRUE(env.guards().empty());
  EXPECT_TRUE(env.Guard(Less(s0, env.Integer(20))));
  EXPECT_FALSE(env.Guard(ParseSym("s0*s0 > 400", env)));
  EXPECT_EQ(env.guards().size(), 1u);
  // What was learned counts.
  EXPECT_FALSE(env.Guard(ParseSym("Eq(s0*s1, s1*20)", env)));
  EXPECT_EQ(env.guards().size(), 1u);
  EXPECT_TRUE(env.Guard(Equal(s0, s1)));
  EXPECT_EQ(env.guards().size(), 2u);
}

TEST(Points, LieInTheDomain) {
  ShapeEnv env;
  Sym a = env.NewSymbol("a", {3, 50}, 12, "");
  env.NewSymbol("b", {0, Range::kNoHigh}, 7, "");
  env.DeclareMultiple(a, 4);
  env.Assume(ParseSym("b <= a", env));
  const Domain domain = DomainOf(env);
  PointSource points(domain);
  int found = 0;
  for (int i = 0; i < 200; ++i) {
    const auto point = points.Next();
    if (!point) continue;
    ++found;
    EXPECT_EQ(point->at("a") % 4, 0);
    EXPECT_TRUE(point->at("a") >= 3 && point->at("a") <= 50 && point->at("b") <= point->at("a"));
  }
  EXPECT_GT(found, 50);
}

}  // namespace
}  // namespace fakeprop
