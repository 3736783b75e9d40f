// Reads each graph of testdata/readers and compares with the text beside it.
//
//   bazel run //lib/readers:reader_files_test -- --update     writes the texts anew
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "lib/base/file.h"
#include "lib/readers/read_graph.h"
#include "lib/readers/testing/graph_text.h"

namespace fakeprop {
namespace {

constexpr const char* kFolder = "testdata/readers";

std::vector<std::filesystem::path> FindGraphs(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> graphs;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".json") graphs.push_back(entry.path());
  std::sort(graphs.begin(), graphs.end());
  return graphs;
}

std::string ReadToText(const std::filesystem::path& path) {
  DiagnosticSink sink;
  std::optional<Graph> graph = ReadGraph(path.string(), sink);
  return graph ? testing::GraphText(*graph) : testing::DiagnosticsText(sink);
}

class ReaderFiles : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(ReaderFiles, ReadAsExpected) {
  std::string error;
  std::filesystem::path text = GetParam();
  std::optional<std::string> expected = ReadWholeFile(text.replace_extension(".txt"), error);
  ASSERT_TRUE(expected) << error;
  EXPECT_EQ(ReadToText(GetParam()), *expected);
}

std::string CaseName(const ::testing::TestParamInfo<std::filesystem::path>& info) { return info.param.stem().string(); }

INSTANTIATE_TEST_SUITE_P(Files, ReaderFiles, ::testing::ValuesIn(FindGraphs(kFolder)), CaseName);

int Update(const std::filesystem::path& workspace) {
  for (std::filesystem::path path : FindGraphs(workspace / kFolder)) {
    std::string error;
    std::string text = ReadToText(path);
    if (!WriteWholeFile(path.replace_extension(".txt"), text, error)) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace fakeprop

int main(int argc, char** argv) {
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (workspace && argc > 1 && std::string_view(argv[1]) == "--update") return fakeprop::Update(workspace);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
