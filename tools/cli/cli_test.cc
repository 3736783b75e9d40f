// Runs the program for each folder under testdata/cli and compares all that comes out of it.
//
// A case has `args`: one line, words apart; $OUT is a file that is not there yet, and may be named again. Expected are
// `stdout`, `stderr` and `output` (what $OUT holds afterwards), each empty or absent where there is no such file, and
// `status`, 0 where there is none. Commands run in the workspace's root.
//
// Re-record: bazel run //tools:cli_test -- --update; read the diff before you keep it.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "lib/base/testing/read_text.h"

namespace fakeprop::cli {
namespace {

namespace fs = std::filesystem;

std::string g_binary;
std::vector<fs::path> g_cases;

std::string Replace(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

// Everything that a run leaves behind, by the name of the file that expects it.
using Result = std::map<std::string, std::string>;

Result RunCase(const fs::path& folder) {
  const char* place = std::getenv("TEST_TMPDIR");
  const fs::path scratch = fs::path(place ? place : "/tmp") / ("fakeprop_cli_" + folder.filename().string());
  fs::remove_all(scratch);
  fs::create_directories(scratch);
  const std::string out = scratch / "out.json";
  std::string command = "env -u NO_COLOR " + g_binary;
  std::istringstream words(ReadTextFile(folder / "args"));
  for (std::string word; words >> word;) command += " '" + Replace(word, "$OUT", out) + "'";
  command += " > " + (scratch / "stdout").string() + " 2> " + (scratch / "stderr").string() + " < /dev/null";
  const int status = std::system(command.c_str());
  Result result = {{"stdout", ReadTextFile(scratch / "stdout")},
      {"stderr", Replace(ReadTextFile(scratch / "stderr"), out, "$OUT")}, {"output", ReadTextFile(out)},
      {"status", WIFEXITED(status) ? std::to_string(WEXITSTATUS(status)) + "\n" : "killed\n"}};
  result["stdout"] = Replace(result["stdout"], out, "$OUT");
  if (result["status"] == "0\n") result["status"].clear();
  fs::remove_all(scratch);
  return result;
}

class Cli : public ::testing::TestWithParam<fs::path> {};

TEST_P(Cli, AsExpected) {
  for (const auto& [name, text] : RunCase(GetParam()))
    EXPECT_EQ(text, ReadTextFile(GetParam() / name)) << GetParam() / name;
}

std::string CaseName(const ::testing::TestParamInfo<fs::path>& info) { return info.param.filename(); }

INSTANTIATE_TEST_SUITE_P(Cases, Cli, ::testing::ValuesIn(g_cases), CaseName);

void Update() {
  for (const fs::path& folder : g_cases) {
    for (const auto& [name, text] : RunCase(folder)) {
      if (text.empty()) fs::remove(folder / name);
      else std::ofstream(folder / name, std::ios::binary) << text;
    }
  }
}

void FindCases(const fs::path& root) {
  for (const auto& entry : fs::directory_iterator(root))
    if (fs::exists(entry.path() / "args")) g_cases.push_back(entry.path());
  std::sort(g_cases.begin(), g_cases.end());
}

}  // namespace
}  // namespace fakeprop::cli

int main(int argc, char** argv) {
  using namespace fakeprop::cli;
  // The program as a path that holds after the change to the user's workspace.
  g_binary = fs::absolute("tools/fakeprop");
  const bool updates = argc > 1 && std::string(argv[1]) == "--update";
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (updates && workspace) fs::current_path(workspace);
  FindCases("testdata/cli");
  if (updates) {
    Update();
    return 0;
  }
  ::testing::InitGoogleTest(&argc, argv);  // registers a test for each case
  return RUN_ALL_TESTS();
}
