#include "lib/base/suggest.h"

#include <gtest/gtest.h>

namespace fakeprop {
namespace {

TEST(Nearest, IsNearEnoughOrNothing) {
  const std::vector<std::string> words = {"--inputs", "--output", "--keep-going", "--color"};
  EXPECT_EQ(Nearest("--inptus", words), "--inputs");
  EXPECT_EQ(Nearest("--keep", words), "--keep-going");
  EXPECT_EQ(Nearest("--colour", words), "--color");
  EXPECT_EQ(Nearest("--max-memory", words), "");
  EXPECT_EQ(Nearest("x", words), "");
  EXPECT_EQ(Nearest("", words), "");
  EXPECT_EQ(Nearest("z", {"x", "y"}), "");
  EXPECT_EQ(Nearest("xs", {"x", "ids"}), "x");
  EXPECT_EQ(Nearest("X", {"y", "x"}), "x");
}

TEST(Nearest, IsAskedAsAQuestion) {
  EXPECT_EQ(DidYouMean("cuda"), "did you mean `cuda`?");
  EXPECT_EQ(DidYouMean(""), "");
}

}  // namespace
}  // namespace fakeprop
