// Autograd: which calls it records, and which it forbids. apply.h marks the tensors of those that it records.
#pragma once

#include <span>

#include "lib/rules/core/call.h"
#include "lib/rules/rule_table.h"
#include "lib/schema/differentiability.h"

namespace fakeprop {

// How autograd follows an operator's tensors.
struct GradRule {
  uint32_t inputs = ~0u;      // bit i: requires_grad of argument i matters
  uint32_t outputs = ~0u;     // bit i: result i requires grad if an input does
  uint32_t refused = 0;       // bit i: argument i must not require grad
  uint32_t flags = 0;         // DifferentiabilityFlag
  bool is_composite = false;  // the operators that it is made of are recorded, not itself
  bool no_result = false;     // no result requires grad, whatever the masks say
  bool by_dtype = false;      // autograd follows only writes into floating and complex tensors
  ListViews list_views = {};
};

// Made from derivatives.yaml's entry for the operator in a version of torch, or for the functional one that serves it,
// and from the row of its rule.
GradRule FindGradRule(const Schema& schema, const ServedRule* served, int torch);

// Returns true if autograd records this call: grad mode is on, and an input that it follows requires grad.
bool IsRecorded(std::span<const Value* const> arguments, const GradRule& grad, const ExecutionState& state);

// The checks throw OpErrors of class AutogradError.

// A recorded in-place write: not to a leaf, nor to some views.
void CheckInplace(const Schema& schema, Tensor& target);
// The arguments of a recorded call that autograd follows: no view that has lost the way to its base.
void CheckViews(const Schema& schema, std::span<const Value* const> arguments, const GradRule& grad);
// A recorded operation asks the views that it reads for what made them, which makes those of a base that began to
// require grad later no leaves. Source: VariableHooks::grad_fn, is_leaf in torch/csrc/autograd/variable.cpp
// (torch 2.13).
void FollowViews(std::span<const Value* const> arguments, const GradRule& grad);
// The results of a recorded call.
void CheckResults(
    const Schema& schema, std::span<const Value* const> arguments, const GradRule& grad, const Effects& effects);
// The arguments of any call, whether or not it is recorded.
void CheckRefused(const Schema& schema, std::span<const Value* const> arguments, const GradRule& grad);

}  // namespace fakeprop
