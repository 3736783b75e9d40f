// Operators and the rules that serve them.
#pragma once

#include <span>
#include <string_view>

#include "lib/rules/call.h"

namespace fakeprop {

enum class Devices {
  kOne,      // all tensors on one device; 0-dim cpu tensors may mix with another device
  kAny,      // the rule itself decides
};
enum class Grad {
  kDefault,  // floating and complex results require grad where an input does
  kNone,     // no result does (zeros_like, bernoulli's mask ...)
  kFirst,    // the first result only (native_batch_norm, max_pool's indices are integral anyway)
};

// A row of a family's table.
struct RuleRow {
  std::string_view op;   // "aten::where.self"
  Rule rule;
  Devices devices = Devices::kOne;
  Grad grad = Grad::kDefault;
};

// Rows of one family, in lib/rules/<family>.cc.
using RuleRows = std::span<const RuleRow>;

// How a rule serves an operator: itself, or by way of the functional form.
enum class Form { kDirect, kInplace, kOut, kCopy };

struct ServedRule {
  const RuleRow* row = nullptr;
  Form form = Form::kDirect;
  const Schema* row_schema = nullptr;   // of the row's operator; the call's own for kDirect
};

// The rule for an operator, found directly or derived through the schema table: `add_.Tensor` and `add.out` by
// `add.Tensor`, `expand_copy` by `expand`. `row` is null where there is none.
ServedRule FindRule(const Schema& schema);

// Every row, sorted by operator. A duplicate is an InternalError.
std::span<const RuleRow> AllRules();

// Runs the rule in its form: states the effects of this call.
void RunRule(const ServedRule& served, Call& call);

}  // namespace fakeprop
