// What an operator writes, where tensors that it reads, or other elements of the same tensor, lie in part.
#pragma once

#include "lib/rules/core/call.h"
#include "lib/rules/core/operator_facts.h"

namespace fakeprop::rules {

// Returns true if the kernel gets a copy of the tensor, to which its pending bits are applied.
bool IsResolved(const OperatorFacts& facts, const TensorMeta& t);

// Demands that the call reads no elements of `written` but those that the facts allow (ReadsWritten, Compares,
// MathBits). If the call has resized `written` already, its new size counts.
void RequireNoPartOf(const Call& call, const Tensor& written, const OperatorFacts& facts);

// Demands that no two elements of a tensor that the call writes share memory.
void RequireUnshared(const Call& call, const Tensor& written);
inline void RequireUnshared(const Call& call, const Operand& written) { RequireUnshared(call, written.tensor()); }

// Writes an out tensor of these sizes, with both demands. One of another size is resized, which gives each element
// memory of its own, and parts it from other tensors.
void WriteUnshared(Call& call, const Operand& out, const Dims& sizes, const OperatorFacts& facts);

}  // namespace fakeprop::rules
