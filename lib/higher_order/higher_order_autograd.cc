#include "lib/higher_order/higher_order_autograd.h"

#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/meta/value_visit.h"

namespace fakeprop {
namespace {

bool AnyRequiresGrad(std::span<const Value> values) {
  const auto tensors = TensorsOf(values);
  return std::any_of(tensors.begin(), tensors.end(), [](const Tensor* t) { return t->RequiresGrad(); });
}

}  // namespace

AutogradRegion::AutogradRegion(HigherOrderCall& call, Autograd kind, std::span<const Value> operands)
    : call_(call),
      kind_(kind),
      was_below_(call.host().below_autograd()),
      recorded_(!was_below_ && call.state().grad_enabled && AnyRequiresGrad(operands)),
      state_(call.state()),
      operands_(TensorsOf(operands)) {
  call.host().below_autograd() = true;
  if (recorded_ && kind == Autograd::kFunction) call.state().grad_enabled = false;
}

Value AutogradRegion::Finish(Value results) {
  if (!recorded_) return results;
  return MapTensors(results, [this](Tensor& t) { return FinishTensor(t); });
}

// A function that returns an operand gives a view of it, and one whose error is deferred an alias of any result.
Tensor* AutogradRegion::FinishTensor(Tensor& t) {
  if (!IsFloatOrComplex(t.meta.dtype)) return &t;
  const bool is_operand = std::find(operands_.begin(), operands_.end(), &t) != operands_.end();
  Tensor* result = &t;
  if (is_operand || kind_ == Autograd::kNotImplemented) {
    result = call_.objects().NewTensor(t.meta, t.storage);
    if (kind_ == Autograd::kFunction) result->base = t.base ? t.base : &t;
  }
  result->own_requires_grad = true;
  result->is_leaf = false;
  return result;
}

Value RunWithAutograd(HigherOrderCall& call, Autograd kind, const Subgraph& graph, std::span<const Value> operands) {
  AutogradRegion region(call, kind, operands);
  return region.Finish(call.Run(graph, operands));
}

}  // namespace fakeprop
