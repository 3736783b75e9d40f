#include "lib/base/byte_count.h"

#include <gtest/gtest.h>

namespace fakeprop {
namespace {

TEST(ByteCount, IsReadWithUnits) {
  const std::pair<const char*, int64_t> kRows[] = {
      {"1000", 1000},
      {"24GiB", int64_t{24} << 30},
      {"24G", int64_t{24} << 30},
      {"24GB", 24'000'000'000},
      {"1.5T", (int64_t{3} << 40) / 2},
      {"512 KiB", 512 << 10},
      {"7B", 7},
  };
  for (const auto& [text, bytes] : kRows) EXPECT_EQ(ReadByteCount(text), bytes) << text;
  for (const char* text : {"", "0", "-1", "G", "1X", "1GiBs", "1e3", "0.1", "1 000", "99999999T"})
    EXPECT_EQ(ReadByteCount(text), std::nullopt) << text;
}

TEST(ByteCount, CountsHavePowersOfTen) {
  EXPECT_EQ(ReadCount("2T"), 2'000'000'000'000);
  EXPECT_EQ(ReadCount("312"), 312);
  EXPECT_EQ(ReadCount("2GiB"), std::nullopt);
}

TEST(ByteCount, IsWrittenWithUnits) {
  const std::pair<int64_t, const char*> kRows[] = {
      {0, "0 B"},
      {1023, "1023 B"},
      {1024, "1.0 KiB"},
      {336 << 10, "336.0 KiB"},
      {(int64_t{3} << 30) / 2, "1.5 GiB"},
      {INT64_MAX, "8.0 EiB"},
  };
  for (const auto& [bytes, text] : kRows) EXPECT_EQ(BytesText(bytes), text);
}

TEST(ByteCount, LimitsAreExact) {
  EXPECT_EQ(ExactBytesText(150 << 20), "150 MiB");
  EXPECT_EQ(ExactBytesText((150 << 20) + 1), "157286401 B");
  EXPECT_EQ(ExactBytesText(1000), "1000 B");
}

TEST(ByteCount, HasCommas) {
  const std::pair<int64_t, const char*> kRows[] = {
      {0, "0"}, {999, "999"}, {1000, "1,000"}, {50'087'936, "50,087,936"}, {-1000, "-1,000"}, {-999, "-999"}};
  for (const auto& [number, text] : kRows) EXPECT_EQ(WithCommas(number), text);
}

}  // namespace
}  // namespace fakeprop
