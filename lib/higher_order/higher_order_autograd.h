// What autograd does around a higher-order operator. Source: py_autograd_impl in torch/_ops.py,
// autograd_not_implemented in torch/_higher_order_ops/utils.py, THPFunction_apply in
// torch/csrc/autograd/python_function.cpp (torch 2.13).
#pragma once

#include "lib/higher_order/higher_order.h"

namespace fakeprop {

// How an operator takes part in autograd.
enum class Autograd {
  kFunction,        // a torch.autograd.Function: what is beneath runs with grad mode off, its results require grad
  kNotImplemented,  // an error deferred to backward: grad mode as it is, the results are detached and require grad
};

// From its making on, operators run beneath autograd; back as before at its end.
class AutogradRegion {
 public:
  // `operands`: all that may require grad.
  AutogradRegion(HigherOrderCall& call, Autograd kind, std::span<const Value> operands);
  ~AutogradRegion() { call_.host().below_autograd() = was_below_; }
  AutogradRegion(const AutogradRegion&) = delete;
  AutogradRegion& operator=(const AutogradRegion&) = delete;

  // Whether autograd records the call.
  bool recorded() const { return recorded_; }
  // The results as the node returns them: a floating or complex one requires grad where the call is recorded.
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

// Runs the graph on the operands as autograd's rule of this kind does.
Value RunWithAutograd(HigherOrderCall& call, Autograd kind, const Subgraph& graph, std::span<const Value> operands);

}  // namespace fakeprop
