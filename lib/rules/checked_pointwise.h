// Elementwise rules for operators that do not take every dtype.
#pragma once

#include "lib/rules/elementwise.h"
#include "lib/rules/results.h"

namespace fakeprop {

// The dtypes that an operator computes in.
enum class Takes { kAny, kNotComplex, kNotBool, kReal, kFloat, kFloatOrComplex, kIntegral, kInteger };

// kNotBool: complex is taken; kReal: neither complex nor bool; kIntegral: bool counts; kInteger: it does not.
void RequireDtype(const Call& call, ScalarType dtype, Takes takes);

// Rule: a new tensor elementwise over the arguments at `Positions`, whose promoted dtype the operator must take.
template <Takes T, Promotion P, int... Positions>
void Checked(Call& call) {
  static constexpr int kPositions[] = {Positions...};
  const ScalarType promoted = PromotedDtype(call, kPositions);
  RequireDtype(call, promoted, T);
  call.ReturnNew(ElementwiseMeta(call, kPositions, ApplyPromotion(promoted, P, call.state())));
}

}  // namespace fakeprop
