// Facts of out= forms that depend on the call, or that several families share (lib/rules/core/operator_facts.h).
#pragma once

#include "lib/rules/core/call.h"
#include "lib/rules/core/operator_facts.h"
#include "lib/rules/core/shapes.h"

namespace fakeprop::rules {

// For kernels that copy selected elements into an out tensor, which they look at before it gets its size.
constexpr OperatorFacts kSelects =
    Reads::kSelected | ReadsWritten::kNothingInOut | Looks::kBeforeResize | Overlap::kRefusedBeforeResize;

// For kernels that look at the out tensor's dtype only where this operand has elements.
template <ArgumentName kRead>
OutDtype OutDtypeIfRead(const Call& out_form) {
  return IsKnownEmpty(out_form.In(kRead)) ? OutDtype::kAny : OutDtype::kExact;
}

}  // namespace fakeprop::rules
