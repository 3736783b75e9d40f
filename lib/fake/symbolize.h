// Symbols for the sizes of real tensors. Source: ShapeEnv.create_symbolic_sizes_strides_storage_offset in
// torch/fx/experimental/symbolic_shapes.py (torch 2.13).
#pragma once

#include <memory>

#include "fakeprop/fake_tensor_mode.h"
#include "lib/meta/tensor_meta.h"

namespace fakeprop::fake {

// Replaces the numbers of a tensor by symbols of the environment, as the options say. Sizes become symbols. Strides
// become expressions over the sizes if possible, else symbols. An offset that is not 0 becomes a symbol.
void Symbolize(TensorMeta& meta, const std::shared_ptr<ShapeEnv>& env, const FromRealOptions& options);

}  // namespace fakeprop::fake
