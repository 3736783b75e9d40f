#include "tools/cli/fits_name.h"

#include <fnmatch.h>
#include <gtest/gtest.h>

#include <random>
#include <string_view>

namespace fakeprop::cli {
namespace {

TEST(FitsNameTest, StandsForText) {
  EXPECT_TRUE(FitsName("layers.*.mlp", "layers.10.mlp"));
  EXPECT_TRUE(FitsName("layers.[0-4].*", "layers.3.mlp"));
  EXPECT_FALSE(FitsName("layers.[!0-4].*", "layers.3.mlp"));
  EXPECT_FALSE(FitsName("layers.?", "layers.10"));
  EXPECT_TRUE(FitsName("a\\*b", "a*b"));
  EXPECT_FALSE(FitsName("a\\*b", "axb"));
}

std::string RandomText(std::mt19937& random, std::string_view letters) {
  std::string text(random() % 9, ' ');
  for (char& c : text) c = letters[random() % letters.size()];
  return text;
}

// POSIX leaves open what a bracket without an end means.
bool IsDefined(const std::string& pattern) {
  const size_t bracket = pattern.rfind('[');
  return bracket == std::string::npos || pattern.find(']', bracket + 2) != std::string::npos;
}

TEST(FitsNameTest, AnswersAsFnmatch) {
  std::mt19937 random(1);
  for (int i = 0; i < 300'000; ++i) {
    const std::string pattern = RandomText(random, "aab*?[]!-\\"), name = RandomText(random, "aab[]!-\\");
    if (!IsDefined(pattern)) continue;
    EXPECT_EQ(FitsName(pattern, name), fnmatch(pattern.c_str(), name.c_str(), 0) == 0) << pattern << "  " << name;
  }
}

}  // namespace
}  // namespace fakeprop::cli
