// Applies the effects of one operator call to the objects of a run: the only place where objects change.
#pragma once

#include <span>

#include "lib/rules/core/call.h"
#include "lib/rules/rule_table.h"
#include "lib/schema/differentiability.h"

namespace fakeprop {

// What autograd does with an operator's tensors.
struct GradRule {
  uint32_t inputs = ~0u;   // bit i: requires_grad of argument i matters
  uint32_t outputs = ~0u;  // bit i: result i follows
  bool no_result = false;  // no result follows, whatever the masks say
  bool by_dtype = false;   // a write is followed only into floating and complex tensors
  ListViews list_views = {};
};

// From derivatives.yaml's knowledge of the operator, or of the functional one that serves it, and its rule's row.
GradRule FindGradRule(const Schema& schema, const ServedRule* served);

// Makes the results, changes the arguments, and gives what the node returns: one Value for an operator with one
// result, a tuple for several, None for none. Autograd's objections to a write are an OpError of class AutogradError,
// thrown before anything changes.
Value ApplyEffects(Effects& effects, const Schema& schema, std::span<const Value* const> arguments,
    const GradRule& grad, const ExecutionState& state, ObjectTable& objects);

}  // namespace fakeprop
