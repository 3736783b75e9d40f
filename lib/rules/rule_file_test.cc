#include "lib/rules/rule_file.h"

#include <gtest/gtest.h>

#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

TEST(RuleFile, NamesTheFamily) {
  EXPECT_EQ(RuleFile(*FindRule(*FindSchema("aten::view"))->row), "lib/rules/views/view.cc");
  EXPECT_EQ(RuleFile(*FindRule(*FindSchema("aten::mm"))->row), "lib/rules/linalg/matmul.cc");
}

TEST(RuleFile, EveryRowHasOne) {
  for (const RuleRow& row : AllRows()) EXPECT_FALSE(RuleFile(row).empty()) << row.op;
}

}  // namespace
}  // namespace fakeprop
