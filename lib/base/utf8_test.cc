#include "lib/base/utf8.h"

#include <gtest/gtest.h>

namespace fakeprop {
namespace {

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
