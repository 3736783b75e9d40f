// Tensors in oneDNN's own layout: they have sizes, but no strides. Source: aten/src/ATen/native/mkldnn (torch 2.15).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/layout_rows.h"
#include "lib/rules/other_layouts/twin_call.h"
#include "lib/rules/support/outputs.h"
#include "lib/rules/support/sparse_results.h"

namespace fakeprop::rules {
namespace {

bool IsMkldnn(const TensorMeta& t) { return t.layout == Layout::Mkldnn; }

void ReturnMkldnn(Call& call, DimSpan sizes, ScalarType dtype) {
  call.ReturnNew(MetaOfLayout(Dims(sizes.begin(), sizes.end()), dtype, call.device(), Layout::Mkldnn));
}

void RequireMkldnn(const Call& call, const Operand& t) {
  if (t && !IsMkldnn(t))
    FailAs(call, ErrorClass::kTypeError, {"expects an oneDNN tensor as {}, but got {}", t.QuotedName(), *t});
}

// The sizes and dtypes are those of strided tensors.
void AsStrided(Call& call, TwinCall& twin) {
  twin.ForEachResult([&](const TensorMeta& meta) { ReturnMkldnn(call, meta.size_span(), meta.dtype); });
}

// `kFirst` has to be in oneDNN's layout; what other tensors are in does not matter.
template <ArgumentName kFirst>
void LikeStrided(Call& call) {
  RequireMkldnn(call, call.In(kFirst));
  TwinCall twin(call);
  AsStrided(call, twin);
}

void SameAsSelf(Call& call) { ReturnMkldnn(call, call.In("self")->size_span(), call.In("self")->dtype); }

void ToDense(Call& call) {
  const Operand self = call.In("self");
  ReturnContiguous(call, self, TryDtype(call).value_or(self->dtype));
}

void To(Call& call) {
  const bool changes = TryDtype(call).value_or(call.In("self")->dtype) != call.In("self")->dtype || call.Flag("copy");
  if (changes) FailAs(call, ErrorClass::kTypeError, "does not convert an oneDNN tensor: `to_dense` and `to_mkldnn` do");
  ReturnSelf(call);
}

// ---- two tensors

void Sum(Call& call) {
  const Operand self = call.In("self"), other = call.In("other");
  RequireMkldnn(call, self);
  RequireMkldnn(call, other);
  other.SameSizesAs(self);
  SameAsSelf(call);
}

void Product(Call& call) {
  const Operand self = call.In("self"), other = call.In("other");
  RequireMkldnn(call, self);
  if (other->rank() != 0) RequireMkldnn(call, other);
  TwinCall twin(call);
  AsStrided(call, twin);
}

void Copy(Call& call) {
  const Operand self = call.In("self"), src = call.In("src");
  if (!IsMkldnn(self) || !IsMkldnn(src))
    Fail(ErrorClass::kTypeError,
        Format("{}: between the oneDNN layout and strided tensors is not implemented: found {} and {}", OpName(call),
            *self, *src));
  src.SameSizesAs(self);
  SameAsSelf(call);
}

// ---- shapes

void ReturnShape(Call& call, DimSpan shape) {
  const Operand self = call.In("self");
  const Dims sizes = InferShape(shape, self.Numel());
  if (GuardSame(sizes, self->size_span())) return ReturnSelf(call);
  ReturnMkldnn(call, sizes, self->dtype);
}

void Reshape(Call& call) { ReturnShape(call, call.DimList("shape")); }

void Flatten(Call& call) {
  TwinCall twin(call);
  AsStrided(call, twin);
}

void Swap(Call& call, int64_t a, int64_t b) {
  Dims sizes = call.In("self")->sizes;
  std::swap(sizes[static_cast<size_t>(a)], sizes[static_cast<size_t>(b)]);
  ReturnMkldnn(call, sizes, call.In("self")->dtype);
}

void Transpose(Call& call) {
  const Operand self = call.In("self");
  Swap(call, call.WrappedDim("dim0", self), call.WrappedDim("dim1", self));
}

void T(Call& call) {
  call.In("self").Rank(2);
  Swap(call, 0, 1);
}

[[noreturn]] void NoView(Call& call) {
  Fail(ErrorClass::kTypeError,
      Format("{}: an oneDNN tensor has no strides, so it has no views: `reshape` copies", OpName(call)));
}

// ---- layers

// By the rule of the operator for strided tensors with the same arguments.
template <const char* kStrided>
void By(Call& call) {
  RequireMkldnn(call, call.In("self"));
  TwinCall twin(call, kStrided);
  AsStrided(call, twin);
}

constexpr char kLinear[] = "aten::linear";
constexpr char kMaxPool2d[] = "aten::max_pool2d";
constexpr char kMaxPool3d[] = "aten::max_pool3d";
constexpr char kAdaptivePool[] = "aten::adaptive_avg_pool2d";

void AdaptivePool(Call& call) {
  const Operand self = call.In("self");
  const Dims sizes = call.DimList("output_size");
  for (size_t d = 0; d < sizes.size(); ++d) {
    const Dim size = self->sizes[self->sizes.size() - sizes.size() + d];
    RequireValue(call, Eq(Mod(size, sizes[d]), 0),
        {"does not support an input size that is not divisible by the output size: {} and {}", size, sizes[d]});
  }
  By<kAdaptivePool>(call);
}

void Convolution(Call& call) {
  const Operand input = call.Declares("self") ? call.In("self") : call.In("input");
  RequireMkldnn(call, input);
  TwinCall twin(call);
  AsStrided(call, twin);
}

// Only training saves statistics.
void BatchNorm(Call& call) {
  const Operand input = call.In("input");
  RequireMkldnn(call, input);
  ReturnMkldnn(call, input->size_span(), input->dtype);
  const Dims saved = call.Flag("training") ? Dims{input->sizes[1]} : Dims{};
  ReturnMkldnn(call, saved, ScalarType::Float);
  ReturnMkldnn(call, saved, ScalarType::Float);
}

void WholeBatchNorm(Call& call) {
  const Operand input = call.In("input");
  RequireMkldnn(call, input);
  ReturnMkldnn(call, input->size_span(), input->dtype);
}

void Dropout(Call& call) {
  if (!call.Bool("train")) return void(call.ReturnArgument(call.In("input").tensor()));
  FailAs(call, ErrorClass::kTypeError, "in training has no kernel for oneDNN tensors");
}

// ---- gradients

void RequireStridedWeight(const Call& call) {
  const Operand weight = call.In("weight");
  if (IsMkldnn(weight)) FailAs(call, ErrorClass::kTypeError, {"expects a strided `weight`, but got {}", *weight});
}

void LinearBackwardInput(Call& call) {
  RequireStridedWeight(call);
  ReturnMkldnn(call, call.DimList("input_size"), call.In("grad_output")->dtype);
}

void LinearBackwardWeights(Call& call) {
  const Operand weight = call.In("weight");
  ReturnContiguous(call, weight);
  if (call.Bool("bias_defined")) ReturnContiguous(call, {weight->sizes[0]}, weight->dtype);
  else call.ReturnNone();
}

void LinearBackward(Call& call) {
  RequireStridedWeight(call);
  const Operand self = call.In("self"), weight = call.In("weight");
  const std::vector<bool> mask = call.Bools("output_mask");
  const bool any_weight = mask[1] || mask[2];
  if (mask[0]) ReturnMkldnn(call, self->size_span(), self->dtype);
  else call.ReturnNone();
  if (any_weight) ReturnContiguous(call, weight);
  else call.ReturnNone();
  if (any_weight && mask[2]) ReturnContiguous(call, {weight->sizes[0]}, weight->dtype);
  else call.ReturnNone();
}

void PoolBackward(Call& call) { ReturnMkldnn(call, call.In("input")->size_span(), call.In("input")->dtype); }
void AdaptivePoolBackward(Call& call) { SameAsSelf(call); }
void ToMkldnnBackward(Call& call) { ReturnContiguous(call, call.In("input")); }

[[noreturn]] void NoKernel(Call& call) {
  FailAs(call, ErrorClass::kTypeError, "has no kernel for tensors in the layout of oneDNN");
}

void ZeroInPlace(Call& call) {
  Tensor& self = call.In("self").tensor();
  call.Write(self);
  call.ReturnArgument(self);
}

constexpr LayoutRow kRows[] = {
    {"aten::zero_", ZeroInPlace},
    {"aten::_log_softmax", NoKernel},
    {"aten::cat", NoKernel},
    {"aten::sparse_dim", NoKernel},
    {"aten::dense_dim", NoKernel},
    {"aten::to_dense", ToDense},
    {"aten::_to_dense", ToDense},
    {"aten::to.dtype", To},
    {"aten::to.dtype_layout", To},
    {"aten::to.device", To},
    {"aten::detach", ReturnAliasOfSelf},
    {"aten::clone", SameAsSelf},
    {"aten::contiguous", ReturnSelf},
    {"aten::zero", SameAsSelf},
    {"aten::copy", Copy},
    {"aten::relu", SameAsSelf},
    {"aten::tanh", SameAsSelf},
    {"aten::sigmoid", SameAsSelf},
    {"aten::gelu", SameAsSelf},
    {"aten::prelu", LikeStrided<"self">},
    {"aten::_prelu_kernel", LikeStrided<"self">},
    {"aten::threshold_backward", LikeStrided<"grad_output">},
    {"aten::add.Tensor", Sum, LayoutOut::kReplaced},
    {"aten::mul.Tensor", Product, LayoutOut::kReplaced},
    {"aten::softmax.int", LikeStrided<"self">},
    {"aten::_softmax", LikeStrided<"self">},
    {"aten::transpose.int", Transpose},
    {"aten::_mkldnn_transpose", Transpose},
    {"aten::t", T},
    {"aten::reshape", Reshape},
    {"aten::_mkldnn_reshape", Reshape},
    {"aten::flatten.using_ints", Flatten},
    {"aten::view", NoView},
    {"aten::unsqueeze", NoView},
    {"aten::select.int", NoView},
    {"aten::linear", LikeStrided<"input">},
    {"aten::mkldnn_linear", By<kLinear>},
    {"aten::convolution", Convolution},
    {"aten::mkldnn_convolution", Convolution},
    {"aten::conv1d", Convolution},
    {"aten::conv2d", Convolution},
    {"aten::conv3d", Convolution},
    {"aten::mkldnn_reorder_conv2d_weight", SameAsSelf},
    {"aten::mkldnn_reorder_conv3d_weight", SameAsSelf},
    {"aten::max_pool2d", LikeStrided<"self">},
    {"aten::max_pool3d", LikeStrided<"self">},
    {"aten::avg_pool2d", LikeStrided<"self">},
    {"aten::avg_pool3d", LikeStrided<"self">},
    {"aten::mkldnn_max_pool2d", By<kMaxPool2d>},
    {"aten::mkldnn_max_pool3d", By<kMaxPool3d>},
    {"aten::adaptive_avg_pool2d", AdaptivePool},
    {"aten::mkldnn_adaptive_avg_pool2d", AdaptivePool},
    {"aten::batch_norm", WholeBatchNorm},
    {"aten::native_batch_norm", BatchNorm},
    {"aten::_native_batch_norm_legit_no_training", BatchNorm},
    {"aten::dropout", Dropout},
    {"aten::mkldnn_linear_backward", LinearBackward},
    {"aten::mkldnn_linear_backward_input", LinearBackwardInput},
    {"aten::mkldnn_linear_backward_weights", LinearBackwardWeights},
    {"aten::mkldnn_max_pool2d_backward", PoolBackward},
    {"aten::mkldnn_max_pool3d_backward", PoolBackward},
    {"aten::mkldnn_adaptive_avg_pool2d_backward", AdaptivePoolBackward},
    {"aten::to_mkldnn_backward", ToMkldnnBackward},
};

}  // namespace

LayoutRows MkldnnRows() { return kRows; }

}  // namespace fakeprop::rules
