#include "lib/rules/compare/known_differences.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "lib/base/check.h"
#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

constexpr EffectDifference Difference(EffectField field) { return {field, "", "", "the kernel's answer"}; }

class Lists : public ::testing::TestWithParam<std::span<const KnownDifference> (*)()> {};

// A line is found where one looks for it, and none is of no use.
TEST_P(Lists, AreSortedAndNameEachDifferenceOnce) {
  const auto list = GetParam()();
  EXPECT_GT(list.size(), 50u);
  std::set<std::tuple<std::string_view, Against, KnownDifference::Extent, std::string_view>> seen;
  for (size_t i = 0; i < list.size(); ++i) {
    EXPECT_LE(list[i > 0 ? i - 1 : 0].subject, list[i].subject);
    EXPECT_TRUE(seen.insert({list[i].subject, list[i].against, list[i].extent, list[i].words}).second)
        << list[i].subject;
  }
}

TEST_P(Lists, NameOperatorsThatThereAre) {
  for (const KnownDifference& known : GetParam()()) {
    if (known.subject == "*" || known.against == Against::kRecorded) continue;
    EXPECT_TRUE(FindSchema(known.subject) || !Overloads(known.subject).empty()) << known.subject;
  }
}

INSTANTIATE_TEST_SUITE_P(MeantAndOpen, Lists, ::testing::Values(&MeantDifferences, &OpenDifferences));

TEST(KnownDifferences, AreParsed) {
  const auto list = ParseDifferences(
      "# a comment\n\naten::mm\tcpu shape,stride \"no kernel\"\tthe reason\n*\tgrad any\tanother\naten::mv\tmeta "
      "some-calls\tc\n");
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].subject, "aten::mm");
  EXPECT_EQ(list[0].against, Against::kCpu);
  EXPECT_EQ(list[0].fields, unsigned(EffectField::kShape) | unsigned(EffectField::kStride));
  EXPECT_EQ(list[0].words, "no kernel");
  EXPECT_EQ(list[0].reason, "the reason");
  EXPECT_EQ(list[1].fields, ~0u);
  EXPECT_EQ(list[2].extent, KnownDifference::Extent::kSomeCalls);
}

TEST(KnownDifferences, OfAnotherFormAreRefused) {
  for (const char* line : {"aten::mm", "aten::mm\tcpu shape", "aten::mm\tcpu shape\t", "aten::mm\tgpu shape\tr",
           "aten::mm\tcpu size\tr", "aten::mm\tcpu\tr", "aten::mm\tcpu shape words\tr", "\tcpu shape\tr"})
    EXPECT_THROW(ParseDifferences(line), InternalError) << line;
}

TEST(KnownDifferences, ExplainTheirFieldsOnly) {
  const EffectDifference stride = Difference(EffectField::kStride), shape = Difference(EffectField::kShape);
  EXPECT_NE(ExplainDifferences(Against::kMeta, "aten::one_hot", {{stride}}), nullptr);
  EXPECT_EQ(ExplainDifferences(Against::kMeta, "aten::one_hot", {{stride, shape}}), nullptr);
  EXPECT_EQ(ExplainDifferences(Against::kMeta, "aten::relu", {{stride}}), nullptr);
  EXPECT_EQ(ExplainDifferences(Against::kCpu, "aten::one_hot", {{stride}}), nullptr);
}

// A line about some calls explains no difference that is found elsewhere.
TEST(KnownDifferences, InSomeCallsAreNotThoseOfEveryCall) {
  const EffectDifference outcome = Difference(EffectField::kOutcome);
  EXPECT_TRUE(IsListed(MeantDifferences(), "aten::stack", Against::kMeta, KnownDifference::Extent::kSomeCalls));
  EXPECT_EQ(ExplainDifferences(Against::kMeta, "aten::stack", {{outcome}}), nullptr);
}

TEST(KnownDifferences, ExplainByTheWordsOfTheOtherAnswer) {
  const EffectDifference refused{EffectField::kOutcome, "outcome", "f32[2]", "\"exp\" not implemented for 'Int'"};
  EXPECT_NE(ExplainDifferences(Against::kCpu, "aten::relu", {{refused}}), nullptr);
  EXPECT_EQ(ExplainDifferences(Against::kCpu, "aten::relu", {{Difference(EffectField::kOutcome)}}), nullptr);
  EXPECT_NE(ExplainText(Against::kGrad, "Autograd not support dtype: Int"), nullptr);
  EXPECT_EQ(ExplainText(Against::kGrad, "requires grad"), nullptr);
}

}  // namespace
}  // namespace fakeprop
