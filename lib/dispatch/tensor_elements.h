// Reads the data of small real tensors in the form that rules use.
#pragma once

#include <ATen/core/TensorBody.h>

#include "lib/meta/value.h"

namespace fakeprop::dispatch {

// The elements of a real strided cpu tensor, row-major.
Constant ReadElements(const at::Tensor& real);
// The element of a real 0-dim cpu tensor. Null for any other tensor.
Constant ReadNumber(const at::Tensor& real);

}  // namespace fakeprop::dispatch
