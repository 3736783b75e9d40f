// Pooling to a given size, fractional pooling, and unpooling.
// Source: torch/_meta_registrations.py, torch/_decomp/decompositions.py max_unpool2d and max_unpool3d,
// aten/src/ATen/native/{AdaptiveAveragePooling,AdaptiveAveragePooling3d,Pooling}.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/autograd_demands.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/out_facts.h"
#include "lib/rules/support/pooling_metas.h"
#include "lib/rules/support/quantized_kernels.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

void CheckRank(const Call& call, const TensorMeta& t, int spatial) {
  RequireShape(call, t.rank() == spatial + 1 || t.rank() == spatial + 2,
      {"expected {}D or {}D tensor, but got {}", spatial + 1, spatial + 2, t.sizes});
}

void CheckNotEmpty(const Call& call, const TensorMeta& t, int64_t first) {
  for (int64_t d = first; d < t.rank(); ++d)
    RequireShape(call, Gt(t.sizes[d], 0),
        {"expected input to have non-zero size for non-batch dimensions, but input has sizes {} with dimension {} "
         "being "
         "empty",
            t.sizes, d});
}

template <size_t Spatial>
Dims OutputSize(const Call& call) {
  const Dims sizes = call.DimList("output_size");
  RequireValue(call, sizes.size() == Spatial, {"output_size must be {} numbers, not {}", Spatial, sizes});
  for (Dim size : sizes)
    RequireValue(call, Ge(size, 0), {"elements of output_size must be greater than or equal to 0, got {}", sizes});
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

// Only images and quantized volumes keep channels_last; other volumes come out contiguous.
template <int Spatial>
void AdaptiveAvgPool(Call& call) {
  const Operand input = call.In("self");
  const Dims size = OutputSize<Spatial>(call);
  CheckRank(call, input, Spatial);
  CheckNotEmpty(call, input, Spatial == 2 ? input->rank() - 2 : 1);
  // Kernels look at the dtype only where they have something to write; the cpu's for volumes looks always.
  const bool is_asked = (Spatial == 3 && input->device.is_cpu()) || !IsEmpty(WithSpatial(input, size));
  if (is_asked && !IsQuantized(input)) input.Takes(kFloating);
  RequireRealFormula(call, input.tensor(), input->dtype);
  const bool keeps = Spatial == 2 || IsQuantized(input);
  call.ReturnNew(Resized(input, size, keeps ? SuggestMemoryFormat(input) : MemoryFormat::Contiguous));
}

// Pooling to a single element is a mean, which takes floating and complex input of any rank and size. Its result stays
// channels last. Source: adaptive_avg_pool2d in aten/src/ATen/native/AdaptiveAveragePooling.cpp.
template <int Spatial>
void AdaptiveAvgPoolOrMean(Call& call) {
  const Operand input = call.In("self");
  const Dims size = OutputSize<Spatial>(call);
  for (Dim n : size)
    if (IsQuantized(input) || !GuardOrFalse(Eq(n, 1))) return AdaptiveAvgPool<Spatial>(call);
  WrapDim(-Spatial, input->rank());
  input.Takes(kFloatingOrComplex);
  const MemoryFormat last = Spatial == 2 ? MemoryFormat::ChannelsLast : MemoryFormat::ChannelsLast3d;
  call.ReturnNew(Resized(input, size, SuggestMemoryFormat(input) == last ? last : MemoryFormat::Contiguous));
}

// The input as an image of height 1.
TensorMeta InputRow(const Call& call) {
  const Operand input = call.In("self");
  CheckRank(call, input, 1);
  return Unsqueezed(input, -2);
}

void AdaptiveAvgPool1d(Call& call) {
  const TensorMeta row = InputRow(call);
  const Dims size = {1, OutputSize<1>(call)[0]};
  if (!IsQuantized(row) && GuardOrFalse(Eq(size[1], 1))) {
    RequireDtype(call, row.dtype, kFloatingOrComplex);
  } else {
    CheckNotEmpty(call, row, row.rank() - 2);
    if (!IsQuantized(row) && !IsEmpty(WithSpatial(row, size))) RequireDtype(call, row.dtype, kFloating);
    RequireRealFormula(call, call.In("self").tensor(), row.dtype);
  }
  call.ReturnNew(Squeezed(Resized(row, size, SuggestMemoryFormat(row)), -2));
}

template <int Spatial>
void AdaptiveMaxPool(Call& call) {
  const Operand input = call.In("self");
  CheckRank(call, input, Spatial);
  CheckNotEmpty(call, input, 1);
  const bool planes = Spatial == 2 && input->rank() == 4;
  ReturnWithIndices(
      call, Resized(input, OutputSize<Spatial>(call), planes ? SuggestMemoryFormat(input) : MemoryFormat::Contiguous));
}

void AdaptiveMaxPool1d(Call& call) {
  const TensorMeta row = InputRow(call);
  CheckNotEmpty(call, row, 1);
  const Dims size = {1, OutputSize<1>(call)[0]};
  ReturnWithIndices(call, Squeezed(Resized(row, size, SuggestMemoryFormat(row)), -2));
}

// The gradient of self. Images keep their layout.
template <int Spatial>
void AdaptiveAvgPoolBackward(Call& call) {
  const Operand grad = call.In("grad_output"), input = call.In("self");
  CheckRank(call, grad, Spatial);
  CheckNotEmpty(call, grad, 1);
  grad.SameDtypeAs(input).Takes(kFloating);
  grad.Rank(input->rank(), {"takes a gradient of {} dimensions, not {}", input->rank()});
  call.ReturnNew(EmptyLike(input, Spatial == 2 ? SuggestMemoryFormat(input) : MemoryFormat::Contiguous));
}

template <int Spatial>
void AdaptiveMaxPoolBackward(Call& call) {
  call.In("grad_output").SameSizesAs(call.In("indices"));
  AdaptiveAvgPoolBackward<Spatial>(call);
}

// ---- fractional pooling

void CheckSamples(const Call& call, const Operand& input, int spatial) {
  const Operand samples = call.In("random_samples");
  input.SameDtypeAs(samples);
  const auto [batches, planes, coordinates] = samples.Sizes<3>();
  const Dim batch = input->rank() == spatial + 2 ? input->sizes[0] : Dim(1);
  const Dim channels = input->sizes[input->rank() - spatial - 1];
  const bool fits = Expect(Ge(batches, batch)) && Expect(Eq(planes, channels)) && Expect(Eq(coordinates, spatial));
  samples.Require(fits,
      {"expected random samples for {} batches of {} channels in {} dimensions, but got {}", batch, channels, spatial});
}

void CheckKernelFits(const Call& call, const TensorMeta& input, const Dims& kernel, const Dims& size) {
  for (size_t i = 0; i < size.size(); ++i) {
    const Dim extent = input.sizes[input.rank() - size.size() + i];
    // Three dimensions need one element more.
    const Dim room = size.size() == 3 ? size[i] + kernel[i] : size[i] + kernel[i] - 1;
    RequireShape(call, Le(room, extent), {"kernel {} is too large relative to input {}", kernel, input.sizes});
  }
}

template <int Spatial>
void FractionalMaxPool(Call& call) {
  const Operand input = call.In("self");
  CheckRank(call, input, Spatial);
  CheckNotEmpty(call, input, 1);
  const Dims kernel = call.DimList("kernel_size"), size = OutputSize<Spatial>(call);
  RequireValue(call, kernel.size() == Spatial, {"kernel_size must have one element a dimension, got {}", kernel});
  CheckSamples(call, input, Spatial);
  CheckKernelFits(call, input, kernel, size);
  ReturnWithIndices(call, Resized(input, size, MemoryFormat::Contiguous));
}

constexpr DtypeClass kIndices{ScalarType::Long, "indices should be int64, not {}"};

template <int Spatial>
void FractionalMaxPoolBackward(Call& call) {
  const Operand grad = call.In("grad_output"), input = call.In("self"), indices = call.In("indices");
  CheckRank(call, input, Spatial);
  const Dims expected = WithSpatial(input, OutputSize<Spatial>(call));
  grad.Rank(input->rank(), "the gradient's shape {} is unexpected");
  for (int64_t d = input->rank() - Spatial; d < input->rank(); ++d)
    grad.Size(d, expected[d], {"the gradient's shape {} should be {}", grad->sizes, expected});
  if (Spatial == 2) grad.SameSizesAs(indices);
  indices.Takes(kIndices);
  grad.SameDtypeAs(input).Takes(kFloating);
  call.ReturnNew(EmptyLike(input, MemoryFormat::Contiguous));
}

// ---- unpooling

template <int Spatial>
void MaxUnpool(Call& call) {
  const Operand input = call.In("self"), indices = call.In("indices").Takes(kIndices);
  if (input->device.is_cpu() && !IsKnownEmpty(input)) input.Takes(kFloating);
  const Dims size = OutputSize<Spatial>(call);
  CheckRank(call, input, Spatial);
  input.SameSizesAs(indices);
  CheckNotEmpty(call, input, 1);
  if (Spatial == 3) {
    for (Dim stride : call.DimList("stride"))
      RequireValue(call, Gt(stride, 0), {"strides should be greater than zero, got {}", stride});
  }
  // Only the cpu kernel keeps channels_last.
  const bool planes = Spatial == 2 && input->device.is_cpu();
  call.ReturnNew(Resized(input, size, planes ? SuggestMemoryFormat(input) : MemoryFormat::Contiguous));
}

// The kernel for volumes looks at the out tensor before that gets its size.
void MaxUnpool3dOut(Call& call) {
  MaxUnpool<3>(call);
  const TensorMeta volume = TakeResult(call);
  const Operand self = call.In("self"), out = call.In("out");
  if (!IsKnownEmpty(self)) out.SameDtypeAs(self);
  RequireValue(call, IsContiguous(out), {"output must be contiguous, but is {}", *out});
  WriteOfSizes(call, out.tensor(), volume.sizes);
}

constexpr RuleRow kRows[] = {
    {"aten::adaptive_avg_pool1d", InOrder<AdaptiveAvgPool1d, EndInView>},
    {"aten::adaptive_avg_pool2d", AdaptiveAvgPoolOrMean<2>, OutKernel::kOfInner},
    {"aten::adaptive_avg_pool3d", AdaptiveAvgPoolOrMean<3>, OutKernel::kOfInner},
    {"aten::_adaptive_avg_pool2d", AdaptiveAvgPool<2>,
        SetsStrides{4} | OutStrides::kOfResultEverywhere | Overlap::kAllowedInOut},
    {"aten::_adaptive_avg_pool3d", AdaptiveAvgPool<3>, Overlap::kAllowedInOut},
    {"aten::_adaptive_avg_pool2d_backward", AdaptiveAvgPoolBackward<2>},
    {"aten::_adaptive_avg_pool3d_backward", AdaptiveAvgPoolBackward<3>},
    {"aten::adaptive_max_pool1d", InOrder<AdaptiveMaxPool1d, EndInView>},
    {"aten::adaptive_max_pool2d", AdaptiveMaxPool<2>},
    {"aten::adaptive_max_pool3d", AdaptiveMaxPool<3>, Overlap::kAllowedInOut},
    {"aten::adaptive_max_pool2d_backward", AdaptiveMaxPoolBackward<2>},
    {"aten::adaptive_max_pool3d_backward", AdaptiveMaxPoolBackward<3>, Overlap::kAllowedInOut},
    {"aten::fractional_max_pool2d", FractionalMaxPool<2>, Overlap::kAllowedInOut},
    {"aten::fractional_max_pool3d", FractionalMaxPool<3>, Overlap::kAllowedInOut},
    {"aten::fractional_max_pool2d_backward", FractionalMaxPoolBackward<2>, Overlap::kAllowedInOut},
    {"aten::fractional_max_pool3d_backward", FractionalMaxPoolBackward<3>},
    {"aten::max_unpool2d", MaxUnpool<2>, Overlap::kAllowedInOut | SetsStrides{4} | OutDtypeIfRead<"self">},
    {"aten::max_unpool3d", MaxUnpool<3>},
    {"aten::max_unpool3d.out", MaxUnpool3dOut},
};

}  // namespace

RuleRows AdaptivePoolingRules() { return kRows; }

}  // namespace fakeprop::rules
