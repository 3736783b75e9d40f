// Propagates each graph (graph.json, graph.pt2 ...) under the folders named on the command line and compares with what
// PyTorch wrote.
#include "lib/testing/golden_graph.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace fakeprop::testing {
namespace {

std::vector<std::filesystem::path> g_cases;

void FindCases(const std::filesystem::path& folder) {
  if (std::filesystem::exists(folder / "expected.json")) g_cases.push_back(folder);
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_directory()) FindCases(entry.path());
}

std::filesystem::path GraphIn(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename().string().starts_with("graph.")) return entry.path();
  return folder / "graph.json";
}

class Golden : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(Golden, AsPyTorch) {
  const auto inputs = GetParam() / "inputs.json";
  const auto got = AnnotateFile(GraphIn(GetParam()), std::filesystem::exists(inputs) ? inputs.string() : "");
  std::ifstream expected(GetParam() / "expected.json");
  for (const std::string& difference : CompareAnnotations(got, nlohmann::json::parse(expected)))
    ADD_FAILURE() << difference;
}

std::string CaseName(const ::testing::TestParamInfo<std::filesystem::path>& info) { return info.param.filename(); }

INSTANTIATE_TEST_SUITE_P(Cases, Golden, ::testing::ValuesIn(g_cases), CaseName);

}  // namespace
}  // namespace fakeprop::testing

int main(int argc, char** argv) {
  using namespace fakeprop::testing;
  for (int i = 1; i < argc; ++i)
    if (argv[i][0] != '-') FindCases(argv[i]);
  std::sort(g_cases.begin(), g_cases.end());
  ::testing::InitGoogleTest(&argc, argv);  // registers a test for each case
  return RUN_ALL_TESTS();
}
