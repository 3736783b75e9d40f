// Elementwise rules for operators that do not take every dtype.
#pragma once

#include "lib/rules/core/operator_facts.h"
#include "lib/rules/core/results.h"
#include "lib/rules/support/elementwise.h"

namespace fakeprop::rules {

// What the tag of pointwise operators says, for kernels on a TensorIterator whose operators lack the tag: mostly other
// names of operators.
constexpr OperatorFacts kUntagged = OutDtype::kCast | ReadsWritten::kItself;

// Rule: a new tensor, elementwise over the arguments of these names. The operator must take their promoted dtype.
template <const DtypeClass& kClass, Promotion P, ArgumentName... Names>
void Checked(Call& call) {
  static constexpr ArgumentName kNames[] = {Names...};
  const ScalarType promoted = PromotedDtype(call, kNames);
  RequireDtype(call, promoted, kClass);
  call.ReturnNew(ElementwiseMeta(call, kNames, ApplyPromotion(promoted, P, call.state())));
}

}  // namespace fakeprop::rules
