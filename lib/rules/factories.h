// What operators that make tensors from nothing share: their tensor options.
#pragma once

#include "lib/rules/call.h"

namespace fakeprop {

struct Options {
  ScalarType dtype;
  Device device;
};

// The dtype and device arguments, else these; a layout other than strided is an OpError of class UnsupportedOperator.
Options ReadOptions(const Call& call, ScalarType dtype, Device device);

// A dense tensor of these sizes, on the cpu where no device and no tensor is given.
Output& ReturnFactory(Call& call, DimSpan sizes, ScalarType default_dtype);

// Rule: as empty_like of the first argument with the call's options and memory format.
void FactoryLike(Call& call);

}  // namespace fakeprop
