// Nested tensors: a list of tensors of one rank whose sizes may differ. Their metadata has the layout `jagged` and the
// sizes of the smallest strided tensor that holds all items, as to_padded_tensor gives it, and no strides. Source:
// aten/src/ATen/NestedTensorImpl.h (torch 2.13).
#pragma once

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

bool IsNested(const TensorMeta& t);
TensorMeta NestedMeta(DimSpan sizes, ScalarType dtype, Device device);
// A new nested tensor. It counts as as many bytes as the strided one, which is the most that its items can take.
Output& ReturnNested(Call& call, DimSpan sizes, ScalarType dtype);

}  // namespace fakeprop::rules
