#include "lib/rules/rule_table.h"

#include <gtest/gtest.h>

#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

TEST(RuleTable, RowsAreUniqueAndHaveSchemas) {
  const auto rows = AllRows();  // throws for a duplicate
  EXPECT_GT(rows.size(), 60u);
  for (const RuleRow& row : rows) EXPECT_NE(FindSchema(row.op), nullptr) << row.op << " is no operator of LibTorch";
}

// An in-place, out= or copying form with a row of its own must differ from what its functional operator gives.
TEST(RuleTable, FunctionalFormsServeTheOthers) {
  for (const char* op : {"aten::add_.Tensor", "aten::add.out", "aten::sin_", "aten::__iand__.Tensor"}) {
    const ServedRule* served = FindRule(*FindSchema(op));
    ASSERT_NE(served, nullptr) << op;
    EXPECT_NE(served->form, Form::kDirect) << op;
  }
}

const OperatorFacts& FactsOf(const char* op) { return FindFacts(*FindSchema(op)); }

TEST(OperatorFacts, AreJoined) {
  constexpr OperatorFacts kFacts = Devices::kAny | OutDtype::kCast | OutStrides::kContiguous;
  EXPECT_EQ(kFacts.devices, Devices::kAny);
  EXPECT_EQ(kFacts.out_dtype, OutDtype::kCast);
  EXPECT_EQ(kFacts.out_strides, OutStrides::kContiguous);
  EXPECT_EQ(kFacts.overlap, Overlap::kRefused);
  EXPECT_EQ((kFacts | OutDtype::kExact).out_dtype, OutDtype::kExact);
}

TEST(OperatorFacts, OfARowHoldForItsForms) {
  for (const char* op : {"aten::cumsum", "aten::cumsum_", "aten::cumsum.out"})
    EXPECT_EQ(FactsOf(op).default_dtype, DefaultDtype::kOfWritten) << op;
  EXPECT_EQ(FactsOf("aten::stack.out").out_dtype, OutDtype::kCast);
  EXPECT_EQ(FactsOf("aten::relu_").out_dtype, OutDtype::kByTag);
}

TEST(OperatorFacts, OfARowWithoutARuleComeFirst) {
  EXPECT_EQ(FindRule(*FindSchema("aten::copy_"))->form, Form::kInplace);
  EXPECT_EQ(FactsOf("aten::copy_").grad, Grad::kFollowedByDtype);
  EXPECT_EQ(FactsOf("aten::copy").grad, Grad::kFollowed);
  EXPECT_EQ(FactsOf("aten::split_copy.Tensor_out").out_strides, OutStrides::kNeverResized);
}

TEST(OperatorFacts, AreTheUsualOnesWithoutARow) {
  EXPECT_EQ(FactsOf("aten::_test_string_default").devices, Devices::kOne);
}

// adaptive_avg_pool2d.out writes what _adaptive_avg_pool2d returns.
TEST(OperatorFacts, NameTheKernelOfAnOutForm) {
  EXPECT_EQ(
      FindRule(*FindSchema("aten::adaptive_avg_pool2d.out"))->functional->full_name, "aten::_adaptive_avg_pool2d");
  EXPECT_EQ(FindRule(*FindSchema("aten::avg_pool2d.out"))->functional->full_name, "aten::avg_pool2d");
}

TEST(RuleTable, OperatorsWithoutARuleHaveNone) {
  EXPECT_EQ(FindRule(*FindSchema("aten::_test_string_default")), nullptr);
}

}  // namespace
}  // namespace fakeprop
