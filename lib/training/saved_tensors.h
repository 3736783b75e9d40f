// The tensors that autograd saves at an operator call for the call's backward formula.
//
// Operators with a formula follow derivatives.yaml (torch 2.13). SavedComposite operators follow the operators that
// they are made of: docs/memory.md says what is approximate.
#pragma once

#include <string_view>
#include <vector>

#include "lib/cost/counted_call.h"

namespace fakeprop {

struct SavedTensors {
  std::vector<const Tensor*> tensors;  // operands and results
  std::vector<Dim> hidden;             // bytes of tensors that the operator makes, saves and does not return
  bool is_approximate = false;         // the operator is in no table: it is taken to save its operands and results
};

// A result of the call must require grad.
SavedTensors FindSavedTensors(const CountedCall& call);

// Sizes times the bytes of an element: the bytes of a dense tensor of this shape.
Dim DenseBytes(const Tensor& t);

}  // namespace fakeprop
