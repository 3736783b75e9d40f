// What copies and conversions of sparse tensors share, whatever their layout.
#pragma once

#include "lib/rules/core/call.h"
#include "lib/rules/support/outputs.h"
#include "lib/rules/support/sparse_results.h"

namespace fakeprop::rules {

// A `layout` argument names the operand's own.
void RequireOwnLayout(const Call& call);

// Moves a result with its parts to the `device` argument, if there is one.
void PutOnDevice(const Call& call, Output& out);

// Rule of to(): the operand itself if nothing about it changes.
template <void (*Copy)(Call&)>
void CopiedIfChanged(Call& call) {
  if (ConvertsSelf(call)) return Copy(call);
  ReturnSelf(call);
}

}  // namespace fakeprop::rules
