// The table of codes against the page that explains them, and against the codes that the layers use.
#include "lib/diag/code_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/archive/read_codes.h"
#include "lib/inputs/input_codes.h"
#include "lib/refine/refine_codes.h"

namespace fakeprop {
namespace {

std::string Heading(const CodeInfo& info) {
  return "### " + std::string(info.code.id) + " " + std::string(info.code.class_name) + ": " + std::string(info.title);
}

TEST(Codes, EachHasItsHeading) {
  std::vector<std::string> headings, lines;
  for (const CodeInfo& info : AllCodes()) headings.push_back(Heading(info));
  std::ifstream page("docs/diagnostics.md");
  for (std::string line; std::getline(page, line);)
    if (line.starts_with("### ")) lines.push_back(line);
  EXPECT_EQ(headings, lines);
}

TEST(Codes, AreSortedAndUnique) {
  const auto codes = AllCodes();
  for (size_t i = 1; i < codes.size(); ++i) EXPECT_LT(codes[i - 1].code.id, codes[i].code.id);
}

TEST(Codes, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const CodeInfo& info : AllCodes())
    EXPECT_TRUE(names.insert(info.code.class_name).second) << info.code.class_name;
}

TEST(Codes, EachClassOfErrorHasOne) {
  for (int i = 0; i <= static_cast<int>(ErrorClass::kInternal); ++i) {
    const auto error_class = static_cast<ErrorClass>(i);
    EXPECT_EQ(CodeOf(error_class).class_name, Name(error_class));
  }
  EXPECT_EQ(CodeOf(ErrorClass::kShapeMismatch).id, "FP3001");
  EXPECT_EQ(CodeOf(ErrorClass::kAssertionFailed).id, "FP3014");
  EXPECT_EQ(CodeOf(ErrorClass::kInternal).id, "FP9001");
}

TEST(Codes, ThoseOfTheLayersAreInTheTable) {
  const Code used[] = {kUnreadableFile, kUnknownFormat, kMalformedJson, kUnsupportedVersion, kMalformedGraph,
      kInconsistentGraph, kCorruptCompression, kMalformedSpec, kUnknownSpecName, kSpecMismatch, kInvalidSpecValue,
      kInvalidSpecView, kUndeterminedSymbol, kConflictingSymbol, kMissingInput, kSymbolicSize, kMalformedAnnotations,
      kUnknownSymbol, kSymbolOutOfRange, kGuardViolated, kNotProved};
  for (const Code& code : used) {
    const auto codes = AllCodes();
    auto it = std::find_if(codes.begin(), codes.end(), [&](const CodeInfo& info) { return info.code.id == code.id; });
    ASSERT_NE(it, codes.end()) << code.id;
    EXPECT_EQ(it->code.class_name, code.class_name);
  }
}

}  // namespace
}  // namespace fakeprop
