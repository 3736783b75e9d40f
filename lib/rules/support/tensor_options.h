// The tensor options of operators that make tensors from nothing.
#pragma once

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

struct TensorOptions {
  ScalarType dtype;
  Device device;
};

// The dtype and device arguments; these defaults if they are None. Throws an OpError of class UnsupportedOperator if
// the layout is not strided.
TensorOptions TensorOptionsOf(const Call& call, ScalarType dtype, Device device);

// Returns a dense tensor of these sizes, on the cpu if neither a device nor a tensor is given.
Output& ReturnFactory(Call& call, DimSpan sizes, ScalarType default_dtype);

// The same of any layout: a tensor in which no element is specified, for operators that need not fill it.
Output& ReturnUnspecified(Call& call, DimSpan sizes, ScalarType default_dtype);

// Rule: as empty_like of `self` with the call's options and memory format.
void FactoryLike(Call& call);

}  // namespace fakeprop::rules
