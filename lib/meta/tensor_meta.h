// The metadata of a tensor, and questions about its layout in memory. Source: c10/core/TensorImpl.h,
// c10/core/MemoryFormat.h, torch/_prims_common/__init__.py (torch 2.13).
#pragma once

#include <optional>

#include "lib/meta/device.h"
#include "lib/meta/dim.h"
#include "lib/meta/scalar_type.h"

namespace fakeprop {

struct TensorMeta {
  Dims sizes;
  Dims strides;
  Dim storage_offset = 0;
  ScalarType dtype = ScalarType::Float;
  Device device = Device(DeviceType::CPU);
  Layout layout = Layout::Strided;
  bool is_conj = false;
  bool is_neg = false;

  // A conjugation or negation that is not applied to the data yet.
  bool HasPendingBits() const { return is_conj || is_neg; }
  int64_t rank() const { return static_cast<int64_t>(sizes.size()); }
  DimSpan size_span() const { return {sizes.data(), sizes.size()}; }
  DimSpan stride_span() const { return {strides.data(), strides.size()}; }
};

// A dense row-major tensor at offset 0.
TensorMeta ContiguousMeta(DimSpan sizes, ScalarType dtype, Device device);
// Dense, laid out in the order of `format` (Contiguous, ChannelsLast of rank 4, ChannelsLast3d of rank 5).
TensorMeta MetaInFormat(DimSpan sizes, ScalarType dtype, Device device, MemoryFormat format);

Dim Numel(DimSpan sizes);
Dims ContiguousStrides(DimSpan sizes);
// The strides of empty() in this format. A size of 0 counts as 1.
Dims StridesInFormat(DimSpan sizes, MemoryFormat format);

// Returns true if a dense tensor in this format has these strides. Dimensions of size 1 do not count.
bool IsContiguous(const TensorMeta& t);
bool IsContiguousIn(const TensorMeta& t, MemoryFormat format);
// TensorImpl::is_strides_like_channels_last: the order of strides, not their density.
bool IsChannelsLastStrides2d(const TensorMeta& t);
bool IsChannelsLastStrides3d(const TensorMeta& t);
// at::Tensor::suggest_memory_format.
MemoryFormat SuggestMemoryFormat(const TensorMeta& t);
// Returns true if a permutation of the dimensions is dense and has no overlap.
bool IsNonOverlappingAndDense(const TensorMeta& t);
bool HasInternalOverlap(const TensorMeta& t);

// Strides for a new tensor of t's sizes that keeps t's order of dimensions: t's own if t is dense, else packed
// (at::infer_dense_strides / empty_like with preserve_format).
Dims PreservedStrides(const TensorMeta& t);

// Bytes from the start of the storage to the end of the last element; 0 for empty tensors.
Dim StorageNbytes(const TensorMeta& t);

// "f32[2, 3] on cpu".
std::string ToString(const TensorMeta& t);

}  // namespace fakeprop
