#include "lib/rules/support/fft_metas.h"

#include <algorithm>
#include <numeric>
#include <ranges>

#include "lib/meta/dtype.h"
#include "lib/meta/ordered_strides.h"
#include "lib/rules/core/results.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

using DimIds = std::vector<int64_t>;

constexpr size_t kMaxCudaDims = 3;

// Larger strides first; equal ones keep their order.
void SortByStride(const TensorMeta& t, DimIds::iterator first, DimIds::iterator last) {
  std::stable_sort(first, last, [&](int64_t a, int64_t b) { return Guard(Gt(t.strides[a], t.strides[b])); });
}

// The dimensions that are not transformed, in the order in which kernels sort them. They come from std::partition,
// which moves some; those of cuda are here as Python's meta function has them. Source: _exec_fft in
// native/mkl/SpectralOps.cpp.
DimIds BatchDims(const TensorMeta& t, const DimIds& dims) {
  DimIds order(t.rank());
  std::iota(order.begin(), order.end(), 0);
  const auto is_batch = [&](int64_t d) { return std::ranges::find(dims, d) == dims.end(); };
  const auto end = t.device.is_cpu() ? std::partition(order.begin(), order.end(), is_batch)
                                     : std::stable_partition(order.begin(), order.end(), is_batch);
  order.erase(end, order.end());
  SortByStride(t, order.begin(), order.end());
  return order;
}

// One run of the backend: the batch dimensions in the order of their strides, then `dims`, all dense.
TensorMeta Run(const TensorMeta& t, const Dims& sizes, ScalarType dtype, const DimIds& dims) {
  DimIds order = BatchDims(t, dims);
  order.insert(order.end(), dims.begin(), dims.end());
  TensorMeta out = ContiguousMeta(sizes, dtype, t.device);
  out.strides = StridesInOrder(sizes, std::views::reverse(order));
  return out;
}

// cuFFT takes three dimensions at a time, and each run changes the order of the rest.
TensorMeta RunInTurns(TensorMeta t, const Dims& sizes, DimIds dims) {
  while (!dims.empty()) {
    SortByStride(t, dims.begin(), dims.end());
    const size_t rest = dims.size() - std::min(kMaxCudaDims, dims.size());
    t = Run(t, sizes, t.dtype, DimIds(dims.begin() + rest, dims.end()));
    dims.resize(rest);
  }
  return t;
}

// Where cuFFT transforms all dimensions at once.
bool RunsAtOnce(const DimIds& dims) {
  return dims.size() <= kMaxCudaDims && !(dims.size() >= 2 && dims[0] == 0 && dims[1] == 1);
}

TensorMeta RealOnCuda(
    const TensorMeta& t, const DimIds& dims, const Dims& sizes, const Dims& halved, ScalarType dtype) {
  if (RunsAtOnce(dims)) return Run(t, sizes, dtype, dims);
  const DimIds last = {dims.back()};
  if (dims.size() == 1) return Run(t, sizes, dtype, last);
  const TensorMeta out = RunInTurns(Run(t, halved, dtype, last), halved, DimIds(dims.begin(), dims.end() - 1));
  // The other half is filled in a new buffer.
  return GuardSameOrFalse(sizes, halved) ? out : ContiguousMeta(sizes, dtype, t.device);
}

}  // namespace

void RequireTransformDtype(const Call& call, const TensorMeta& t) {
  if (t.device.is_cpu()) RequireFullFloat(call, ToRealDtype(t.dtype));
}

TensorMeta TransformComplex(const TensorMeta& t, DimIds dims) {
  if (dims.empty()) return EmptyLike(t);
  if (t.device.is_cuda()) return RunInTurns(t, t.sizes, dims);
  SortByStride(t, dims.begin(), dims.end());
  return Run(t, t.sizes, t.dtype, dims);
}

TensorMeta TransformReal(const TensorMeta& t, DimIds dims, bool onesided) {
  const ScalarType dtype = ToComplexDtype(t.dtype);
  Dims halved = t.sizes;
  halved[dims.back()] = FloorDiv(t.sizes[dims.back()], 2) + 1;
  const Dims& sizes = onesided ? halved : t.sizes;
  if (t.device.is_cuda()) return RealOnCuda(t, dims, sizes, halved, dtype);
  SortByStride(t, dims.begin(), dims.end() - 1);
  return Run(t, sizes, dtype, dims);
}

TensorMeta TransformToReal(const TensorMeta& t, DimIds dims, Dim last_size) {
  const ScalarType dtype = ToRealDtype(t.dtype);
  Dims sizes = t.sizes;
  sizes[dims.back()] = last_size;
  if (t.device.is_cuda() && RunsAtOnce(dims)) return Run(EmptyLike(t, MemoryFormat::Contiguous), sizes, dtype, dims);
  const DimIds last = {dims.back()};
  dims.pop_back();
  TensorMeta input = t;
  if (!dims.empty()) {
    input = TransformComplex(t, dims);
  } else if (t.device.is_cuda()) {
    input = EmptyLike(t, MemoryFormat::Contiguous);
  }
  return Run(input, sizes, dtype, last);
}

}  // namespace fakeprop::rules
