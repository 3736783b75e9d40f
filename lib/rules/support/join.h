// Concatenates tensors, for operators that end in a cat.
#pragma once

#include <vector>

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

// at::cat of at least one tensor along `dim`, which is counted from either end. Throws an OpError of class
// ShapeMismatch if the sizes do not fit.
TensorMeta CatMeta(const Call& call, const std::vector<TensorMeta>& metas, int64_t dim);

// What at::_chunk_cat gives for the call's `tensors`, `dim` and `num_chunks`: each tensor is cut into num_chunks parts,
// which are padded to equal size, flattened and put side by side.
Dims ChunkCatSizes(const Call& call);

}  // namespace fakeprop::rules
