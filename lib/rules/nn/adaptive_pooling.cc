// Pooling to a size that is asked for, fractional pooling, and unpooling.
// Source: torch/_meta_registrations.py, torch/_decomp/decompositions.py max_unpool2d and max_unpool3d,
// aten/src/ATen/native/{AdaptiveAveragePooling,AdaptiveAveragePooling3d,Pooling}.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

void CheckRank(const Call& call, const TensorMeta& t, int spatial) {
  if (t.rank() == spatial + 1 || t.rank() == spatial + 2) return;
  FailShape(call, "expected a tensor of " + std::to_string(spatial + 1) + " or " + std::to_string(spatial + 2) +
                      " dimensions, but got " + ToString(t.size_span()));
}

void CheckNotEmpty(const Call& call, const TensorMeta& t, int64_t first) {
  for (int64_t d = first; d < t.rank(); ++d) {
    if (Expect(Gt(t.sizes[d], 0))) continue;
    FailShape(call, "expected a non-zero size for non-batch dimensions, but got " + ToString(t.size_span()) +
                        " with dimension " + std::to_string(d) + " being empty");
  }
}

Dims OutputSize(const Call& call, int argument, int spatial) {
  const Dims sizes = call.DimList(argument);
  if (static_cast<int>(sizes.size()) != spatial)
    FailValue(call, "output_size must have " + std::to_string(spatial) + " elements, not " + ToString(sizes));
  for (Dim size : sizes)
    if (!Expect(Ge(size, 0)))
      FailValue(call, "elements of output_size must be greater than or equal to 0, got " + ToString(sizes));
  return sizes;
}

// t's sizes with the last ones replaced.
Dims WithSpatial(const TensorMeta& t, const Dims& spatial) {
  Dims sizes(t.sizes.begin(), t.sizes.end() - spatial.size());
  sizes.append(spatial.begin(), spatial.end());
  return sizes;
}

TensorMeta Resized(const TensorMeta& t, const Dims& spatial, MemoryFormat format) {
  return MetaInFormat(WithSpatial(t, spatial), t.dtype, t.device, format);
}

// Only planes keep channels_last; volumes come out contiguous.
template <int Spatial>
void AdaptiveAvgPool(Call& call) {
  const TensorMeta& input = call.Meta(0);
  const Dims size = OutputSize(call, 1, Spatial);
  CheckRank(call, input, Spatial);
  CheckNotEmpty(call, input, Spatial == 2 ? input.rank() - 2 : 1);
  // No kernel looks at the dtype of planes where it has nothing to write.
  const bool writes = Spatial == 3 || !IsEmpty(WithSpatial(input, size));
  if (writes) RequireFloat(call, input.dtype);
  call.ReturnNew(Resized(input, size, Spatial == 2 ? SuggestMemoryFormat(input) : MemoryFormat::Contiguous));
}

// Pooling to a single element is a mean, which takes floating and complex input of any rank and size. Channels stay
// last, as the strides of the single elements say (adaptive_avg_pool2d in
// aten/src/ATen/native/AdaptiveAveragePooling.cpp).
template <int Spatial>
void AdaptiveAvgPoolOrMean(Call& call) {
  const TensorMeta& input = call.Meta(0);
  const Dims size = OutputSize(call, 1, Spatial);
  for (Dim n : size)
    if (!GuardOrFalse(Eq(n, 1))) return AdaptiveAvgPool<Spatial>(call);
  WrapDim(-Spatial, input.rank());
  RequireFloatOrComplex(call, input.dtype);
  const MemoryFormat last = Spatial == 2 ? MemoryFormat::ChannelsLast : MemoryFormat::ChannelsLast3d;
  call.ReturnNew(Resized(input, size, SuggestMemoryFormat(input) == last ? last : MemoryFormat::Contiguous));
}

// Pools over a row of height 1.
TensorMeta AsRow(const Call& call, const TensorMeta& input) {
  CheckRank(call, input, 1);
  return Unsqueezed(input, -2);
}

void AdaptiveAvgPool1d(Call& call) {
  const TensorMeta row = AsRow(call, call.Meta(0));
  const Dims size = {1, OutputSize(call, 1, 1)[0]};
  if (GuardOrFalse(Eq(size[1], 1))) {
    RequireFloatOrComplex(call, row.dtype);
  } else {
    CheckNotEmpty(call, row, row.rank() - 2);
    if (!IsEmpty(WithSpatial(row, size))) RequireFloat(call, row.dtype);
  }
  call.ReturnNew(Squeezed(Resized(row, size, SuggestMemoryFormat(row)), -2));
}

void ReturnWithIndices(Call& call, TensorMeta out) {
  TensorMeta indices = WithDtype(out, ScalarType::Long);
  call.ReturnNew(std::move(out));
  call.ReturnNew(std::move(indices));
}

template <int Spatial>
void AdaptiveMaxPool(Call& call) {
  const TensorMeta& input = call.Meta(0);
  CheckRank(call, input, Spatial);
  CheckNotEmpty(call, input, 1);
  const bool planes = Spatial == 2 && input.rank() == 4;
  ReturnWithIndices(call,
      Resized(input, OutputSize(call, 1, Spatial), planes ? SuggestMemoryFormat(input) : MemoryFormat::Contiguous));
}

void AdaptiveMaxPool1d(Call& call) {
  const TensorMeta row = AsRow(call, call.Meta(0));
  CheckNotEmpty(call, row, 1);
  const Dims size = {1, OutputSize(call, 1, 1)[0]};
  ReturnWithIndices(call, Squeezed(Resized(row, size, SuggestMemoryFormat(row)), -2));
}

// The gradient of argument 1, in its layout where planes are pooled.
// A third argument is the indices of a maximum, one for each element of the gradient.
template <int Spatial>
void AdaptivePoolBackward(Call& call) {
  const TensorMeta &grad = call.Meta(0), &input = call.Meta(1);
  if (call.size() > 2) RequireSameSizes(call, 0, 2);
  CheckRank(call, grad, Spatial);
  CheckNotEmpty(call, grad, 1);
  RequireSameDtype(call, 0, 1);
  RequireFloat(call, grad.dtype);
  if (grad.rank() != input.rank())
    FailShape(
        call, "takes a gradient of " + std::to_string(input.rank()) + " dimensions, not " + ToString(grad.size_span()));
  call.ReturnNew(EmptyLike(input, Spatial == 2 ? SuggestMemoryFormat(input) : MemoryFormat::Contiguous));
}

void CheckSamples(const Call& call, const TensorMeta& input, const TensorMeta& samples, int spatial) {
  RequireSameDtype(call, 0, 3);
  RequireRank(call, 3, 3);
  const Dim batch = input.rank() == spatial + 2 ? input.sizes[0] : Dim(1);
  const Dim channels = input.sizes[input.rank() - spatial - 1];
  if (Expect(Ge(samples.sizes[0], batch)) && Expect(Eq(samples.sizes[1], channels)) &&
      Expect(Eq(samples.sizes[2], spatial)))
    return;
  FailShape(call, "expected random samples for " + batch.ToString() + " batches of " + channels.ToString() +
                      " channels in " + std::to_string(spatial) + " dimensions, but got " +
                      ToString(samples.size_span()));
}

void CheckKernelFits(const Call& call, const TensorMeta& input, const Dims& kernel, const Dims& size) {
  for (size_t i = 0; i < size.size(); ++i) {
    const Dim extent = input.sizes[input.rank() - size.size() + i];
    // In three dimensions one more has to be left.
    const Dim room = size.size() == 3 ? size[i] + kernel[i] : size[i] + kernel[i] - 1;
    if (!Expect(Le(room, extent)))
      FailShape(call, "kernel " + ToString(kernel) + " is too large relative to input " + ToString(input.size_span()));
  }
}

void RequireIndices(const Call& call, const TensorMeta& t) {
  if (t.dtype != ScalarType::Long) FailDtype(call, "indices should be int64, not " + std::string(DtypeName(t.dtype)));
}

template <int Spatial>
void FractionalMaxPool(Call& call) {
  const TensorMeta& input = call.Meta(0);
  CheckRank(call, input, Spatial);
  CheckNotEmpty(call, input, input.rank() - Spatial - 1);
  const Dims kernel = call.DimList(1), size = OutputSize(call, 2, Spatial);
  if (kernel.size() != Spatial)
    FailValue(call, "kernel_size must have one element a dimension, got " + ToString(kernel));
  CheckSamples(call, input, call.Meta(3), Spatial);
  CheckKernelFits(call, input, kernel, size);
  ReturnWithIndices(call, Resized(input, size, MemoryFormat::Contiguous));
}

template <int Spatial>
void FractionalMaxPoolBackward(Call& call) {
  const TensorMeta &grad = call.Meta(0), &input = call.Meta(1);
  CheckRank(call, input, Spatial);
  const Dims expected = WithSpatial(input, OutputSize(call, 3, Spatial));
  if (grad.rank() != input.rank())
    FailShape(call, "the gradient's shape " + ToString(grad.size_span()) + " is unexpected");
  for (int64_t d = input.rank() - Spatial; d < input.rank(); ++d)
    if (!Expect(Eq(grad.sizes[d], expected[d])))
      FailShape(call, "the gradient's shape " + ToString(grad.size_span()) + " should be " + ToString(expected));
  if (Spatial == 2) RequireSameSizes(call, 0, 4);
  RequireIndices(call, call.Meta(4));
  RequireSameDtype(call, 0, 1);
  RequireFloat(call, grad.dtype);
  call.ReturnNew(EmptyLike(input, MemoryFormat::Contiguous));
}

template <int Spatial>
void MaxUnpool(Call& call) {
  const TensorMeta& input = call.Meta(0);
  RequireFloat(call, input.dtype);
  RequireIndices(call, call.Meta(1));
  const Dims size = OutputSize(call, 2, Spatial);
  CheckRank(call, input, Spatial);
  RequireSameSizes(call, 0, 1);
  CheckNotEmpty(call, input, 1);
  if (Spatial == 3) {
    for (Dim stride : call.DimList(3))
      if (!Expect(Gt(stride, 0))) FailValue(call, "strides should be greater than zero, got " + stride.ToString());
  }
  // The cpu kernel alone keeps channels_last.
  const bool planes = Spatial == 2 && input.device.is_cpu();
  call.ReturnNew(Resized(input, size, planes ? SuggestMemoryFormat(input) : MemoryFormat::Contiguous));
}

constexpr RuleRow kRows[] = {
    {"aten::adaptive_avg_pool1d", AdaptiveAvgPool1d},
    {"aten::adaptive_avg_pool2d", AdaptiveAvgPoolOrMean<2>},
    {"aten::adaptive_avg_pool3d", AdaptiveAvgPoolOrMean<3>},
    {"aten::_adaptive_avg_pool2d", AdaptiveAvgPool<2>},
    {"aten::_adaptive_avg_pool3d", AdaptiveAvgPool<3>},
    {"aten::_adaptive_avg_pool2d_backward", AdaptivePoolBackward<2>},
    {"aten::_adaptive_avg_pool3d_backward", AdaptivePoolBackward<3>},
    {"aten::adaptive_max_pool1d", AdaptiveMaxPool1d},
    {"aten::adaptive_max_pool2d", AdaptiveMaxPool<2>},
    {"aten::adaptive_max_pool3d", AdaptiveMaxPool<3>},
    {"aten::adaptive_max_pool2d_backward", AdaptivePoolBackward<2>},
    {"aten::adaptive_max_pool3d_backward", AdaptivePoolBackward<3>},
    {"aten::fractional_max_pool2d", FractionalMaxPool<2>},
    {"aten::fractional_max_pool3d", FractionalMaxPool<3>},
    {"aten::fractional_max_pool2d_backward", FractionalMaxPoolBackward<2>},
    {"aten::fractional_max_pool3d_backward", FractionalMaxPoolBackward<3>},
    {"aten::max_unpool2d", MaxUnpool<2>},
    {"aten::max_unpool3d", MaxUnpool<3>},
};

}  // namespace

RuleRows AdaptivePoolingRules() { return kRows; }

}  // namespace fakeprop::rules
