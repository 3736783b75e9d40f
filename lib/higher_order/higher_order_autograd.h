// The effect of autograd on a higher-order operator. Source: py_autograd_impl in torch/_ops.py,
// autograd_not_implemented in torch/_higher_order_ops/utils.py, THPFunction_apply in
// torch/csrc/autograd/python_function.cpp (torch 2.13).
#pragma once

#include "lib/higher_order/higher_order.h"

namespace fakeprop {

// How an operator takes part in autograd.
enum class Autograd {
  kFunction,        // a torch.autograd.Function: the graph runs with grad mode off, and its results require grad
  kNotImplemented,  // an error deferred to backward: grad mode stays, the results are detached and require grad
};

// As long as it lives, operators run below autograd.
class AutogradRegion {
 public:
  // `operands` are all tensors that may require grad.
  AutogradRegion(HigherOrderCall& call, Autograd kind, std::span<const Value> operands);
  ~AutogradRegion() { call_.host().below_autograd() = was_below_; }
  AutogradRegion(const AutogradRegion&) = delete;
  AutogradRegion& operator=(const AutogradRegion&) = delete;

  // Returns true if autograd records the call.
  bool recorded() const { return recorded_; }
  // The results as the node returns them: floating and complex tensors require grad if the call is recorded.
  Value Finish(Value results);

 private:
  Tensor* FinishTensor(Tensor& t);

  HigherOrderCall& call_;
  const Autograd kind_;
  const bool was_below_;
  const bool recorded_;
  StateGuard state_;
  std::vector<Tensor*> operands_;
};

// Runs the graph on the operands as autograd does for this kind.
Value RunWithAutograd(HigherOrderCall& call, Autograd kind, const Subgraph& graph, std::span<const Value> operands);

}  // namespace fakeprop
