// The calls of testdata/layouts against PyTorch's answers. A line is `call -> answer`; if FakeTensorMode gives another
// answer than eager, it is `call -> FakeTensorMode's | eager's`, and eager is right.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "lib/rules/layout_rows.h"
#include "lib/rules/testing/call_text.h"
#include "lib/schema/schema_table.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

constexpr std::string_view kFolder = "testdata/layouts";

std::string Run(const std::string& call) {
  ShapeEnv env;
  const CurrentShapeEnv current(&env);
  try {
    return testing::RunCall(call, {}, true);
  } catch (const std::exception& e) {
    return std::string("!Internal: ") + e.what();
  }
}

// Without what the recorder does not write: writes, offsets of parts, and whether a tensor of another layout shares its
// parts.
std::string Comparable(std::string text) {
  text = std::regex_replace(text, std::regex(R"((view|alias)\(\d+\) (\w+\[[^\]]*\]:))"), "$2");
  text = std::regex_replace(text, std::regex(R"(([\]}])\+\d+([,)]))"), "$1$2");
  text = std::regex_replace(text, std::regex(R"(; writes \d+)"), "");
  return std::regex_replace(text, std::regex(R"(alias\()"), "view(");
}

// Where PyTorch has no kernel, we have no rule.
bool MayBeUnserved(const std::string& answer) {
  return answer.find("!NotImplementedError") != std::string::npos ||
         answer.find("unsupported tensor layout") != std::string::npos;
}

bool IsRight(const std::string& got, const std::string& answer) {
  if (!got.starts_with("!")) return Comparable(got) == answer;
  if (got.starts_with("!Internal")) return false;
  return answer.starts_with("!") && (!got.starts_with("!UnsupportedOperator") || MayBeUnserved(answer));
}

int CheckLine(const std::string& line) {
  const size_t at = line.find(") -> ");
  if (line.starts_with("#") || at == std::string::npos) return 0;
  std::string answer = line.substr(at + 5);
  if (const size_t bar = answer.find(" | "); bar != std::string::npos) answer = answer.substr(bar + 3);
  const std::string got = Run(line.substr(0, at + 1));
  EXPECT_TRUE(IsRight(got, answer)) << line << "\n  got " << got;
  return 1;
}

TEST(OtherLayouts, AnswersArePyTorchs) {
  int calls = 0;
  for (const auto& file : std::filesystem::directory_iterator(kFolder)) {
    std::ifstream in(file.path());
    for (std::string line; std::getline(in, line);) calls += CheckLine(line);
  }
  EXPECT_GT(calls, 400);
}

// A call on strided tensors alone goes to the operator's other row.
TEST(OtherLayouts, EveryOperatorHasARowForStridedTensors) {
  for (auto layout : {OtherLayout::kCoo, OtherLayout::kCompressed, OtherLayout::kMkldnn, OtherLayout::kNested})
    for (const LayoutRows rows : RowsOf(layout))
      for (const LayoutRow& row : rows) {
        const Schema* schema = FindSchema(row.op);
        ASSERT_TRUE(schema) << row.op;
        EXPECT_TRUE(FindRule(*schema)) << row.op;
      }
}

}  // namespace
}  // namespace fakeprop
