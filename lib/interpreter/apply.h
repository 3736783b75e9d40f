// Applies the effects of one operator call to the objects of a run. Objects change only here.
#pragma once

#include <span>

#include "lib/rules/core/call.h"
#include "lib/rules/rule_table.h"
#include "lib/schema/differentiability.h"

namespace fakeprop {

// How autograd follows an operator's tensors.
struct GradRule {
  uint32_t inputs = ~0u;   // bit i: requires_grad of argument i matters
  uint32_t outputs = ~0u;  // bit i: result i requires grad if an input does
  uint32_t refused = 0;    // bit i: argument i must not require grad
  uint32_t flags = 0;      // DifferentiabilityFlag
  bool no_result = false;  // no result requires grad, whatever the masks say
  bool by_dtype = false;   // autograd follows only writes into floating and complex tensors
  ListViews list_views = {};
};

// Made from derivatives.yaml's entry for the operator in a version of torch, or for the functional one that serves it,
// and from the row of its rule.
GradRule FindGradRule(const Schema& schema, const ServedRule* served, int torch);

// Makes the results, changes the arguments, and returns the node's value: one Value for an operator with one result, a
// tuple for several, None for none. If autograd forbids a write, throws an OpError of class AutogradError before
// anything changes.
Value ApplyEffects(Effects& effects, const Schema& schema, std::span<const Value* const> arguments,
    const GradRule& grad, const ExecutionState& state, ObjectTable& objects);

}  // namespace fakeprop
