#include "lib/interpreter/crossref.h"

#include <gtest/gtest.h>

#include "lib/libtorch_fallback/libtorch_fallback.h"
#include "lib/rules/testing/call_text.h"

namespace fakeprop {
namespace {

// A LibTorch that answers as rules do, but for what `change` makes of it.
class OtherFallback : public LibTorchFallback {
 public:
  explicit OtherFallback(std::function<void(Call&)> change) : change_(std::move(change)) {}
  bool Knows(std::string_view) override { return true; }
  void Run(Call& call) override { RunWithoutRule(call); }
  void RunWithoutRule(Call& call) override {
    RunRule(*FindRule(call.schema()), call);
    change_(call);
  }

 private:
  std::function<void(Call&)> change_;
};

// Compares the calls one after the other.
Crossref Compare(const std::vector<std::string>& calls, const std::function<void(Call&)>& change) {
  OtherFallback tail(change);
  Crossref crossref;
  for (const std::string& text : calls) {
    testing::RunCallWith(text, {}, true, [&](Call& call) {
      const ServedRule& rule = *FindRule(call.schema());
      const Outcome by_rule = OutcomeOf(call, [&](Call& c) { RunRule(rule, c); });
      const auto report = [](std::string message) { return Diagnostic{.message = std::move(message)}; };
      AddComparison(CompareWithLibTorch(tail, rule, call, by_rule), "", report, crossref);
    });
  }
  return crossref;
}

void ChangeStride(Call& call) { call.effects().outputs[0].meta.strides[0] = 7; }

TEST(Crossref, WhatAgreesIsCounted) {
  const Crossref crossref = Compare({"relu(f32[2,3])", "mm(f32[2,3], f32[2,3])"}, [](Call&) {});
  EXPECT_EQ(crossref.compared, 2u);
  EXPECT_EQ(crossref.differ + crossref.deviate + crossref.not_compared.size(), 0u);
  EXPECT_TRUE(crossref.differences.empty());
}

TEST(Crossref, EveryNodeThatDiffersIsTold) {
  const Crossref crossref = Compare({"relu(f32[2,3])", "relu(f32[4,3])"}, ChangeStride);
  EXPECT_EQ(crossref.differ, 2u);
  ASSERT_EQ(crossref.differences.size(), 2u);
  EXPECT_EQ(crossref.differences[0].diagnostic.severity, Severity::kError);
  EXPECT_EQ(crossref.differences[0].diagnostic.message,
      "by the rule for `aten::relu`, stride is [3, 1], but by LibTorch [7, 1]");
}

TEST(Crossref, WhatIsMeantIsToldOnceForAnOperator) {
  const Crossref crossref = Compare({"pixel_shuffle(f32[2,8,2,3], 2)", "pixel_shuffle(f32[2,8,4,3], 2)"}, ChangeStride);
  EXPECT_EQ(crossref.differ, 0u);
  EXPECT_EQ(crossref.deviate, 2u);
  ASSERT_EQ(crossref.differences.size(), 1u);
  EXPECT_EQ(crossref.differences[0].diagnostic.severity, Severity::kWarning);
  EXPECT_EQ(crossref.differences[0].diagnostic.notes.size(), 1u);
}

TEST(Crossref, WithoutAnAnswerNothingIsCompared) {
  const Crossref crossref =
      Compare({"relu(f32[2,3])"}, [](Call&) { Fail(ErrorClass::kUnsupportedOperator, "no kernel"); });
  EXPECT_EQ(crossref.compared, 0u);
  EXPECT_EQ(crossref.not_compared.at({"aten::relu", "LibTorch has no kernel that runs without data"}), 1u);
}

}  // namespace
}  // namespace fakeprop
