// Metadata of copies in another layout or dtype, for the intermediate results of composite operators.
#pragma once

#include "lib/meta/tensor_meta.h"

namespace fakeprop::rules {

// empty_like(t, format): dense, in t's own order of dimensions for Preserve.
TensorMeta EmptyLike(const TensorMeta& t, MemoryFormat format = MemoryFormat::Preserve);
// A new tensor like `t`, of a factory or an operator that calls empty_like. Where a size depends on data it has the
// layout of an elementwise result, Max(1, u0) for a stride u0. Source: empty_like of torch/_refs, by empty_permuted.
TensorMeta NewLike(const TensorMeta& t, MemoryFormat format = MemoryFormat::Preserve);
// t.contiguous(format): t itself if it has that layout.
TensorMeta InFormat(const TensorMeta& t, MemoryFormat format);
TensorMeta WithDtype(TensorMeta t, ScalarType dtype);

}  // namespace fakeprop::rules
