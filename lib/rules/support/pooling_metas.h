// Shared by pooling over windows and pooling to a given size.
#pragma once

#include "lib/rules/core/call.h"
#include "lib/rules/support/copy_metas.h"

namespace fakeprop::rules {

// Returns the maxima and their indices in the input, an int64 tensor of the same layout.
inline void ReturnWithIndices(Call& call, TensorMeta maxima) {
  TensorMeta indices = WithDtype(maxima, ScalarType::Long);
  call.ReturnNew(std::move(maxima));
  call.ReturnNew(std::move(indices));
}

}  // namespace fakeprop::rules
