// Which values hold integers: value ranges follow these.
#pragma once

#include "lib/meta/value_visit.h"

namespace fakeprop {

// Returns true if the value is a tensor of integers or bools, or contains one.
inline bool HasIntegers(const Value& value) {
  const auto is_integral = [](const Tensor& tensor) { return IsIntegral(tensor.meta.dtype); };
  if (const Tensor* tensor = value.TryTensor()) return is_integral(*tensor);  // most values are one tensor
  return AnyTensor(value, is_integral);
}

}  // namespace fakeprop
