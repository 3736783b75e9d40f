// Operators and the rules that serve them.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "lib/rules/core/call.h"
#include "lib/rules/core/operator_facts.h"

namespace fakeprop {

// A row of a family's table.
struct RuleRow {
  std::string_view op;  // "aten::where.self"
  Rule rule;
  OperatorFacts facts =
      {};  // facts of the operator, and of its in-place, out= and copying forms without a row of their own
};
// For a row that has only facts: the rule of the functional operator or LibTorch's kernels serve the operator.
inline constexpr Rule kNoRule = nullptr;
using RuleRows = std::span<const RuleRow>;

// The layouts other than strided that have rules of their own (lib/rules/other_layouts).
enum class OtherLayout : uint8_t { kCoo, kCompressed, kMkldnn, kNested };
inline constexpr size_t kOtherLayouts = 4;
// Nothing for strided tensors.
constexpr std::optional<OtherLayout> OtherLayoutOf(Layout layout) {
  switch (layout) {
    case Layout::Sparse: return OtherLayout::kCoo;
    case Layout::SparseCsr:
    case Layout::SparseCsc:
    case Layout::SparseBsr:
    case Layout::SparseBsc: return OtherLayout::kCompressed;
    case Layout::Mkldnn: return OtherLayout::kMkldnn;
    case Layout::Jagged: return OtherLayout::kNested;
    default: return std::nullopt;
  }
}

// How a row serves an operator: directly, or as a form of its functional operator.
enum class Form { kDirect, kInplace, kOut, kCopy };

struct ServedRule {
  const RuleRow* row = nullptr;          // the row at the end of the chain
  const OperatorFacts* facts = nullptr;  // the facts of the first row of the chain, which may have only facts
  Form form = Form::kDirect;
  // The operator that this one is a form of: its rule is used, but for kDirect. An out= form has its formulas.
  const Schema* functional = nullptr;
  const ServedRule* inner = nullptr;  // how that operator is served
  Devices devices = Devices::kOne;    // the devices of a call in this form
  // The rules of calls with a tensor of another layout, by OtherLayout. Null for those that none serves.
  std::array<Rule, kOtherLayouts> layouts = {};
};

// The rule for an operator, which has a row or is a derived form: `add_.Tensor` and `add.out` of `add.Tensor`,
// `expand_copy` of `expand`. Null if there is none. The pointer stays valid. Thread-safe.
const ServedRule* FindRule(const Schema& schema);

// The facts of the operator's row. If it has no row, those of the operator from which it is derived. The reference
// stays valid. Thread-safe.
const OperatorFacts& FindFacts(const Schema& schema);

// Every row, sorted by operator. A duplicate is an InternalError.
std::span<const RuleRow> AllRows();

// Runs the rule in its form, which states the effects of the call.
void RunRule(const ServedRule& served, Call& call);

}  // namespace fakeprop
