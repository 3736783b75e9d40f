#include "lib/torchscript/code_limits.h"

#include <gtest/gtest.h>

namespace fakeprop {
namespace {

std::string Repeat(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(CodeLimits, OrdinaryCodePasses) {
  EXPECT_EQ(FindExcess("def f(self, x: Tensor) -> Tensor:\n  y = torch.add(x, 1)\n  return y\n"), "");
  EXPECT_EQ(FindExcess("c = [" + Repeat("1 + 2, ", 100000) + "]\n"), "");  // long, not deep
  EXPECT_EQ(FindExcess("s = \"" + Repeat("((((", 5000) + "\"\n# " + Repeat("((((", 5000)), "");
  EXPECT_EQ(FindExcess(Repeat("y = x + 1\n", 100000)), "");
  EXPECT_EQ(FindExcess(""), "");
}

TEST(CodeLimits, WhatIsNestedTooDeeplyIsTold) {
  EXPECT_EQ(FindExcess("\ny = " + Repeat("(", 2000)), "line 2 has brackets nested more than 1000 deep");
  EXPECT_EQ(FindExcess("y = x" + Repeat(" + x", 6000)), "line 1 has more than 5000 operators in one expression");
  EXPECT_EQ(FindExcess("y = " + Repeat("not ", 6000) + "x"), "line 1 has more than 5000 operators in one expression");
  EXPECT_EQ(FindExcess("y = x" + Repeat(".a", 6000)), "line 1 has more than 5000 operators in one expression");
  EXPECT_EQ(FindExcess("if a:\n" + std::string(900, ' ') + "b\n"), "line 2 has blocks nested more than 400 deep");
}

}  // namespace
}  // namespace fakeprop
