// The rules for calls with a tensor of another layout than strided: a table for each layout.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lib/rules/rule_table.h"

namespace fakeprop {

struct LayoutRow {
  std::string_view op;
  Rule rule;
};
using LayoutRows = std::span<const LayoutRow>;

namespace rules {
LayoutRows CooRows();
LayoutRows CooMathRows();
LayoutRows CooViewRows();
LayoutRows CompressedRows();
LayoutRows CompressedViewRows();
LayoutRows MkldnnRows();
LayoutRows NestedTensorRows();
}  // namespace rules

// Every row of a layout, table by table.
std::vector<LayoutRows> RowsOf(OtherLayout layout);

// Null if no row serves the operator on tensors of this layout.
Rule FindRuleOfLayout(std::string_view op, OtherLayout layout);

}  // namespace fakeprop
