// The arguments of a node as one run has them: results and sizes in the place of what refers to them.
#pragma once

#include "lib/interpreter/fake_inputs.h"
#include "lib/interpreter/frame.h"
#include "lib/meta/call_arguments.h"

namespace fakeprop {

// Adds the node's arguments, by position.
void Evaluate(const Frame& frame, const ResolvedNode& resolved, FakeInputs& inputs, CallArguments& arguments);

// One value as the graph has it.
Value Substitute(const Frame& frame, FakeInputs& inputs, const GraphValue& written);

}  // namespace fakeprop
