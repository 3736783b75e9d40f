// Host against host: the calls of the rules' own tests, by rule and by LibTorch's dispatcher with our rules beneath it.
// LibTorch decomposes composites, wraps views, counts writes and says what requires grad by itself; the effects have to
// come out the same.
#include <gtest/gtest.h>

#include "lib/rules/compare_effects.h"
#include "lib/rules/deviations.h"
#include "lib/rules/rule_table.h"
#include "lib/rules/testing/call_tables.h"
#include "lib/rules/testing/call_text.h"
#include "lib/tail/open.h"

namespace fakeprop {
namespace {

// Whether autograd follows the results alike: a view or an alias.
bool SameKinds(const std::vector<Output>& a, const std::vector<Output>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
      [](const Output& x, const Output& y) { return x.kind == y.kind && SameKinds(x.items, y.items); });
}

// Without its rule LibTorch may not do without data.
bool IsNoAnswer(ErrorClass error_class, const Outcome& rule) {
  if (error_class == ErrorClass::kUnsupportedOperator) return true;
  return !rule.error &&
         (error_class == ErrorClass::kDataDependentOutput || error_class == ErrorClass::kDynamicOutputShape);
}

// What differs without a reason, a line each.
std::string Differences(const Call& call, const ServedRule& served, const Outcome& rule, const Outcome& tail) {
  const std::vector<EffectDifference> differences = CompareOutcomes(call, rule, tail);
  if (ExplainDifferences(served.row->op, differences)) return "";
  std::string text;
  for (const EffectDifference& d : differences)
    text += std::string(served.row->op) + " " + d.name + ": rule " + d.a + ", LibTorch " + d.b + "\n";
  const bool followed_alike = rule.error || tail.error || SameKinds(rule.effects.outputs, tail.effects.outputs);
  return text.empty() && !followed_alike ? "a view for the one, an alias for the other" : text;
}

class HostTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    tail_ = OpenTail(reason);
    ASSERT_TRUE(tail_) << reason;
  }

  // Whether the call was compared; one that LibTorch has no way to serve is not.
  bool Compare(const std::string& text, void (Tail::*run)(Call&)) {
    bool compared = false;
    std::string differences;
    testing::RunCallWith(text, {}, true, [&](Call& call) {
      const ServedRule* served = FindRule(call.schema());
      if (!served) return;
      const Outcome rule = OutcomeOf(call, [&](Call& c) { RunRule(*served, c); });
      const Outcome tail = OutcomeOf(call, [&](Call& c) { (tail_->*run)(c); });
      compared = !tail.error || !IsNoAnswer(tail.error->error_class(), rule);
      if (compared) differences = Differences(call, *served, rule, tail);
    });
    EXPECT_EQ(differences, "") << text;
    return compared;
  }

  int CompareTables(void (Tail::*run)(Call&)) {
    int compared = 0;
    for (const testing::CallRow& row : testing::RowsOfFamilyTests()) compared += Compare(row.call, run);
    return compared;
  }

  Tail* tail_ = nullptr;
};

TEST_F(HostTest, RulesAndDispatcherAgree) { EXPECT_GT(CompareTables(&Tail::Run), 100); }

// By LibTorch's own Meta and composite kernels, what a rule deviates from on purpose is listed
// (lib/rules/deviations.cc).
TEST_F(HostTest, RulesAndKernelsAgree) { EXPECT_GT(CompareTables(&Tail::RunWithoutRule), 100); }

}  // namespace
}  // namespace fakeprop
