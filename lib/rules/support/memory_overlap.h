// Tensors that an operator reads and that lie in part where it writes.
#pragma once

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

// Demands of each tensor that the call reads what its kernel does: pointwise ones take `written` itself, but no other
// view that shares elements with it; kernels that write in another order than they read take neither. Source:
// TensorIteratorBase::compute_mem_overlaps and at::assert_no_overlap (torch 2.13).
void RequireNoPartOf(const Call& call, const Tensor& written);

}  // namespace fakeprop::rules
