// The rules for calls with a tensor of another layout than strided: a table for each layout.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lib/rules/rule_table.h"

namespace fakeprop {

// What the kernel of an out= form does to an out tensor of this layout.
enum class LayoutOut : uint8_t {
  kCopied,           // resizes it, and copies the result into it
  kReplaced,         // gives it the result's parts, whatever it had
  kReplacedAtDtype,  // the same, but it has to have the result's dtype
  kReplacedAtSize,   // the same, but it has to have the result's dtype and sizes
  kStrided,          // it has to be strided
  kNone,             // there is no such kernel, whatever the layout of the out tensor
};

struct LayoutRow {
  std::string_view op;
  Rule rule;
  LayoutOut out = LayoutOut::kCopied;
};
using LayoutRows = std::span<const LayoutRow>;

namespace rules {
LayoutRows CooRows();
LayoutRows CooMathRows();
LayoutRows CooViewRows();
LayoutRows CompressedRows();
LayoutRows CompressedMathRows();
LayoutRows CompressedViewRows();
LayoutRows MkldnnRows();
LayoutRows NestedTensorRows();
}  // namespace rules

// Every row of a layout, table by table.
std::vector<LayoutRows> RowsOf(OtherLayout layout);

// Null if no row serves the operator on tensors of this layout.
const LayoutRow* FindLayoutRow(std::string_view op, OtherLayout layout);
Rule FindRuleOfLayout(std::string_view op, OtherLayout layout);

}  // namespace fakeprop
