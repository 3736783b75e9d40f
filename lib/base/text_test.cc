#include <gtest/gtest.h>

#include <limits>

#include "lib/base/json_text.h"
#include "lib/base/utf8.h"

namespace fakeprop {
namespace {

std::string StringText(std::string_view text) {
  std::string out;
  WriteString(text, out);
  return out;
}

std::string FloatText(double value) {
  std::string out;
  WriteFloat(value, out);
  return out;
}

TEST(JsonText, Strings) {
  EXPECT_EQ(StringText(""), R"("")");
  EXPECT_EQ(StringText("a\"b\\c\n\t\r\x01"), R"("a\"b\\c\n\t\r\u0001")");
  EXPECT_EQ(StringText("größe 大"), "\"größe 大\"");
  EXPECT_EQ(StringText("a\xff"
                       "b\xe5\xa4"),
      "\"a\xef\xbf\xbd"
      "b\xef\xbf\xbd\xef\xbf\xbd\"");
}

TEST(JsonText, FloatsHaveAPointOrAnExponent) {
  EXPECT_EQ(FloatText(1), "1.0");
  EXPECT_EQ(FloatText(-0.0), "-0.0");
  EXPECT_EQ(FloatText(0.1), "0.1");
  EXPECT_EQ(FloatText(1e22), "1e+22");
  EXPECT_EQ(FloatText(1e-05), "1e-05");
  EXPECT_EQ(FloatText(16777216.0), "16777216.0");
  EXPECT_EQ(FloatText(std::numeric_limits<double>::infinity()), R"({"type": "float", "value": "Infinity"})");
  EXPECT_EQ(FloatText(-std::numeric_limits<double>::infinity()), R"({"type": "float", "value": "-Infinity"})");
  EXPECT_EQ(FloatText(std::numeric_limits<double>::quiet_NaN()), R"({"type": "float", "value": "NaN"})");
}

TEST(Utf8, Width) {
  EXPECT_EQ(DisplayWidth("abc"), 3u);
  EXPECT_EQ(DisplayWidth("größe"), 5u);
  EXPECT_EQ(DisplayWidth("大小"), 4u);
  EXPECT_EQ(DisplayWidth("e\xcc\x81"), 1u);  // e and a combining accent
  EXPECT_EQ(DisplayWidth("\xf0\x9f\x94\xa5"), 2u);
  EXPECT_EQ(DisplayWidth("\xff\xff"), 2u);
}

TEST(Utf8, TruncatesAtWholeCharacters) {
  EXPECT_EQ(Truncate("abcdef", 6), "abcdef");
  EXPECT_EQ(Truncate("abcdef", 4), "abc…");
  EXPECT_EQ(Truncate("大小大小", 6), "大小…");
  EXPECT_EQ(Truncate("abc", 1), "…");
  EXPECT_EQ(Truncate("abc", 0), "");
}

TEST(Utf8, RefusesWhatIsNoCharacter) {
  for (const char* text : {"\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe5\xa4", "\x80"})
    EXPECT_FALSE(DecodeUtf8(text).is_valid);
  EXPECT_EQ(DecodeUtf8("\xf0\x9f\x94\xa5").code, 0x1f525u);
}

TEST(Utf8, Printable) { EXPECT_EQ(Printable("a\x1b[1m\tb\xfe"), "a?[1m?b\xef\xbf\xbd"); }

}  // namespace
}  // namespace fakeprop
