#include "lib/meta/lists.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace fakeprop {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min(), kMax = std::numeric_limits<int64_t>::max();

std::string Slice(std::optional<int64_t> start, std::optional<int64_t> stop, int64_t step) {
  const std::string text = "abcde";
  const PythonRange places = PlacesOfSlice(start, stop, step, static_cast<int64_t>(text.size()));
  std::string taken;
  for (uint64_t i = 0; i < places.size(); ++i) taken += text[static_cast<size_t>(places[i])];
  return taken;
}

TEST(PythonRange, TakesWhatPythonTakes) {
  EXPECT_EQ(Slice({}, {}, 1), "abcde");
  EXPECT_EQ(Slice({}, {}, -1), "edcba");
  EXPECT_EQ(Slice(1, -1, 2), "bd");
  EXPECT_EQ(Slice(-2, 0, -2), "db");
  EXPECT_EQ(Slice(4, 1, 1), "");
  EXPECT_EQ(Slice(9, {}, 1), "");
}

TEST(PythonRange, TakesTheEndsOfInt64) {
  EXPECT_EQ(Slice(1, {}, kMax), "b");
  EXPECT_EQ(Slice({}, {}, kMin), "e");
  EXPECT_EQ(Slice(kMin, kMax, 2), "ace");
  EXPECT_EQ(Slice(kMax, kMin, -2), "eca");
}

TEST(PythonRange, CountsWithoutOverflow) {
  EXPECT_EQ((PythonRange{kMin, kMax, 1}.size()), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ((PythonRange{kMax - 1, kMax, kMax}.size()), 1u);
  EXPECT_EQ((PythonRange{kMax, kMin, kMin}.size()), 2u);
  EXPECT_EQ((PythonRange{kMax, kMin, kMin}[1]), -1);
  EXPECT_EQ((PythonRange{0, 10, -1}.size()), 0u);
}

}  // namespace
}  // namespace fakeprop
