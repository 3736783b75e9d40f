#include "lib/annotations/conditions.h"

#include <gtest/gtest.h>

#include "lib/symbolic/build.h"

namespace fakeprop {
namespace {

TEST(Conditions, AreTheGuardsThatHintsAnswered) {
  ShapeEnv env;
  env.NewSymbol("n", {1, 100}, 8, "x.size(0)");
  env.NewUnbacked(SymType::kInt, {0, Range::kNoHigh});
  EXPECT_EQ(ConditionsText(ConditionsOf(&env)), "");
  env.SetPlace({"view", "  File \"model.py\", line 9, in forward\n    y = x.view(2, -1)\n"});
  EXPECT_TRUE(env.Guard(ParseSym("n >= 1", env)));
  EXPECT_TRUE(env.Guard(ParseSym("Eq(Mod(n, 2), 0)", env)));
  EXPECT_EQ(ConditionsText(ConditionsOf(&env)),
      "holds only where 1 guard does, as at n = 8\n  Eq(Mod(n, 2), 0)     node `view`, model.py:9\n");
  EXPECT_EQ(SymbolRangesText(&env), "n from 1 to 100, u0 at least 0 (data decides)");
}

TEST(Conditions, ManyAreCounted) {
  Conditions conditions{.hints = "n = 8", .guards = {}};
  for (int i = 0; i < 12; ++i) conditions.guards.push_back({"Ne(n, " + std::to_string(i) + ")", ""});
  const std::string text = ConditionsText(conditions);
  EXPECT_NE(text.find("only where 12 guards do, as at n = 8\n  Ne(n, 0)\n"), std::string::npos);
  EXPECT_NE(text.find("  Ne(n, 4)\n  and 7 more, which the annotations list\n"), std::string::npos);
}

TEST(Conditions, NoEnvironmentHasNone) {
  EXPECT_TRUE(ConditionsOf(nullptr).guards.empty());
  EXPECT_EQ(SymbolRangesText(nullptr), "");
}

}  // namespace
}  // namespace fakeprop
