// The arguments of a node as one run has them: results of nodes in the place of references to them.
#pragma once

#include "lib/propagate/call_arguments.h"
#include "lib/propagate/fake_inputs.h"
#include "lib/propagate/frame.h"

namespace fakeprop {

// Adds the node's arguments, by position.
void Evaluate(const Frame& frame, const ResolvedNode& resolved, FakeInputs& inputs, CallArguments& arguments);

// One value as the graph has it.
Value Substitute(const Frame& frame, FakeInputs& inputs, const Value& written);

}  // namespace fakeprop
