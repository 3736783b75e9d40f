// How an out= form treats its out tensor: what it may hold, how it is laid out when it is resized.
#pragma once

#include "lib/rules/core/call.h"

namespace fakeprop {

// What an out tensor may hold of the result.
enum class OutDtype {
  kExact,     // the very dtype
  kCast,      // any that the result can be cast to
  kCastReal,  // any real one
  kAny,       // any at all, by a copy
};

// `functional` is the operator whose result `call` writes.
OutDtype OutDtypeOf(const Call& call, const Schema& functional);

// Whether the result is copied into the out tensor as that is, broadcast to its sizes
// (at::native::split_copy_Tensor_out).
bool CopiesIntoOut(const Schema& functional);

// Whether `out`, of other sizes than the result, takes the result's strides; else it is made contiguous.
bool KeepsStridesInOut(const Call& call, const Schema& functional, const TensorMeta& out);

// Whether several elements of the out tensor may share one memory location: kernels that do not look.
bool MayOverlapInOut(const Schema& out_form, const Schema& functional);

}  // namespace fakeprop
