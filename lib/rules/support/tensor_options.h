// What operators that make tensors from nothing share: their tensor options.
#pragma once

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

struct TensorOptions {
  ScalarType dtype;
  Device device;
};

// The dtype and device arguments, else these; a layout other than strided is an OpError of class UnsupportedOperator.
TensorOptions TensorOptionsOf(const Call& call, ScalarType dtype, Device device);

// A dense tensor of these sizes, on the cpu where no device and no tensor is given.
Output& ReturnFactory(Call& call, DimSpan sizes, ScalarType default_dtype);

// Rule: as empty_like of `self` with the call's options and memory format.
void FactoryLike(Call& call);

}  // namespace fakeprop::rules
