// Converts values of a graph to LibTorch's boxed values and back.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>
#include <c10/core/Scalar.h>

#include <functional>

#include "lib/schema/schema.h"

namespace fakeprop::dispatch {

using MakeTensor = std::function<at::Tensor(Tensor&)>;
using ReadTensor = std::function<Value(const at::Tensor&)>;

// Converts an argument as Python's binding does for the dispatcher: a number for a tensor becomes a 0-dim tensor, a
// single int for int[n] a list of n. Throws an OpError of class TypeError if the argument does not take the value.
c10::IValue ToIValue(const Value& value, const c10::Argument& argument, const MakeTensor& make);

// The number. The value must be one.
c10::Scalar ToScalar(const Value& number);

// Reads by the schema's type, because LibTorch boxes dtypes, layouts and memory formats as ints.
Value ToValue(const c10::IValue& boxed, const Type& type, const ReadTensor& read);

}  // namespace fakeprop::dispatch
