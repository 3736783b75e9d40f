// Symbols for the sizes of real tensors. Source: ShapeEnv.create_symbolic_sizes_strides_storage_offset in
// torch/fx/experimental/symbolic_shapes.py (torch 2.13).
#pragma once

#include <memory>

#include "fakeprop/fake_tensor_mode.h"
#include "lib/meta/tensor_meta.h"

namespace fakeprop::fake {

// Puts symbols of the environment in the place of a tensor's numbers, as the options say: of sizes; of strides what the
// sizes say, where they do; of an offset that is not zero.
void Symbolize(TensorMeta& meta, const std::shared_ptr<ShapeEnv>& env, const FromRealOptions& options);

}  // namespace fakeprop::fake
