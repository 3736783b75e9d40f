// Normalization over groups, layers and weights.
// Source: native_layer_norm and native_group_norm in torch/_refs/__init__.py, their backwards and _fused_rms_norm in
// torch/_decomp/decompositions.py, aten/src/ATen/native/{layer_norm,group_norm,WeightNorm}.cpp (torch 2.13).
#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_changes.h"
#include "lib/rules/core/torch_words.h"
#include "lib/rules/families.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/normalization_metas.h"
#include "lib/rules/support/reshape_metas.h"

namespace fakeprop::rules {
namespace {

// The input's sizes must end in `shape`, which is also that of the affine parameters.
void CheckNormalizedShape(const Call& call, const TensorMeta& input, const Dims& shape, ArgumentNames affine) {
  RequireValue(call, !shape.empty(),
      "expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element");
  for (const Operand& t : call.Given(affine))
    t.Sizes(shape, {"expected {argument} to be of same shape as normalized_shape, but got {argument} of shape {} and "
                    "normalized_shape = {}",
                       t->sizes, shape});
  const int64_t outer = input.rank() - static_cast<int64_t>(shape.size());
  bool ends = outer >= 0;
  for (size_t i = 0; ends && i < shape.size(); ++i) ends = Expect(Eq(input.sizes[outer + i], shape[i]));
  if (!ends)
    FailShape(call, {"given normalized_shape={}, expected input with shape {}, but got input of size{}", shape,
                        "[*, " + ToString(DimSpan(shape)).substr(1), input.sizes});
}

// One statistic for each group of elements that is normalized together.
TensorMeta OuterStats(const Call& call, const TensorMeta& input, ScalarType dtype) {
  Dims sizes = input.sizes;
  std::fill(sizes.end() - call.DimList("normalized_shape").size(), sizes.end(), Dim(1));
  return ContiguousMeta(sizes, dtype, input.device);
}

// The dtype of the statistics. The cpu's kernels take parameters of one dtype and compute statistics in it.
ScalarType StatsDtype(const Call& call) {
  const Operand input = call.In("input");
  if (!input->device.is_cpu()) return ComputationDtype(input->dtype);
  return RequireFittingDtype({call.OptionalIn("weight"), call.OptionalIn("bias")}, input);
}

TensorMeta LayerNormMeta(const Call& call) {
  const Operand input = call.In("input");
  CheckNormalizedShape(call, input, call.DimList("normalized_shape"), {"weight", "bias"});
  input.Takes(kFloating);
  StatsDtype(call);
  return EmptyLike(input, MemoryFormat::Contiguous);
}

void LayerNorm(Call& call) { call.ReturnNew(LayerNormMeta(call)); }

void NativeLayerNorm(Call& call) {
  const TensorMeta out = LayerNormMeta(call);
  call.ReturnNew(out);
  const TensorMeta stats = OuterStats(call, out, StatsDtype(call));
  for (int i = 0; i < 2; ++i) call.ReturnNew(stats);
}

// The gradient may have fewer or more dimensions than the input. Nothing is asked of the bias's dtype.
void CheckLayerNormBackward(const Call& call) {
  const Operand grad = call.In("grad_out"), input = call.In("input"), mean = call.In("mean");
  RequireDeviceOfFirst(call, {"input", "grad_out", "mean", "rstd", "weight"});
  input.Takes(kFloating);
  if (input->device.is_cpu()) {
    grad.SameDtypeAs(input);
    mean.SameDtypeAs(call.In("rstd"));
    call.OptionalIn("weight").SameDtypeAs(mean);
  }
  const DimSpan of_grad = grad->size_span(), of_input = input->size_span();
  RequireShape(call,
      CanExpandTo(of_grad, of_input) || CanExpandTo(of_input, of_grad) || HasNumel(grad, Numel(of_input)),
      {"gradient and input differ in size: {} and {}", of_grad, of_input});
}

void LayerNormBackward(Call& call) {
  const Operand input = call.In("input");
  const Dims shape = call.DimList("normalized_shape");
  const std::vector<bool> wanted = call.Bools("output_mask");
  CheckNormalizedShape(call, input, shape, {"weight", "bias"});
  // With an empty input the gradients of weight and bias are zeros, even of missing ones. Nothing else is checked then.
  const bool empty = IsEmpty(input);
  if (!empty) CheckLayerNormBackward(call);
  ReturnWanted(call, wanted[0], EmptyLike(input, MemoryFormat::Contiguous));
  const auto gradient = [&](bool is_wanted, const Operand& of) {
    const ScalarType dtype = of && !empty ? of->dtype : input->dtype;
    ReturnWanted(call, is_wanted && (of || empty), ContiguousMeta(shape, dtype, input->device));
  };
  gradient(wanted[1], call.OptionalIn("weight"));
  gradient(wanted[2], call.OptionalIn("bias"));
}

bool IsChannelsLast(const TensorMeta& t) { return SuggestMemoryFormat(t) != MemoryFormat::Contiguous; }

// Only channels-last inputs keep their layout.
TensorMeta RmsNormMeta(const Call& call) {
  const Operand input = call.In("input").Takes(kFloatingOrComplex);
  return EmptyLike(input, IsChannelsLast(input) ? MemoryFormat::Preserve : MemoryFormat::Contiguous);
}

void RmsNorm(Call& call) {
  CheckNormalizedShape(call, call.In("input"), call.DimList("normalized_shape"), {"weight"});
  call.ReturnNew(RmsNormMeta(call));
}

// Here the weight only has to broadcast. The cpu takes the number of normalized dimensions, and not their sizes; there
// the result may take sizes of the weight. Source: at::native::rms_norm_composite.
void FusedRmsNorm(Call& call) {
  const Operand input = call.In("input");
  const Dims shape = call.DimList("normalized_shape");
  TensorMeta out = RmsNormMeta(call);
  if (input->device.is_cpu())
    input.Require(!shape.empty() && std::ssize(shape) <= input->rank(),
        {"normalizes {} dimensions of {tensor}", std::ssize(shape)});
  else CheckNormalizedShape(call, input, shape, {});
  if (const Operand weight = call.OptionalIn("weight"); weight && input->device.is_cpu()) {
    out.sizes = BroadcastSizes(out.size_span(), weight->size_span());
    if (out.sizes.size() != out.strides.size() || !ExpectSame(out.size_span(), input->size_span()))
      out.strides = ContiguousStrides(out.size_span());
  } else if (weight) {
    weight.BroadcastsTo(out.sizes);
  }
  call.ReturnNew(out);
  // The weight has no part in the statistics.
  call.ReturnNew(OuterStats(call, input, ComputationDtype(out.dtype))).requires_grad =
      call.state().grad_enabled && call.In("input").tensor().RequiresGrad();
}

void FusedRmsNormBackward(Call& call) {
  const Operand input = call.In("input");
  call.In("grad_out").SameSizesAs(input);
  const std::vector<bool> wanted = call.Bools("output_mask");
  ReturnWanted(call, wanted[0], EmptyLike(input, MemoryFormat::Contiguous));
  // The normalized dimensions: those before them are summed.
  const size_t kept = std::min(call.DimList("normalized_shape").size(), input->sizes.size());
  const DimSpan inner = input->size_span().subspan(input->sizes.size() - kept);
  const bool empty = IsEmpty(input);
  ReturnWanted(call, wanted[1] && (call.Has("weight") || empty), ContiguousMeta(inner, input->dtype, input->device));
}

// ---- groups

// The input as [batch, channels, inner], its channels in groups.
struct GroupSizes {
  Dim batch, channels, inner, groups;

  Dim Numel() const { return batch * channels * inner; }
  Dims Grouped() const { return {batch, groups, FloorDiv(channels, groups), inner}; }
};

void CheckGroups(const Call& call, const GroupSizes& s) {
  RequireValue(call, Gt(s.groups, 0), {"expected num groups to be greater than 0, got {}", s.groups});
  RequireShape(call, Divides(s.groups, s.channels),
      {"expected number of channels in input to be divisible by num_groups, but got input of {} channels and "
       "num_groups={}",
          s.channels, s.groups});
}

GroupSizes CheckedGroups(const Call& call) {
  const GroupSizes s = {call.DimArg("N"), call.DimArg("C"), call.DimArg("HxW"), call.DimArg("group")};
  CheckGroups(call, s);
  return s;
}

void RequireChannelVectors(const Call& call, ArgumentNames parameters, Dim channels) {
  call.Given(parameters)
      .Sizes({channels}, {"expected {argument} to be a vector of size equal to the number of channels in input, {}, "
                          "but got {argument} of shape {}",
                             channels});
}

// The cpu's kernel writes a tensor like the input. Elsewhere the input is normalized group by group, and the result is
// viewed in the input's shape again. Source: at::native::native_group_norm.
TensorMeta GroupNormMeta(const Call& call, const TensorMeta& input, const GroupSizes& s) {
  if (input.device.is_cpu()) return EmptyLike(input, SuggestMemoryFormat(input));
  const bool has_weight = call.Has("weight");
  const TensorMeta channel = PerChannel(s.channels, input.rank(), input.dtype, input.device);
  const TensorMeta grouped = Reshaped(input, s.Grouped());
  const TensorMeta stats = ContiguousMeta(Dims{s.batch, s.groups, 1, 1}, input.dtype, input.device);
  const TensorMeta* normalized[] = {&grouped, &stats};
  const TensorMeta out = Reshaped(ElementwiseMeta(normalized, input.dtype, input.device), input.size_span());
  if (!has_weight && !call.Has("bias")) return out;
  const TensorMeta* scaled[] = {&out, &channel};
  return ElementwiseMeta(scaled, input.dtype, input.device);
}

Operand CheckedInput(const Call& call) {
  return call.In("input")
      .RankAtLeast(2, "expected at least 2 dimensions for input tensor but received {}")
      .Takes(kFloating);
}

// Source: check_group_norm_inputs.
void RequireElements(const Call& call, const GroupSizes& s) {
  if (!Has(call, kGroupNormNeedsElements)) return;
  RequireValue(call, Gt(s.channels, 0), {"expected number of channels to be greater than 0, got {}", s.channels});
  RequireValue(call, Gt(s.inner, 0), {"expected HxW to be greater than 0, got {}", s.inner});
}

void GroupNorm(Call& call) {
  const Operand input = CheckedInput(call);
  const GroupSizes s = {
      input->sizes[0], input->sizes[1], Numel(input->size_span().subspan(2)), call.DimArg("num_groups")};
  CheckGroups(call, s);
  RequireElements(call, s);
  RequireChannelVectors(call, {"weight", "bias"}, s.channels);
  StatsDtype(call);
  const MemoryFormat format = input->device.is_cpu() ? SuggestMemoryFormat(input) : MemoryFormat::Contiguous;
  call.ReturnNew(GroupNormMeta(call, InFormat(input, format), s));
}

void NativeGroupNorm(Call& call) {
  const Operand input = CheckedInput(call);
  const GroupSizes s = CheckedGroups(call);
  RequireElements(call, s);
  input.NumelIs(s.Numel(), {"expected an input of {} elements, but got {}", s.Numel()});
  RequireChannelVectors(call, {"weight", "bias"}, s.channels);
  const bool is_copied = !input->device.is_cpu() || Has(call, kGroupNormCopies);
  input.Require(is_copied || IsContiguousIn(*input, SuggestMemoryFormat(*input)),
      "takes a contiguous input: expected X.is_contiguous(memory_format) to be true, but got {}");
  call.ReturnNew(GroupNormMeta(call, input, s));
  const ScalarType stats = input->device.is_cpu() ? StatsDtype(call) : input->dtype;
  for (int i = 0; i < 2; ++i) ReturnContiguous(call, Dims{s.batch, s.groups}, stats);
}

// Source: native_group_norm_backward, check_mixed_data_type.
void CheckGroupNormDtypes(const Call& call) {
  const Operand input = call.In("input"), mean = call.In("mean");
  call.In("grad_out").SameDtypeAs(input);
  mean.SameDtypeAs(call.In("rstd"));
  mean.Takes(StatisticsDtypes(input->dtype), {"takes mean and rstd of the input's dtype, {}, not {}", input->dtype});
  // As FakeTensorMode says, the forward pass gives mean and rstd of the input's dtype. Beside a float weight, the
  // kernel's are float.
  const Operand weight = call.OptionalIn("weight");
  if (weight && mean->dtype == input->dtype)
    weight.Takes(
        StatisticsDtypes(input->dtype), {"takes a weight of the dtype of mean and rstd, {}, not {}", mean->dtype});
  else weight.SameDtypeAs(mean, {"takes a weight of the dtype of mean and rstd, {}, not {}", mean->dtype});
}

void GroupNormBackward(Call& call) {
  const Operand grad = call.In("grad_out"), input = call.In("input"), mean = call.In("mean");
  CheckGroupNormDtypes(call);
  grad.SameSizesAs(input);
  mean.SameSizesAs(call.In("rstd"));
  const GroupSizes s = CheckedGroups(call);
  mean.Require(HasNumel(input, s.Numel()) && ExpectSame(mean->size_span(), Dims{s.batch, s.groups}),
      {"the sizes of input {} and mean {} do not fit", input->sizes});
  RequireChannelVectors(call, {"weight"}, s.channels);
  const std::vector<bool> wanted = call.Bools("output_mask");
  const TensorMeta by_group[] = {Reshaped(grad, s.Grouped()), Reshaped(input, s.Grouped())};
  const TensorMeta* operands[] = {&by_group[0], &by_group[1]};
  ReturnWanted(call, wanted[0], Reshaped(ElementwiseMeta(operands, input->dtype, input->device), input->size_span()));
  const Operand weight = call.OptionalIn("weight");
  const ScalarType parameter = weight ? weight->dtype : input->dtype;
  for (int i : {1, 2}) ReturnWanted(call, wanted[i], ContiguousMeta(Dims{s.channels}, parameter, input->device));
}

// ---- weights

// v's size in one dimension, 1 in all others.
Dims AlongDim(const TensorMeta& v, int64_t dim) {
  Dims sizes(v.rank(), Dim(1));
  sizes[dim] = v.sizes[dim];
  return sizes;
}

// On the cpu the fused kernel serves the first and the last dimension; it takes weights of any shape.
// Source: at::native::_weight_norm.
bool IsFused(const Call& call) {
  const Operand v = call.In("v");
  const int64_t dim = call.Int("dim");
  return v->device.is_cpu() && (dim == 0 || dim == v->rank() - 1);
}

void WeightNorm(Call& call) {
  const Operand v = call.In("v").Takes(kFloatingOrComplex);
  if (v->rank() > 0) call.WrappedDim("dim", v);
  if (IsFused(call)) {
    call.In("g").SameDtypeAs(v);
    return void(call.ReturnNew(EmptyLike(v, MemoryFormat::Contiguous)));
  }
  const TensorMeta dense_v = InFormat(v, MemoryFormat::Contiguous);
  const TensorMeta dense_g = InFormat(call.In("g"), MemoryFormat::Contiguous);
  const TensorMeta* operands[] = {&dense_v, &dense_g};
  call.ReturnNew(ElementwiseMeta(operands, PromotedDtype(call, {"v", "g"}), call.device()));
}

// The kernel, unlike Python's decomposition, makes both results dense.
void WeightNormInterface(Call& call) {
  const Operand v = call.In("v").Takes(kFloatingOrComplex), g = call.In("g");
  // The CPU kernel takes the first or the last dimension, counted from the front.
  const int64_t dim = call.Int("dim");
  RequireValue(call, !v->device.is_cpu() || dim == 0 || dim == v->rank() - 1,
      {"keeps the first or the last dimension, not {}", dim});
  const bool on_cpu = g->device.is_cpu();
  if (on_cpu) g.SameDtypeAs(v);
  else BroadcastSizes(v->size_span(), g->size_span());
  call.ReturnNew(EmptyLike(v, MemoryFormat::Contiguous));
  TensorMeta norm = EmptyLike(g);
  if (on_cpu) norm.strides = g->strides;  // empty_strided
  const bool is_half = g->dtype == ScalarType::BFloat16 || (on_cpu && g->dtype == ScalarType::Half);
  call.ReturnNew(WithDtype(std::move(norm), is_half ? ScalarType::Float : g->dtype));
}

void WeightNormInterfaceBackward(Call& call) {
  call.ReturnNew(EmptyLike(call.In("saved_v")));
  call.ReturnNew(EmptyLike(call.In("saved_g")));
}

void NormExceptDim(Call& call) {
  const Operand v = call.In("v").Takes(kFloatingOrComplex);
  const int64_t dim = call.Int("dim");
  RequireShape(call, v->rank() > 0 || dim == -1, "takes a tensor of at least 1 dimension");
  const Dims sizes = dim == -1 ? Dims() : AlongDim(v, WrapDim(dim, v->rank()));
  if (v->device.is_cpu() && dim != -1)  // a view of the other dimensions as one
    v.Require(Ne(Numel(sizes), 0),
        "cannot reshape tensor {} of 0 elements: the unspecified dimension size -1 can be any value");
  Output& norms = ReturnContiguous(call, sizes, ToRealDtype(v->dtype));
  norms.ends_in_view = dim != -1;
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
