// Fake tensors of other layouts than strided. One of a sparse layout is of LibTorch's own class for it, and its parts
// are fake tensors. One of oneDNN's layout has sizes alone.
#pragma once

#include <ATen/core/TensorBody.h>

#include <memory>

#include "lib/meta/objects.h"

namespace fakeprop::dispatch {

// What a tensor of a sparse layout consists of (SparseParts). `plain` is not defined for COO.
struct TensorParts {
  at::Tensor values, indices, plain;
  bool is_coalesced = false;
};

// The parts as they lie in a tensor, fake or real. All are null if it is not of a sparse layout.
struct PartsInside {
  const at::Tensor* values = nullptr;
  const at::Tensor* indices = nullptr;
  const at::Tensor* plain = nullptr;
  bool is_coalesced = false;
};
PartsInside PartsOf(const at::Tensor& t);

inline bool IsStrided(const at::Tensor& t) { return t.layout() == c10::Layout::Strided; }
// The tensor whose storage a tensor's data lies in: the values of one of a sparse layout, else the tensor itself.
const at::Tensor& DataOf(const at::Tensor& t);

// A tensor of a sparse layout.
at::Tensor MakeFakeSparse(const TensorMeta& meta, const TensorParts& parts);
// A tensor of oneDNN's layout. The storage has no data; it tells the tensor's device and mode.
at::Tensor MakeFakeOpaque(const TensorMeta& meta, c10::Storage storage);
// Gives a fake of a sparse layout other sizes, if there are any, and other parts.
void ReplaceParts(const at::Tensor& fake, const std::optional<TensorMeta>& meta, const TensorParts& parts);

// What a fake owns until it dies.
std::shared_ptr<void>& AttachmentOf(const at::Tensor& fake);

// Sizes, dtype, device and layout of a tensor of another layout than strided.
TensorMeta ReadLayoutMeta(const at::Tensor& t);

}  // namespace fakeprop::dispatch
