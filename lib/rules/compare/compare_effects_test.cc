#include "lib/rules/compare/compare_effects.h"

#include <gtest/gtest.h>

#include "lib/rules/rule_table.h"
#include "lib/rules/testing/call_text.h"

namespace fakeprop {
namespace {

void RunServingRule(Call& call) { RunRule(*FindRule(call.schema()), call); }

// Runs the call as its rule does and once more with `change` made to the effects; gives "name: a, b" for each
// difference.
std::string DifferencesAfter(const std::string& text, const std::function<void(Call&)>& change) {
  std::string found;
  testing::RunCallWith(text, {}, true, [&](Call& call) {
    const Outcome a = OutcomeOf(call, [&](Call& c) { RunServingRule(c); });
    const Outcome b = OutcomeOf(call, [&](Call& c) {
      RunServingRule(c);
      change(c);
    });
    for (const EffectDifference& d : CompareOutcomes(call, a, b)) found += d.name + ": " + d.a + ", " + d.b + "\n";
  });
  return found;
}

Output& Result(Call& call) { return call.effects().outputs[0]; }

TEST(CompareEffects, NothingDiffers) {
  EXPECT_EQ(DifferencesAfter("add_.Tensor(f32[2,3], f32[3])", [](Call&) {}), "");
  EXPECT_EQ(DifferencesAfter("split.Tensor(f32[4], 2)", [](Call&) {}), "");
}

TEST(CompareEffects, FieldsOfAResult) {
  const std::string call = "relu(f32[2,3])";
  EXPECT_EQ(DifferencesAfter(call, [](Call& c) { Result(c).meta.sizes[0] = 4; }), "shape: [2, 3], [4, 3]\n");
  EXPECT_EQ(DifferencesAfter(call, [](Call& c) { Result(c).meta.strides[0] = 4; }), "stride: [3, 1], [4, 1]\n");
  EXPECT_EQ(DifferencesAfter(call, [](Call& c) { Result(c).meta.storage_offset = 1; }), "storage_offset: 0, 1\n");
  EXPECT_EQ(DifferencesAfter(call, [](Call& c) { Result(c).meta.dtype = ScalarType::Half; }), "dtype: f32, f16\n");
  EXPECT_EQ(DifferencesAfter(call, [](Call& c) { Result(c).meta.device = Device(DeviceType::CUDA, 0); }),
      "device: cpu, cuda:0\n");
}

TEST(CompareEffects, StridesCountWhereTheyTell) {
  EXPECT_EQ(DifferencesAfter("relu(f32[1,3])", [](Call& c) { Result(c).meta.strides[0] = 1; }), "");
  EXPECT_EQ(DifferencesAfter("relu(f32[0,3])", [](Call& c) { Result(c).meta.strides[0] = 1; }), "");
}

TEST(CompareEffects, Aliasing) {
  EXPECT_EQ(DifferencesAfter("t(f32[2,3])",
                [](Call& c) {
                  Result(c).kind = Output::Kind::kNew;
                  Result(c).source = nullptr;
                }),
      "aliasing: a view of `self`, a storage of its own\n");
  EXPECT_EQ(DifferencesAfter("t(f32[2,3])", [](Call& c) { Result(c).kind = Output::Kind::kAlias; }), "");
  EXPECT_EQ(DifferencesAfter("alias(f32[2])", [](Call& c) { Result(c).kind = Output::Kind::kArgument; }),
      "aliasing: a view of `self`, `self` itself\n");
}

TEST(CompareEffects, ListsAndWrites) {
  EXPECT_EQ(DifferencesAfter("split.Tensor(f32[4], 2)", [](Call& c) { Result(c).items[1].meta.sizes[0] = 1; }),
      "shape of result[1]: [2], [1]\n");
  EXPECT_EQ(DifferencesAfter("split.Tensor(f32[4], 2)", [](Call& c) { Result(c).items.pop_back(); }),
      "number of tensors: 2, 1\n");
  EXPECT_EQ(DifferencesAfter("add_.Tensor(f32[2], f32[2])", [](Call& c) { c.effects().mutations.clear(); }),
      "data of `self` afterwards: written, as it was\n");
  EXPECT_EQ(
      DifferencesAfter("max.dim(f32[2,3], 0)", [](Call& c) { c.effects().outputs[1].meta.dtype = ScalarType::Int; }),
      "dtype of result 1: i64, i32\n");
}

TEST(CompareEffects, AnErrorAndAResult) {
  const auto fail = [](Call&) { Fail(ErrorClass::kShapeMismatch, "no"); };
  EXPECT_EQ(DifferencesAfter("relu(f32[2])", fail), "outcome: f32[2] on cpu, ShapeMismatch: no\n");
  EXPECT_EQ(DifferencesAfter("mm(f32[2,3], f32[2,3])", [](Call&) {}), "");
}

}  // namespace
}  // namespace fakeprop
