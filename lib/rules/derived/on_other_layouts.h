// Calls with a tensor of another layout than strided.
#pragma once

#include <optional>

#include "lib/rules/rule_table.h"

namespace fakeprop {

// The layout that decides which rule serves the call. Nothing if all tensors are strided. Source: the order of
// DispatchKey (c10/core/DispatchKey.h, torch 2.15), in which SparseCsr comes before Sparse.
std::optional<OtherLayout> FindOtherLayout(const Call& call);

// For operators without a rule: throws an OpError of class UnsupportedOperator if a tensor is not strided.
void RequireStrided(const Call& call);

// Runs the rule for this layout. Returns false if the call is a form of an operator without one of its own. Throws an
// OpError of class UnsupportedOperator if no rule serves the call.
bool RunOnLayout(const ServedRule& served, OtherLayout layout, Call& call);

// Writes the result of an out= form, whose functional operator ran, to an out tensor of the same layout.
void WriteOutOfLayout(Call& call, const Schema& functional, const Output& result, Tensor& out);

// After the functional operator of an in-place form ran: replaces the parts of what the form writes. Returns false if
// it is another form or writes to a strided tensor.
bool ReplaceWritten(Form form, Call& call, Effects& functional);

}  // namespace fakeprop
