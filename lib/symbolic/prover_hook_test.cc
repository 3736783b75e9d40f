#include "lib/symbolic/prover_hook.h"

#include <gtest/gtest.h>

#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

TEST(ProverHook, HasNoAnswerWithoutAProver) {
  ShapeEnv env;
  ProverHook hook;
  EXPECT_EQ(hook.Ask(env.Truth(true)), std::nullopt);
  hook.Set([](Sym condition) { return std::optional(condition->integer != 0); });
  EXPECT_EQ(hook.Ask(env.Truth(true)), true);
  EXPECT_EQ(hook.Ask(env.Truth(false)), false);
}

// The environment asks what it can't decide, and learns the answer without a guard.
TEST(ProverHook, AnswersBeforeHintsDo) {
  ShapeEnv env;
  Sym s0 = env.NewSymbol("s0", {2, Range::kNoHigh}, 16, "x.size(0)");
  std::vector<std::string> asked;
  env.SetProver([&](Sym condition) {
    asked.push_back(ToString(condition));
    return asked.size() == 1 ? std::optional(false) : std::nullopt;
  });
  EXPECT_TRUE(env.Guard(AtMost(env.Integer(2), s0)));
  EXPECT_FALSE(env.Guard(Equal(s0, env.Integer(16))));
  EXPECT_FALSE(env.Guard(Equal(s0, env.Integer(16))));
  EXPECT_TRUE(env.guards().empty());
  EXPECT_TRUE(env.Guard(AtMost(s0, env.Integer(20))));
  EXPECT_EQ(asked, (std::vector<std::string>{"Eq(s0, 16)", "s0 <= 20"}));
  EXPECT_EQ(env.guards().size(), 1u);
}

}  // namespace
}  // namespace fakeprop
