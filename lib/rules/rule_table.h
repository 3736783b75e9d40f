// Operators and the rules that serve them.
#pragma once

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
      {};  // of the operator, and of the in-place, out= and copying forms that have no row of their own
};
// In a row of facts alone: the rule is that of the functional operator, or LibTorch's kernels serve the operator.
inline constexpr Rule kNoRule = nullptr;
using RuleRows = std::span<const RuleRow>;

// How a row serves an operator: itself, or by way of its functional form.
enum class Form { kDirect, kInplace, kOut, kCopy };

struct ServedRule {
  const RuleRow* row = nullptr;          // the row at the end of the chain
  const OperatorFacts* facts = nullptr;  // of the first row of the chain, one of facts alone too
  Form form = Form::kDirect;
  const Schema* functional = nullptr;  // the operator that stands in, for forms other than kDirect
  const ServedRule* inner = nullptr;   // how that one is served
  Devices devices = Devices::kOne;     // of a call in this form
};

// The rule for an operator, found directly or derived through the schema table: `add_.Tensor` and `add.out` by
// `add.Tensor`, `expand_copy` by `expand`; null where there is none. The pointer stays valid. Thread-safe.
const ServedRule* FindRule(const Schema& schema);

// The facts of the operator's row, or where it has none of that of the operator from which it is derived. The reference
// stays valid. Thread-safe.
const OperatorFacts& FindFacts(const Schema& schema);

// Every row, sorted by operator. A duplicate is an InternalError.
std::span<const RuleRow> AllRows();

// Runs the rule in its form: states the effects of this call.
void RunRule(const ServedRule& served, Call& call);

}  // namespace fakeprop
