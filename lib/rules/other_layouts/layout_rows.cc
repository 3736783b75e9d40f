#include "lib/rules/layout_rows.h"

#include <algorithm>

namespace fakeprop {

std::vector<LayoutRows> RowsOf(OtherLayout layout) {
  switch (layout) {
    case OtherLayout::kCoo: return {rules::CooRows(), rules::CooMathRows(), rules::CooViewRows()};
    case OtherLayout::kCompressed:
      return {rules::CompressedRows(), rules::CompressedMathRows(), rules::CompressedViewRows()};
    case OtherLayout::kMkldnn: return {rules::MkldnnRows()};
    case OtherLayout::kNested: break;
  }
  return {rules::NestedTensorRows()};
}

// Each operator is asked for once (rule_table.cc).
const LayoutRow* FindLayoutRow(std::string_view op, OtherLayout layout) {
  for (const LayoutRows rows : RowsOf(layout)) {
    const auto it = std::find_if(rows.begin(), rows.end(), [&](const LayoutRow& row) { return row.op == op; });
    if (it != rows.end()) return &*it;
  }
  return nullptr;
}

Rule FindRuleOfLayout(std::string_view op, OtherLayout layout) {
  const LayoutRow* row = FindLayoutRow(op, layout);
  return row ? row->rule : nullptr;
}

}  // namespace fakeprop
