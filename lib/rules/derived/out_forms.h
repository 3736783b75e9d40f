// How an out= form treats its out tensor, according to the facts of its operator.
#pragma once

#include "lib/rules/core/call.h"
#include "lib/rules/core/operator_facts.h"

namespace fakeprop {

// In all functions `functional` is the operator whose result `out_form` writes, and `facts` are its facts.

// Which dtype the out tensor may have. Never kByTag or kAnyOnCpu.
OutDtype OutDtypeIn(const Call& out_form, const Schema& functional, const OperatorFacts& facts);

// Returns true if `out`, which has other sizes than the result, gets the result's strides. Else it is made contiguous.
bool KeepsStridesInOut(const Call& out_form, const OperatorFacts& facts, const TensorMeta& out);

// Returns true if the out tensor gets the strides of `result` although it has its sizes.
bool SetsStridesInOut(const Call& out_form, const OperatorFacts& facts, const TensorMeta& result);

// Whether several elements of the tensor that an in-place or out= form writes may share one memory location.
Overlap OverlapIn(const Call& form, const OperatorFacts& facts);
// Returns true if those of the out tensor may.
bool MayOverlapInOut(const Call& out_form, const OperatorFacts& facts, int64_t rank);
// Returns true if they may not, although the out tensor will get another size.
bool RefusesOverlapBeforeResize(const Call& out_form, const OperatorFacts& facts);

// The strides of an out tensor that gets a result's sizes. What is an argument itself is copied, unless the kernel is
// said to be elementwise. `m`: the result's metadata.
Dims StridesOfResized(
    const Call& call, const OperatorFacts& facts, const Output& result, const TensorMeta& m, const TensorMeta& out);
// For a result of more memory than it fills, as losses are that are reduced in their place.
void GrowStorage(Mutation& written, Dim nbytes);

}  // namespace fakeprop
