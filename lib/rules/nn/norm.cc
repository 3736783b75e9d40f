// Normalization over groups, layers and weights.
// Source: native_layer_norm and native_group_norm in torch/_refs/__init__.py, their backwards and _fused_rms_norm in
// torch/_decomp/decompositions.py, aten/src/ATen/native/{layer_norm,group_norm,WeightNorm}.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/normalization_metas.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

// `shape` must be how the input's sizes end, and weight and bias have it. Gives the number of dimensions before it.
int64_t CheckNormalizedShape(
    const Call& call, const TensorMeta& input, const Dims& shape, std::initializer_list<const Tensor*> affine) {
  if (shape.empty()) FailValue(call, "expected normalized_shape to have at least one element");
  for (const Tensor* t : affine) {
    if (t && !ExpectSame(t->meta.size_span(), shape))
      FailShape(call, "expected weight and bias of normalized_shape " + ToString(shape) + ", but got " +
                          ToString(t->meta.size_span()));
  }
  const int64_t outer = input.rank() - static_cast<int64_t>(shape.size());
  bool ends = outer >= 0;
  for (size_t i = 0; ends && i < shape.size(); ++i) ends = Expect(Eq(input.sizes[outer + i], shape[i]));
  if (!ends)
    FailShape(call, "given normalized_shape=" + ToString(shape) + ", the input's sizes must end so, but got " +
                        ToString(input.size_span()));
  return outer;
}

// One statistic for all that is normalized together.
TensorMeta OuterStats(const TensorMeta& input, int64_t outer, ScalarType dtype) {
  Dims sizes(input.rank(), Dim(1));
  for (int64_t d = 0; d < outer; ++d) sizes[d] = input.sizes[d];
  return ContiguousMeta(sizes, dtype, input.device);
}

TensorMeta LayerNormMeta(const Call& call, int weight, int bias, int64_t* outer) {
  const TensorMeta& input = call.Meta(0);
  *outer = CheckNormalizedShape(call, input, call.DimList(1), {call.OptionalTensor(weight), call.OptionalTensor(bias)});
  RequireFloat(call, input.dtype);
  return EmptyLike(input, MemoryFormat::Contiguous);
}

void LayerNorm(Call& call) {
  int64_t outer;
  call.ReturnNew(LayerNormMeta(call, 2, 3, &outer));
}

void NativeLayerNorm(Call& call) {
  int64_t outer;
  TensorMeta out = LayerNormMeta(call, 2, 3, &outer);
  const TensorMeta stats = OuterStats(out, outer, out.device.is_cpu() ? out.dtype : ComputationDtype(out.dtype));
  call.ReturnNew(std::move(out));
  for (int i = 0; i < 2; ++i) call.ReturnNew(stats);
}

void RequireSameNumel(const Call& call, const TensorMeta& a, const TensorMeta& b) {
  if (!HasNumel(a, Numel(b.size_span())))
    FailShape(
        call, "gradient and input differ in size: " + ToString(a.size_span()) + " and " + ToString(b.size_span()));
}

// The gradient may lack dimensions or have more; the dtype of the bias is not looked at.
void CheckLayerNormBackward(const Call& call) {
  const TensorMeta &grad = call.Meta(0), &input = call.Meta(1);
  RequireDeviceOfFirst(call, {1, 0, 3, 4, 5});
  RequireFloat(call, input.dtype);
  if (input.device.is_cpu()) {
    RequireSameDtype(call, 0, 1);
    RequireSameDtype(call, 3, 4);
    if (call.OptionalTensor(5)) RequireSameDtype(call, 5, 3);
  }
  if (!CanExpandTo(grad.size_span(), input.size_span()) && !CanExpandTo(input.size_span(), grad.size_span()))
    RequireSameNumel(call, grad, input);
}

void LayerNormBackward(Call& call) {
  const TensorMeta& input = call.Meta(1);
  const Dims shape = call.DimList(2);
  const std::vector<bool> wanted = call.Bools(7);
  CheckNormalizedShape(call, input, shape, {call.OptionalTensor(5), call.OptionalTensor(6)});
  // An empty input has zeros for gradients of weight and bias even where those are missing; nothing else is checked.
  const bool empty = IsEmpty(input);
  if (!empty) CheckLayerNormBackward(call);
  ReturnWanted(call, wanted[0], EmptyLike(input, MemoryFormat::Contiguous));
  for (int i : {1, 2}) {
    const Tensor* affine = call.OptionalTensor(4 + i);
    ReturnWanted(call, wanted[i] && (affine || empty),
        ContiguousMeta(shape, affine && !empty ? affine->meta.dtype : input.dtype, input.device));
  }
}

bool IsChannelsLast(const TensorMeta& t) { return SuggestMemoryFormat(t) != MemoryFormat::Contiguous; }

// Channels-last inputs alone keep their layout.
TensorMeta RmsNormMeta(const Call& call, int64_t* outer, const Tensor* affine) {
  const TensorMeta& input = call.Meta(0);
  *outer = CheckNormalizedShape(call, input, call.DimList(1), {affine});
  RequireFloatOrComplex(call, input.dtype);
  return EmptyLike(input, IsChannelsLast(input) ? MemoryFormat::Preserve : MemoryFormat::Contiguous);
}

void RmsNorm(Call& call) {
  int64_t outer;
  call.ReturnNew(RmsNormMeta(call, &outer, call.OptionalTensor(2)));
}

void FusedRmsNorm(Call& call) {
  int64_t outer;
  TensorMeta out = RmsNormMeta(call, &outer, nullptr);
  // Any weight that broadcasts will do here.
  const Tensor* weight = call.OptionalTensor(2);
  if (weight && !CanExpandTo(weight->meta.size_span(), out.size_span()))
    FailShape(
        call, "weight " + ToString(weight->meta.size_span()) + " does not broadcast to " + ToString(out.size_span()));
  const TensorMeta rstd = OuterStats(out, outer, ComputationDtype(out.dtype));
  call.ReturnNew(std::move(out));
  call.ReturnNew(rstd);
}

void FusedRmsNormBackward(Call& call) {
  const TensorMeta& input = call.Meta(1);
  RequireSameSizes(call, 0, 1);
  const std::vector<bool> wanted = call.Bools(5);
  ReturnWanted(call, wanted[0], EmptyLike(input, MemoryFormat::Contiguous));
  // What is left of the input once all dimensions before the normalized ones are summed.
  const size_t kept = std::min(call.DimList(2).size(), input.sizes.size());
  const DimSpan inner = input.size_span().subspan(input.sizes.size() - kept);
  const bool empty = IsEmpty(input);
  ReturnWanted(call, wanted[1] && (!call.IsNone(4) || empty), ContiguousMeta(inner, input.dtype, input.device));
}

void CheckGroups(const Call& call, Dim channels, Dim groups) {
  if (!Expect(Gt(groups, 0))) FailValue(call, "expected num groups to be greater than 0, got " + groups.ToString());
  if (!Expect(Eq(Mod(channels, groups), 0)))
    FailShape(call, "expected number of channels in input to be divisible by num_groups, but got " +
                        channels.ToString() + " and " + groups.ToString());
}

Dims GroupedSizes(Dim batch, Dim channels, Dim inner, Dim groups) {
  return {batch, groups, FloorDiv(channels, groups), inner};
}

// With a weight on cpu the input is scaled as it lies; else it is normalized group by group and seen in its shape
// again.
TensorMeta GroupNormMeta(const Call& call, const TensorMeta& input, Dim batch, Dim channels, Dim inner, Dim groups,
    const Tensor* weight, const Tensor* bias) {
  const TensorMeta channel = PerChannel(channels, input.rank(), input.dtype, input.device);
  if (input.device.is_cpu() && weight) {
    const TensorMeta* operands[] = {&input, &channel};
    return ElementwiseMeta(operands, input.dtype, input.device);
  }
  const TensorMeta grouped = Reshaped(input, GroupedSizes(batch, channels, inner, groups));
  const TensorMeta stats = ContiguousMeta(Dims{batch, groups, 1, 1}, input.dtype, input.device);
  const TensorMeta* normalized[] = {&grouped, &stats};
  const TensorMeta out = Reshaped(ElementwiseMeta(normalized, input.dtype, input.device), input.size_span());
  if (!weight && !bias) return out;
  const TensorMeta* scaled[] = {&out, &channel};
  return ElementwiseMeta(scaled, input.dtype, input.device);
}

void RequireChannelVector(const Call& call, const Tensor* t, Dim channels) {
  if (t && (t->meta.rank() != 1 || !Expect(Eq(t->meta.sizes[0], channels))))
    FailShape(call, "expected weight and bias to be vectors of the channels' number " + channels.ToString() +
                        ", but got " + ToString(t->meta.size_span()));
}

void GroupNorm(Call& call) {
  const TensorMeta& input = call.Meta(0);
  if (input.rank() < 2)
    FailShape(call, "expected at least 2 dimensions for input tensor but received " + ToString(input.size_span()));
  RequireFloat(call, input.dtype);
  const Dim channels = input.sizes[1], groups = call.DimArg(1);
  CheckGroups(call, channels, groups);
  const Tensor *weight = call.OptionalTensor(2), *bias = call.OptionalTensor(3);
  for (const Tensor* t : {weight, bias}) RequireChannelVector(call, t, channels);
  const TensorMeta dense =
      InFormat(input, input.device.is_cpu() ? SuggestMemoryFormat(input) : MemoryFormat::Contiguous);
  call.ReturnNew(
      GroupNormMeta(call, dense, input.sizes[0], channels, Numel(input.size_span().subspan(2)), groups, weight, bias));
}

void NativeGroupNorm(Call& call) {
  const TensorMeta& input = call.Meta(0);
  if (input.rank() < 2)
    FailShape(call, "expected at least 2 dimensions for input tensor but received " + ToString(input.size_span()));
  RequireFloat(call, input.dtype);
  const Dim batch = call.DimArg(3), channels = call.DimArg(4), inner = call.DimArg(5), groups = call.DimArg(6);
  CheckGroups(call, channels, groups);
  if (!HasNumel(input, batch * channels * inner))
    FailShape(call, "expected an input of " + (batch * channels * inner).ToString() + " elements, but got " +
                        ToString(input.size_span()));
  const Tensor *weight = call.OptionalTensor(1), *bias = call.OptionalTensor(2);
  for (const Tensor* t : {weight, bias}) RequireChannelVector(call, t, channels);
  call.ReturnNew(GroupNormMeta(call, input, batch, channels, inner, groups, weight, bias));
  for (int i = 0; i < 2; ++i) ReturnContiguous(call, Dims{batch, groups}, input.dtype);
}

// The statistics and the weight have the input's dtype, or are float32 beside a half-precision input.
// Source: native_group_norm_backward, check_mixed_data_type.
void CheckGroupNormDtypes(const Call& call) {
  RequireSameDtype(call, 0, 1);
  RequireSameDtype(call, 2, 3);
  const ScalarType input = call.Meta(1).dtype, statistics = call.Meta(2).dtype;
  if (statistics != input && !(IsHalf(input) && statistics == ScalarType::Float))
    FailDtype(call, "takes mean and rstd of the input's dtype, " + std::string(DtypeName(input)) + ", not " +
                        std::string(DtypeName(statistics)));
  const Tensor* weight = call.OptionalTensor(4);
  if (weight && weight->meta.dtype != statistics)
    FailDtype(call, "takes a weight of the dtype of mean and rstd, " + std::string(DtypeName(statistics)) + ", not " +
                        std::string(DtypeName(weight->meta.dtype)));
}

void GroupNormBackward(Call& call) {
  const TensorMeta &grad = call.Meta(0), &input = call.Meta(1);
  CheckGroupNormDtypes(call);
  RequireSameSizes(call, 0, 1);
  RequireSameSizes(call, 2, 3);
  const Dim batch = call.DimArg(5), channels = call.DimArg(6), inner = call.DimArg(7), groups = call.DimArg(8);
  CheckGroups(call, channels, groups);
  if (!HasNumel(input, batch * channels * inner) || !ExpectSame(call.Meta(2).size_span(), Dims{batch, groups}))
    FailShape(call, "the sizes of input " + ToString(input.size_span()) + " and mean " +
                        ToString(call.Meta(2).size_span()) + " do not fit");
  RequireChannelVector(call, call.OptionalTensor(4), channels);
  const std::vector<bool> wanted = call.Bools(9);
  const Dims grouped = GroupedSizes(batch, channels, inner, groups);
  const TensorMeta by_group[] = {Reshaped(grad, grouped), Reshaped(input, grouped)};
  const TensorMeta* operands[] = {&by_group[0], &by_group[1]};
  ReturnWanted(call, wanted[0], Reshaped(ElementwiseMeta(operands, input.dtype, input.device), input.size_span()));
  const Tensor* weight = call.OptionalTensor(4);
  const ScalarType parameter = weight ? weight->meta.dtype : input.dtype;
  for (int i : {1, 2}) ReturnWanted(call, wanted[i], ContiguousMeta(Dims{channels}, parameter, input.device));
}

// Vectors along one dimension: size 1 in all others.
Dims AlongDim(const TensorMeta& v, int64_t dim) {
  Dims sizes(v.rank(), Dim(1));
  sizes[dim] = v.sizes[dim];
  return sizes;
}

void WeightNorm(Call& call) {
  RequireFloatOrComplex(call, call.Meta(0).dtype);
  if (call.Meta(0).rank() > 0) WrapDim(call.Int(2), call.Meta(0).rank());
  const TensorMeta v = InFormat(call.Meta(0), MemoryFormat::Contiguous),
                   g = InFormat(call.Meta(1), MemoryFormat::Contiguous);
  const TensorMeta* operands[] = {&v, &g};
  call.ReturnNew(ElementwiseMeta(operands, PromotedDtype(call, {0, 1}), call.device()));
}

// The kernel, unlike Python's decomposition, makes both results dense.
void WeightNormInterface(Call& call) {
  const TensorMeta &v = call.Meta(0), &g = call.Meta(1);
  RequireFloatOrComplex(call, v.dtype);
  // The CPU kernel takes the first or the last dimension, counted from the front.
  if (const int64_t dim = call.Int(2); v.device.is_cpu() && dim != 0 && dim != v.rank() - 1)
    FailValue(call, "keeps the first or the last dimension, not " + std::to_string(dim));
  BroadcastSizes(v.size_span(), g.size_span());
  call.ReturnNew(EmptyLike(v, MemoryFormat::Contiguous));
  TensorMeta norm = EmptyLike(g);
  if (g.device.is_cpu()) norm.strides = g.strides;  // empty_strided
  call.ReturnNew(WithDtype(std::move(norm), g.dtype == ScalarType::BFloat16 ? ScalarType::Float : g.dtype));
}

void WeightNormInterfaceBackward(Call& call) {
  call.ReturnNew(EmptyLike(call.Meta(1)));
  call.ReturnNew(EmptyLike(call.Meta(2)));
}

void NormExceptDim(Call& call) {
  const TensorMeta& v = call.Meta(0);
  RequireFloatOrComplex(call, v.dtype);
  const int64_t dim = call.Int(2);
  if (v.rank() == 0 && dim != -1) FailShape(call, "takes a tensor of at least 1 dimension");
  const Dims sizes = dim == -1 ? Dims() : AlongDim(v, WrapDim(dim, v.rank()));
  ReturnContiguous(call, sizes, ToRealDtype(v.dtype));
}

constexpr RuleRow kRows[] = {
    {"aten::layer_norm", LayerNorm},
    {"aten::native_layer_norm", NativeLayerNorm},
    {"aten::native_layer_norm_backward", LayerNormBackward, Devices::kAny},
    {"aten::rms_norm", RmsNorm},
    {"aten::_fused_rms_norm", FusedRmsNorm},
    {"aten::_fused_rms_norm_backward", FusedRmsNormBackward},
    {"aten::group_norm", GroupNorm},
    {"aten::native_group_norm", NativeGroupNorm},
    {"aten::native_group_norm_backward", GroupNormBackward},
    {"aten::_weight_norm", WeightNorm, Devices::kSame},
    {"aten::_weight_norm_interface", WeightNormInterface},
    {"aten::_weight_norm_interface_backward", WeightNormInterfaceBackward},
    {"aten::norm_except_dim", NormExceptDim},
};

}  // namespace

RuleRows NormRules() { return kRows; }

}  // namespace fakeprop::rules
