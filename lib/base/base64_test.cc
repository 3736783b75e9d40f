#include "lib/base/base64.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace fakeprop {
namespace {

// RFC 4648, section 10.
TEST(Base64, EncodesAndDecodes) {
  const std::pair<std::string, std::string> rows[] = {{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}, {std::string("\xff\x00\xfe", 3), "/wD+"}};
  for (const auto& [bytes, text] : rows) {
    EXPECT_EQ(EncodeBase64(bytes), text);
    EXPECT_EQ(DecodeBase64(text), bytes);
  }
}

TEST(Base64, RefusesOtherText) {
  for (const char* text : {"Zg", "Z===", "Zg=a", "Z*==", "Zm9v\n"})
    EXPECT_THROW(DecodeBase64(text), std::invalid_argument) << text;
}

}  // namespace
}  // namespace fakeprop
