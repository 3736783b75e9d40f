// What autograd demands of the operands of some rules and which it follows, beside what hosts check of every call.
#pragma once

#include <initializer_list>

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

// For composites. Demands that these operands do not require grad: an operator inside has no formula for them.
// Source: check_no_requires_grad in torch/csrc/autograd/VariableTypeUtils.h (torch 2.13).
void RequireNoGrad(const Call& call, std::initializer_list<ArgumentName> names);

// Part of a rule for composites that begin with recorded operators, views for example, of these arguments: autograd
// makes no integer tensor of one that requires grad, as _foreach_copy_ leaves one. Source: set_history in
// torch/csrc/autograd/functions/utils.h (torch 2.13).
void RequireDifferentiable(const Call& call, std::initializer_list<ArgumentName> names);
template <ArgumentName... Names>
void RequireDifferentiable(Call& call) {
  RequireDifferentiable(call, {Names...});
}

// For composites with an operator inside that makes a result of this dtype of `t`, and whose formula is of real numbers
// only. Source: throw_error_for_complex_autograd in torch/csrc/autograd/VariableTypeUtils.h (torch 2.13).
void RequireRealFormula(const Call& call, const Tensor& t, ScalarType result);

// Autograd follows no operands but these to the first result.
void FollowOnly(Call& call, std::initializer_list<ArgumentName> names);

// For out= forms that autograd records only where they end in a copy. Demands of other calls that no tensor requires
// grad.
void RequireNothingRecorded(const Call& out_form);

// Demands that `t` does not require grad, whatever the grad mode, since it is resized.
// Source: resize_ in torch/csrc/autograd/VariableTypeManual.cpp (torch 2.13).
void RequireResizable(const Call& call, const Tensor& t);

}  // namespace fakeprop::rules
