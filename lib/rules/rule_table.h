// Operators and the rules that serve them.
#pragma once

#include <span>
#include <string_view>

#include "lib/rules/core/call.h"
#include "lib/rules/core/common_device.h"

namespace fakeprop {

// Which results require grad where an input does. What derivatives.yaml says of an operator comes first
// (lib/schema/differentiability.h); a rule can say so itself (Output::requires_grad).
enum class Grad {
  kFollowed,  // floating and complex ones
  kNone,      // none (zeros_like, new_ones: made from metadata alone)
};

// A row of a family's table.
struct RuleRow {
  std::string_view op;  // "aten::where.self"
  Rule rule;
  Devices devices = Devices::kOne;
  Grad grad = Grad::kFollowed;
};
using RuleRows = std::span<const RuleRow>;

// How a row serves an operator: itself, or by way of its functional form.
enum class Form { kDirect, kInplace, kOut, kCopy };

struct ServedRule {
  const RuleRow* row = nullptr;  // the row at the end of the chain
  Form form = Form::kDirect;
  const Schema* functional = nullptr;  // the operator that stands in, for forms other than kDirect
  const ServedRule* inner = nullptr;   // how that one is served
  Devices devices = Devices::kOne;     // of a call in this form
};

// The rule for an operator, found directly or derived through the schema table: `add_.Tensor` and `add.out` by
// `add.Tensor`, `expand_copy` by `expand`; null where there is none. The pointer stays valid. Thread-safe.
const ServedRule* FindRule(const Schema& schema);

// Every row, sorted by operator. A duplicate, or a row whose operator has no schema, is an InternalError.
std::span<const RuleRow> AllRules();

// Runs the rule in its form: states the effects of this call.
void RunRule(const ServedRule& served, Call& call);

}  // namespace fakeprop
