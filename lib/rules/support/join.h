// Tensors put together, for the operators that end in a cat.
#pragma once

#include <vector>

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

// at::cat of at least one tensor along `dim`, counted from either end; sizes that do not fit are OpErrors of class
// ShapeMismatch.
TensorMeta CatMeta(const Call& call, const std::vector<TensorMeta>& metas, int64_t dim);

}  // namespace fakeprop::rules
