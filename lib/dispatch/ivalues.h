// Values of a graph as LibTorch's boxed values, and back.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>
#include <c10/core/Scalar.h>

#include <functional>

#include "lib/schema/schema.h"

namespace fakeprop::dispatch {

using MakeTensor = std::function<at::Tensor(Tensor&)>;
using ReadTensor = std::function<Value(const at::Tensor&)>;

// As Python's binding hands an argument to the dispatcher: a number for a tensor becomes a 0-dim one, a single int for
// int[n] a list of n. A value that the argument does not take is an OpError of class TypeError.
c10::IValue ToIValue(const Value& value, const c10::Argument& argument, const MakeTensor& make);

// The number in a value that is one.
c10::Scalar ToScalar(const Value& number);

// Read by the schema's type, for LibTorch boxes dtypes, layouts and memory formats as ints.
Value ToValue(const c10::IValue& boxed, const Type& type, const ReadTensor& read);

}  // namespace fakeprop::dispatch
