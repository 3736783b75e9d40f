// Elementwise rules that take certain dtypes only.
#pragma once

#include <string_view>

#include "lib/rules/elementwise.h"

namespace fakeprop {

// The dtypes that an operator computes in: those that the kernels of every backend implement. An operand is judged by
// the dtype that the operands promote to, as kernels dispatch on the common dtype.
enum class Accepts {
  kAll,
  kReal,            // all but complex
  kNumbers,         // all but bool
  kRealNumbers,     // neither bool nor complex
  kIntegral,        // integers and bool
  kIntegers,        // integers, no bool
  kFloat,           // floating-point only
  kFloatOrComplex,
};

bool Accepted(Accepts accepts, ScalarType dtype);
// A dtype outside is an OpError of class DtypeMismatch that names it.
void RequireAccepted(const Call& call, Accepts accepts, ScalarType dtype);

// Rule: as Pointwise, of operands that promote to an accepted dtype.
template <Promotion P, Accepts A, int... Positions>
void PointwiseOf(Call& call) {
  static constexpr int kPositions[] = {Positions...};
  const ScalarType promoted = PromotedDtype(call, kPositions);
  RequireAccepted(call, A, promoted);
  call.ReturnNew(ElementwiseMeta(call, kPositions, ApplyPromotion(promoted, P, call.state())));
}

}  // namespace fakeprop
