#include "lib/rules/support/autograd_demands.h"

#include "lib/meta/dtype.h"
#include "lib/meta/value_visit.h"
#include "lib/rules/core/failures.h"

namespace fakeprop::rules {

void RequireNoGrad(const Call& call, std::initializer_list<ArgumentName> names) {
  if (!call.state().grad_enabled) return;
  for (ArgumentName name : names) {
    const Operand t = call.TryIn(name);
    if (!t || !t.tensor().RequiresGrad()) continue;
    Fail(ErrorClass::kAutogradError,
        Format("{}: the function is not differentiable with respect to argument '{}'. This input cannot have "
               "requires_grad True",
            OpName(call), call.NameOf(name)),
        {&t.tensor()});
  }
}

void RequireDifferentiable(const Call& call, std::initializer_list<ArgumentName> names) {
  if (!call.state().grad_enabled) return;
  for (ArgumentName name : names)
    ForEachTensor(call.Arg(name), [&](const Tensor& t) {
      if (t.RequiresGrad() && !IsFloatOrComplex(t.meta.dtype))
        Fail(ErrorClass::kAutogradError,
            Format("{}: Autograd not support dtype: {}", OpName(call), C10DtypeName(t.meta.dtype)), {&t});
    });
}

void RequireRealFormula(const Call& call, const Tensor& t, ScalarType result) {
  if (IsComplex(result) && call.state().grad_enabled && t.RequiresGrad())
    FailAs(call, ErrorClass::kAutogradError,
        "does not support automatic differentiation for outputs with complex dtype: its formula is of real numbers");
}

void FollowOnly(Call& call, std::initializer_list<ArgumentName> names) {
  Output& result = call.effects().outputs[0];
  bool any = false;
  for (ArgumentName name : names) any = any || call.In(name).tensor().RequiresGrad();
  result.requires_grad = any && call.state().grad_enabled && IsFloatOrComplex(result.meta.dtype);
}

void RequireNothingRecorded(const Call& out_form) {
  if (!out_form.state().grad_enabled) return;
  for (const Value* argument : out_form.arguments())
    if (AnyTensor(*argument, [](const Tensor& t) { return t.RequiresGrad(); }))
      Fail(ErrorClass::kAutogradError,
          OpName(out_form) +
              ": forms with out= do not support automatic differentiation, but an argument requires grad");
}

void RequireResizable(const Call& call, const Tensor& t) {
  if (t.RequiresGrad())
    Fail(ErrorClass::kAutogradError, OpName(call) + ": a tensor that requires grad cannot be resized", {&t});
}

}  // namespace fakeprop::rules
