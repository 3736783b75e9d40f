// Applies the effects of one operator call to the objects of a run. Objects change only here.
#pragma once

#include <span>

#include "lib/interpreter/autograd.h"

namespace fakeprop {

// Makes the results, changes the arguments, and returns the node's value: one Value for an operator with one result, a
// tuple for several, None for none. If autograd forbids a write, throws an OpError of class AutogradError before
// anything changes.
Value ApplyEffects(Effects& effects, const Schema& schema, std::span<const Value* const> arguments,
    const GradRule& grad, const ExecutionState& state, ObjectTable& objects);

}  // namespace fakeprop
