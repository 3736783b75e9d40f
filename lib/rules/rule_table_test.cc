#include "lib/rules/rule_table.h"

#include <gtest/gtest.h>

#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

TEST(RuleTable, RowsAreUniqueAndHaveSchemas) {
  const auto rows = AllRules();  // throws for a duplicate
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

TEST(RuleTable, OperatorsWithoutARuleHaveNone) {
  EXPECT_EQ(FindRule(*FindSchema("aten::_test_string_default")), nullptr);
}

}  // namespace
}  // namespace fakeprop
