// What a file is, is told by its content.
#include "lib/readers/read_graph.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "lib/base/file.h"
#include "lib/readers/testing/graph_text.h"

namespace fakeprop {
namespace {

using namespace std::string_literals;

std::string WriteTemporary(const std::string& name, const std::string& content) {
  std::string path = ::testing::TempDir() + "/" + name;
  std::string error;
  EXPECT_TRUE(WriteWholeFile(path, content, error)) << error;
  return path;
}

std::string ErrorOf(const std::string& content) {
  DiagnosticSink sink;
  EXPECT_FALSE(ReadGraph(WriteTemporary("graph", content), sink));
  return testing::DiagnosticsText(sink);
}

TEST(ReadGraph, SaysWhatAFileIs) {
  EXPECT_EQ(ErrorOf(""), "FP1002 the file is empty\n");
  EXPECT_EQ(ErrorOf(" \n\t"), "FP1002 the file holds nothing but spaces\n");
  EXPECT_EQ(ErrorOf("\x7f"
                    "ELF\x02\x01\x01\0\0\0"s),
      "FP1002 this is a program or a library, not a graph\n");
  EXPECT_EQ(ErrorOf("\x80\x02}q\0"s),
      "FP1002 this is a Python pickle, such as torch.save wrote before torch 1.6, not a graph\n");
  EXPECT_EQ(ErrorOf("PK\3\4 archive"),
      "FP1008 the zip archive is damaged: the list of its members, which stands at its end, is missing: is the file "
      "cut off?\n");
  EXPECT_EQ(ErrorOf("import torch\nclass Net:"), "FP1002 this is no JSON: it starts with `import torch`\n");
  EXPECT_EQ(ErrorOf(" 17"), "FP1002 this is no JSON: it starts with `17`\n");
  EXPECT_EQ(
      ErrorOf("{\"graph_module\": {\"graph\""), "FP1003 byte 24: the JSON ends too early: is the file cut off?\n");
  EXPECT_EQ(ErrorOf("\x1f\x8b\x08 not gzip"), "FP1007 the gzip data is corrupt\n");
}

TEST(ReadGraph, MissingFilesAndFolders) {
  DiagnosticSink sink;
  EXPECT_FALSE(ReadGraph("/no/such/file.json", sink));
  EXPECT_FALSE(ReadGraph("/", sink));
  EXPECT_EQ(testing::DiagnosticsText(sink),
      "FP1001 cannot read `/no/such/file.json`: no such file or directory\n"
      "FP1001 cannot read `/`: is a directory\n");
}

TEST(ReadGraph, ReadsCompressedFilesUnderAnyName) {
  std::string error;
  std::optional<std::string> text = ReadWholeFile("testdata/readers/names.json", error);
  ASSERT_TRUE(text) << error;
  std::string path = ::testing::TempDir() + "/compressed.graph";
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text->data(), static_cast<unsigned>(text->size()));
  gzclose(file);
  DiagnosticSink sink;
  std::optional<Graph> compressed = ReadGraph(path, sink);
  std::optional<Graph> plain = ReadGraph("testdata/readers/names.json", sink);
  ASSERT_TRUE(compressed && plain) << testing::DiagnosticsText(sink);
  EXPECT_EQ(testing::GraphText(*compressed), testing::GraphText(*plain));
  EXPECT_EQ(plain->source, "names.json");
}

TEST(ReadGraph, ABombOfBracketsFailsAtOnce) {
  EXPECT_EQ(ErrorOf(std::string(100'000'000, '[')), "FP1003 byte 500: nested deeper than 500 levels\n");
}

TEST(ReadGraph, AByteOrderMarkIsNoHarm) {
  EXPECT_EQ(ErrorOf("\xef\xbb\xbf{}"), "FP1002 this JSON is no graph of torch.export: it has no `graph_module`\n");
}

}  // namespace
}  // namespace fakeprop
