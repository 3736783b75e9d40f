// How an out= form treats its out tensor: what it may hold, how it is laid out when it is resized.
#pragma once

#include "lib/graph/schema.h"

namespace fakeprop {

// What an out tensor may hold of the result.
enum class OutDtype {
  kExact,     // the very dtype
  kCast,      // any that the result can be cast to
  kCastReal,  // any real one
  kAny,       // any at all, by a copy
  kAnyReal,   // any real one, by a copy
};

// `functional` is the operator whose result `out_form` writes.
OutDtype OutDtypeOf(const Schema& out_form, const Schema& functional);

// Whether the result is copied into the out tensor as that is, broadcast to its sizes (at::native::split_copy_Tensor_out).
bool CopiesIntoOut(const Schema& functional);

// Whether an out tensor of other sizes takes the result's strides; the others make it contiguous.
bool KeepsStridesInOut(const Schema& out_form, const Schema& functional);

}  // namespace fakeprop
