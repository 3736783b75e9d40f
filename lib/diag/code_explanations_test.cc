#include "lib/diag/code_explanations.h"

#include <gtest/gtest.h>

namespace fakeprop {
namespace {

TEST(Explain, EachCodeHasAText) {
  for (const CodeInfo& info : AllCodes()) EXPECT_GT(ExplanationMarkdown(info).size(), 30u) << info.code.id;
}

TEST(Explain, ASectionEndsBeforeTheNextHeading) {
  for (const CodeInfo& info : AllCodes()) {
    EXPECT_EQ(ExplanationMarkdown(info).find("\n#"), std::string_view::npos) << info.code.id;
    EXPECT_NE(ExplanationMarkdown(info).front(), '#') << info.code.id;
  }
}

TEST(Explain, TheTextIsPlain) {
  const std::string text = ExplanationText(*FindCodeInfo("FP3015"));
  EXPECT_TRUE(
      text.starts_with("FP3015 DataDependentGuard: what happens depends on a size that depends on data\n\nA size"));
  EXPECT_NE(text.find("See symbolic_shapes.md.\n"), std::string::npos);
  EXPECT_NE(text.find("\n    $ fakeprop asks_data.json"), std::string::npos);
  EXPECT_EQ(text.find("```"), std::string::npos);
}

TEST(Explain, CodesAreFoundByIdAndByClass) {
  EXPECT_EQ(FindCodeInfo("fp3001")->code.id, "FP3001");
  EXPECT_EQ(FindCodeInfo("shapemismatch")->code.id, "FP3001");
  EXPECT_EQ(FindCodeInfo("FP0000"), nullptr);
}

}  // namespace
}  // namespace fakeprop
