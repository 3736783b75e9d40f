// Makes single outputs of a call, for rules that choose between a view, a copy and the argument itself, or that return
// lists.
#pragma once

#include <vector>

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

Output NewOutput(TensorMeta meta);
Output ViewOutput(Tensor& of, TensorMeta meta);
Output ArgumentOutput(Tensor& argument);
// An output that shares the storage and requires grad as its source does, but is not a view for autograd (_unsafe_view,
// unsafe_split).
Output UntrackedViewOutput(const Call& call, Tensor& of, TensorMeta meta);

Output& Return(Call& call, Output output);
void ReturnList(Call& call, std::vector<Output> items);

// A view of the argument `self`.
Output& ReturnViewOfSelf(Call& call, TensorMeta meta);
// Writes a tensor, for operators that have no functional form, and returns it. No two of its elements may share memory.
void ReturnWritten(Call& call, const Operand& t);
// Runs the rule of the functional operator and writes its result to `self`. Unlike other in-place forms, those of
// masked_fill and index_put take tensors whose elements share memory.
void WriteExpanded(Call& call, Rule functional);
// Rules: the argument `self` itself, and a new tensor of all its metadata in the same storage.
void ReturnSelf(Call& call);
void ReturnAliasOfSelf(Call& call);

}  // namespace fakeprop::rules
