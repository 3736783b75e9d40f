// Messages carry PyTorch's own words, by which users search.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>

#include "lib/rules/testing/call_text.h"

namespace fakeprop::testing {
namespace {

// In lower case, as our messages begin.
std::string Plain(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

TEST(Words, AreThoseOfEager) {
  std::ifstream file("lib/rules/words.calls");
  int calls = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    const size_t arrow = line.find(" -> ");
    ASSERT_NE(arrow, std::string::npos) << line;
    const std::string ours = RunCall(line.substr(0, arrow), {}, /*with_message=*/true);
    EXPECT_NE(Plain(ours).find(Plain(line.substr(arrow + 4))), std::string::npos) << line << "\n  ours: " << ours;
    ++calls;
  }
  EXPECT_GE(calls, 200);
}

}  // namespace
}  // namespace fakeprop::testing
