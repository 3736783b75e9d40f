// Host against host: the calls of the rules' own tests, by rule and by LibTorch's dispatcher with our rules beneath it.
// LibTorch decomposes composites, wraps views, counts writes and says what requires grad by itself; the effects have to
// come out the same.
#include <gtest/gtest.h>

#include "lib/dispatch/libtorch_version.h"
#include "lib/libtorch_fallback/open_libtorch.h"
#include "lib/rules/compare/compare_effects.h"
#include "lib/rules/compare/known_differences.h"
#include "lib/rules/rule_table.h"
#include "lib/rules/testing/call_tables.h"
#include "lib/rules/testing/call_text.h"

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
std::string Differences(const Call& call, const ServedRule& served, const Outcome& rule, const Outcome& libtorch) {
  const std::vector<EffectDifference> differences = CompareOutcomes(call, rule, libtorch);
  if (ExplainDifferences(Against::kMeta, served.row->op, differences)) return "";
  std::string text;
  for (const EffectDifference& d : differences)
    text += std::string(served.row->op) + " " + d.name + ": rule " + d.a + ", LibTorch " + d.b + "\n";
  const bool followed_alike = rule.error || libtorch.error || SameKinds(rule.effects.outputs, libtorch.effects.outputs);
  return text.empty() && !followed_alike ? "a view for the one, an alias for the other" : text;
}

class HostTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    libtorch_ = OpenLibTorch(reason);
    ASSERT_TRUE(libtorch_) << reason;
  }

  // Whether the call was compared; one that LibTorch has no way to serve is not.
  bool Compare(const std::string& text, void (LibTorchFallback::*run)(Call&)) {
    bool compared = false;
    std::string differences;
    testing::RunCallWith(text, {.torch = dispatch::kLibTorch}, true, [&](Call& call) {
      const ServedRule* served = FindRule(call.schema());
      // What the profiler gives is an object, which has no text in LibTorch.
      if (!served || call.schema().name.starts_with("profiler::")) return;
      const Outcome rule = OutcomeOf(call, [&](Call& c) { RunRule(*served, c); });
      const Outcome libtorch = OutcomeOf(call, [&](Call& c) { (libtorch_->*run)(c); });
      compared = !libtorch.error || !IsNoAnswer(libtorch.error->error_class(), rule);
      if (compared) differences = Differences(call, *served, rule, libtorch);
    });
    EXPECT_EQ(differences, "") << text;
    return compared;
  }

  int CompareTables(void (LibTorchFallback::*run)(Call&)) {
    int compared = 0;
    for (const testing::CallRow& row : testing::RowsOfFamilyTests()) compared += Compare(row.call, run);
    return compared;
  }

  LibTorchFallback* libtorch_ = nullptr;
};

TEST_F(HostTest, RulesAndDispatcherAgree) { EXPECT_GT(CompareTables(&LibTorchFallback::Run), 100); }

// Where LibTorch's own Meta and composite kernels answer otherwise on purpose is listed (lib/rules/compare/meant.txt).
TEST_F(HostTest, RulesAndKernelsAgree) { EXPECT_GT(CompareTables(&LibTorchFallback::RunWithoutRule), 100); }

}  // namespace
}  // namespace fakeprop
