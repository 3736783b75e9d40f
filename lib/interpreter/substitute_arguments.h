// Evaluates the arguments of a node in one run: replaces references by results, and expressions by sizes.
#pragma once

#include "lib/interpreter/fake_inputs.h"
#include "lib/interpreter/frame.h"
#include "lib/meta/call_arguments.h"

namespace fakeprop {

// Adds the node's arguments, by position.
void Evaluate(const Frame& frame, const ResolvedNode& resolved, FakeInputs& inputs, CallArguments& arguments);

// Evaluates one value of the graph.
Value Substitute(const Frame& frame, FakeInputs& inputs, const GraphValue& written);

}  // namespace fakeprop
