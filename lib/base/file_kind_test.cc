#include "lib/base/file_kind.h"

#include <gtest/gtest.h>

namespace fakeprop {
namespace {

using namespace std::string_view_literals;

std::string NameOf(std::string_view content) {
  const std::optional<FileKind> kind = FindFileKind(content);
  return kind ? std::string(kind->name) : "";
}

TEST(FileKind, OfWhatLiesBesideGraphs) {
  EXPECT_EQ(NameOf("\x80\2}q\0X\6\0\0\0weightq"sv), "a Python pickle, such as torch.save wrote before torch 1.6");
  EXPECT_EQ(NameOf("\x40\0\0\0\0\0\0\0{\"w\":{\"dtype\":\"F32\""sv), "a safetensors file, which holds weights");
  EXPECT_EQ(NameOf("\x8\xa\x12\7pytorch\x1a"sv), "an ONNX model");
  EXPECT_EQ(NameOf("\x93NUMPY\1\0v\0"sv), "a NumPy array");
  EXPECT_EQ(NameOf("version https://git-lfs.github.com/spec/v1\noid sha256:1"),
      "a git-lfs pointer, which stands in the place of the file itself");
  EXPECT_EQ(NameOf("\xff\xfe{\0\"\0"sv), "text in UTF-16");
  EXPECT_EQ(NameOf(std::string("net.json") + std::string(249, '\0') + "ustar  "), "a tar archive");
  EXPECT_EQ(NameOf("\x18\0\0\0TFL3\0"sv), "a TensorFlow Lite model");
}

TEST(FileKind, TextMayBeAGraph) {
  for (std::string_view text :
      {"", "{", " \n{\"format\": 1}", "[1, 2]", "null", "\xef\xbb\xbf{}", "version", "# notes"})
    EXPECT_EQ(NameOf(text), "") << text;
}

TEST(FileKind, EachHasAdvice) {
  for (std::string_view content : {"GGUF\3\0"sv, "\x89HDF\r\n\x1a\n"sv, "<!DOCTYPE html>"sv,
           "\x7f"
           "ELF\2"sv})
    EXPECT_FALSE(FindFileKind(content)->advice.empty());
}

}  // namespace
}  // namespace fakeprop
