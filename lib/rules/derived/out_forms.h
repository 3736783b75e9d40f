// How an out= form treats its out tensor, as the facts of its operator say.
#pragma once

#include "lib/rules/core/call.h"
#include "lib/rules/core/operator_facts.h"

namespace fakeprop {

// `functional` is the operator whose result `out_form` writes, and `facts` are its facts in all of these.

// Which dtype the out tensor may have: neither kByTag nor kAnyOnCpu.
OutDtype OutDtypeIn(const Call& out_form, const Schema& functional, const OperatorFacts& facts);

// Whether `out`, of other sizes than the result, takes the result's strides; else it is made contiguous.
bool KeepsStridesInOut(const Call& out_form, const OperatorFacts& facts, const TensorMeta& out);

// Whether several elements of the out tensor may share one memory location.
bool MayOverlapInOut(const Schema& out_form, const OperatorFacts& facts);

}  // namespace fakeprop
