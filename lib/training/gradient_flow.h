// How the gradient of a call's result becomes that of its operands: in the same bytes, or in new ones.
#pragma once

#include "lib/cost/counted_call.h"

namespace fakeprop {

enum class GradientFlow {
  kNone,  // the operand gets no gradient
  kSame,  // the operand's gradient is the result's, or a view of it
  kNew,   // the formula makes a tensor of the operand's sizes
};

// `operand` is a tensor in the call's arguments that requires grad.
GradientFlow FlowTo(const CountedCall& call, const Tensor& operand);

// The bytes that the formula holds beside the gradients of result and operands.
Dim FormulaScratch(const CountedCall& call);
// The gradient of a smaller operand before it is summed to the operand's sizes.
Dim BroadcastScratch(const CountedCall& call, const Tensor& operand);

}  // namespace fakeprop
