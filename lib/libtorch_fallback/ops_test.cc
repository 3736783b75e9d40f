// Operator calls of every overload that PyTorch's tests reach, ours against PyTorch's answers (testdata/ops); and calls
// on cuda against a card's kernels (testdata/on_cuda).
//
// An answer is right when it is FakeTensorMode's or, behind ` | `, eager's; where PyTorch raises, when it is an error
// that says why; where one of the two alone raises, when it is the other's value or such an error. Rows that are to
// stay different stand in lib/rules/compare/meant.txt (`recorded`); one there that has become right fails as well.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "lib/libtorch_fallback/open_libtorch.h"
#include "lib/libtorch_fallback/testing/served.h"
#include "lib/rules/compare/known_differences.h"

namespace fakeprop {
namespace {

// A folder of recorded answers, and whose they are.
struct Recording {
  std::string_view folder;
  ExecutionState state;
};
constexpr Recording kRecordings[] = {
    {"testdata/ops", {.torch = 13, .build = TorchBuild::kCpu}},
    // torch 2.11.0+cu130 and its FakeTensorMode, on an H200.
    {"testdata/on_cuda", {.torch = 13, .build = TorchBuild::kCuda}},
};

std::string_view Before(std::string_view text, std::string_view separator) {
  return text.substr(0, text.find(separator));
}

std::string_view After(std::string_view text, std::string_view separator) {
  const size_t at = text.find(separator);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + separator.size());
}

struct Row {
  std::string call;
  std::string fake;   // FakeTensorMode's answer
  std::string eager;  // the eager kernel's; the same where the row has one answer
};

Row ParseRow(const std::string& line) {
  Row row;
  row.call = std::string(Before(line, ") -> ")) + ")";
  const std::string_view answers = After(line, ") -> ");
  row.fake = Before(answers, " | ");
  const std::string_view eager = After(answers, " | ");
  row.eager = eager.empty() ? row.fake : eager;
  return row;
}

std::vector<std::string> LinesOfFolder(std::string_view folder) {
  std::vector<std::string> lines;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".calls") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);)
      if (!line.empty() && line[0] != '#') lines.push_back(line);
  }
  return lines;
}

bool IsError(std::string_view answer) { return answer.starts_with("!"); }

// An error that says why; these two classes only say that it cannot be told.
bool HasReason(std::string_view error) {
  return IsError(error) && !error.starts_with("!UnsupportedOperator") && !error.starts_with("!Internal");
}

// Whether autograd follows a view is not compared: eager's arguments here require no grad.
std::string Comparable(std::string text) {
  for (size_t at; (at = text.find("alias(")) != std::string::npos;) text.replace(at, 5, "view");
  return text;
}

bool IsRight(const std::string& got, const Row& row) {
  if (IsError(got)) return HasReason(got) && (IsError(row.fake) || IsError(row.eager));
  const std::string value = Comparable(got);
  return value == Comparable(row.fake) || value == Comparable(row.eager);
}

TEST(Ops, AnswersArePyTorchs) {
  std::string reason;
  LibTorchFallback* libtorch = OpenLibTorch(reason);
  ASSERT_TRUE(libtorch) << reason;
  std::set<std::string_view> known;
  for (const KnownDifference& meant : MeantDifferences())
    if (meant.against == Against::kRecorded) known.insert(meant.subject);
  int rows = 0;
  for (const Recording& recording : kRecordings)
    for (const std::string& line : LinesOfFolder(recording.folder)) {
      const Row row = ParseRow(line);
      const std::string got = testing::Served(row.call, *libtorch, recording.state);
      const bool is_known = known.erase(row.call) > 0;
      if (is_known) {
        EXPECT_FALSE(IsRight(got, row)) << "no difference any more, remove from lib/rules/compare/meant.txt: "
                                        << row.call;
      } else {
        EXPECT_TRUE(IsRight(got, row)) << line << "\n  got " << got;
      }
      ++rows;
    }
  EXPECT_GT(rows, 1000);
  for (const std::string_view call : known)
    ADD_FAILURE() << "lib/rules/compare/meant.txt names a call that no row has: " << call;
}

}  // namespace
}  // namespace fakeprop
