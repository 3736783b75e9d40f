// Operators on nested tensors. Their kernels run item by item, so dtypes and sizes are those of the strided operator on
// the padded tensor. Source: aten/src/ATen/native/nested, native/transformers/{attention,transformer}.cpp (torch 2.13).
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/layout_rows.h"
#include "lib/rules/other_layouts/twin_call.h"
#include "lib/rules/support/nested_results.h"
#include "lib/rules/support/outputs.h"
#include "lib/rules/support/sparse_results.h"
#include "lib/rules/support/tensor_options.h"

namespace fakeprop::rules {
namespace {

void RequireNested(const Call& call, const Operand& t) {
  if (t && !IsNested(*t))
    FailAs(call, ErrorClass::kTypeError, {"expects a nested tensor as {}, but got {}", t.QuotedName(), *t});
}

void RequireStrided(const Call& call, const Operand& t) {
  if (t && IsNested(*t)) FailAs(call, ErrorClass::kTypeError, {"takes no nested tensor as {}", t.QuotedName()});
}

// The metadata of the strided operator's results, nested.
void ReturnAsPadded(Call& call) {
  TwinCall(call).ForEachResult([&](const TensorMeta& meta) { ReturnNested(call, meta.size_span(), meta.dtype); });
}

template <ArgumentName kFirst>
void LikePadded(Call& call) {
  RequireNested(call, call.In(kFirst));
  ReturnAsPadded(call);
}

// Two nested tensors of the same sizes, or a number as the second. Nothing is broadcast.
void Binary(Call& call) {
  const Operand self = call.In("self"), other = call.In("other");
  RequireNested(call, self);
  if (other->rank() != 0) {
    RequireNested(call, other);
    other.SameSizesAs(self);
  }
  ReturnAsPadded(call);
}

// ---- copies

void Copied(Call& call) {
  const Operand self = call.In("self");
  Output& copy = ReturnNested(call, self->size_span(), TryDtype(call).value_or(self->dtype));
  if (call.Has("device")) copy.meta.device = *call.OptionalDevice("device");
}

void Clone(Call& call) { ReturnNested(call, call.In("self")->size_span(), call.In("self")->dtype); }

void To(Call& call) {
  if (ConvertsSelf(call)) return Copied(call);
  ReturnSelf(call);
}

void InPlace(Call& call) {
  Tensor& self = call.In("self").tensor();
  call.Write(self);
  call.ReturnArgument(self);
}

// ---- sizes

void Rank(Call& call) { call.ReturnNumber(call.In("self")->rank()); }

// The items differ in their first size. Others may differ too, where the size is not known.
void SizeOf(Call& call) {
  const Operand self = call.In("self");
  const int64_t dim = call.WrappedDim("dim", self);
  const Dim size = self->sizes[static_cast<size_t>(dim)];
  RequireValue(call, dim != 1 && !size.IsSymbolic(), {"has no size of dimension {}: it is irregular", dim});
  call.ReturnNumber(size);
}

// A view of the same items.
template <void (*CheckDims)(Call&)>
void Rearranged(Call& call) {
  CheckDims(call);
  const Operand self = call.In("self");
  TwinCall twin(call);
  call.ReturnAlias(self.tensor(), NestedMeta(twin.Result().size_span(), self->dtype, self->device));
}

void KeepsItems(Call& call, int64_t dim) {
  RequireValue(call, dim != 0, {"does not change dimension 0 of a nested tensor, which counts its items"});
}

void TransposedDims(Call& call) {
  const Operand self = call.In("self");
  KeepsItems(call, call.WrappedDim("dim0", self));
  KeepsItems(call, call.WrappedDim("dim1", self));
}

void OldDim(Call& call) { KeepsItems(call, call.WrappedDim("dim", call.In("self"))); }

void NewDim(Call& call) {
  const int64_t dim = call.Int("dim");
  KeepsItems(call, dim < 0 ? dim + call.In("self")->rank() + 1 : dim);
}

void SumLastDim(Call& call) {
  const Operand self = call.In("self");
  RequireNested(call, self);
  const std::vector<int64_t> dims = call.Ints("dim");
  const bool is_last = dims.size() == 1 && (dims[0] == -1 || dims[0] == self->rank() - 1);
  RequireValue(
      call, is_last && call.Flag("keepdim"), {"sums a nested tensor along its last dimension, which it keeps"});
  ReturnAsPadded(call);
}

void ToPadded(Call& call) {
  const Operand self = call.In("self");
  if (!call.Has("output_size")) return void(ReturnContiguous(call, self));
  const Dims sizes = call.DimList("output_size");
  RequireShape(call, sizes.size() == self->sizes.size(),
      {"takes as many sizes as the nested tensor has dimensions, {}, not {}", self->rank(), sizes});
  for (size_t d = 0; d < sizes.size(); ++d)
    RequireShape(call, Ge(sizes[d], self->sizes[d]),
        {"takes sizes that hold all items, {}, not {}: nothing is cut off", self->sizes, sizes});
  ReturnContiguous(call, sizes, self->dtype);
}

// ---- layers

void Linear(Call& call) {
  RequireStrided(call, call.In("weight"));
  RequireStrided(call, call.OptionalIn("bias"));
  ReturnAsPadded(call);
}

void LayerNorm(Call& call) {
  RequireValue(call, call.Has("weight") && call.Has("bias"), {"needs a weight and a bias for a nested tensor"});
  ReturnAsPadded(call);
}

void Softmax(Call& call) {
  KeepsItems(call, call.WrappedDim("dim", call.In("self")));
  ReturnAsPadded(call);
}

void Product(Call& call) {
  RequireNested(call, call.In("self"));
  RequireNested(call, call.In("other"));
  ReturnAsPadded(call);
}

void Dropout(Call& call) { ReturnNested(call, call.In("input")->size_span(), call.In("input")->dtype); }

[[noreturn]] void NoSecond(Call& call) { FailAs(call, ErrorClass::kTypeError, "takes no nested tensor as `other`"); }

void MaskedFill(Call& call) {
  RequireNested(call, call.In("self"));
  RequireNested(call, call.In("mask"));
  ReturnAsPadded(call);
}

void RequireNoMask(const Call& call) {
  RequireValue(call, !call.Has("mask"), {"takes no mask with a nested tensor: its items have their own lengths"});
}

void EncoderLayer(Call& call) {
  RequireNested(call, call.In("src"));
  RequireNoMask(call);
  ReturnAsPadded(call);
}

// (output, weights)
void Attention(Call& call) {
  RequireNested(call, call.In("query"));
  RequireNested(call, call.In("key"));
  RequireNested(call, call.In("value"));
  RequireNoMask(call);
  TwinCall twin(call);
  const std::vector<Output>& padded = twin.Run().outputs;
  ReturnNested(call, padded[0].meta.size_span(), padded[0].meta.dtype);
  if (!call.Bool("need_weights")) return void(call.ReturnNone());
  ReturnContiguous(call, padded[1].meta.size_span(), padded[1].meta.dtype);
}

constexpr LayoutRow kRows[] = {
    {"aten::abs", LikePadded<"self">},
    {"aten::cos", LikePadded<"self">},
    {"aten::gelu", LikePadded<"self">},
    {"aten::isinf", LikePadded<"self">},
    {"aten::isnan", LikePadded<"self">},
    {"aten::isneginf", LikePadded<"self">},
    {"aten::isposinf", LikePadded<"self">},
    {"aten::logical_not", LikePadded<"self">},
    {"aten::neg", LikePadded<"self">},
    {"aten::relu", LikePadded<"self">},
    {"aten::sgn", LikePadded<"self">},
    {"aten::silu", LikePadded<"self">},
    {"aten::sin", LikePadded<"self">},
    {"aten::sqrt", LikePadded<"self">},
    {"aten::tanh", LikePadded<"self">},
    {"aten::eq.Scalar", LikePadded<"self">},
    {"aten::ge.Scalar", LikePadded<"self">},
    {"aten::gt.Scalar", LikePadded<"self">},
    {"aten::mul.Scalar", LikePadded<"self">},
    {"aten::div.Scalar", LikePadded<"self">},
    {"aten::eq.Tensor", NoSecond},
    {"aten::add.Tensor", Binary},
    {"aten::sub.Tensor", Binary},
    {"aten::mul.Tensor", Binary},
    {"aten::div.Tensor", Binary},
    {"aten::masked_fill.Scalar", MaskedFill},
    {"aten::linear", Linear},
    {"aten::layer_norm", LayerNorm},
    {"aten::softmax.int", Softmax},
    {"aten::_softmax", Softmax},
    {"aten::matmul", Product},
    {"aten::bmm", LikePadded<"self">},
    {"aten::dropout", Dropout},
    {"aten::native_dropout", LikePadded<"input">},
    {"aten::sum.dim_IntList", SumLastDim},
    {"aten::transpose.int", Rearranged<TransposedDims>},
    {"aten::unsqueeze", Rearranged<NewDim>},
    {"aten::squeeze.dim", Rearranged<OldDim>},
    {"aten::alias", ReturnAliasOfSelf},
    {"aten::detach", ReturnAliasOfSelf},
    {"aten::clone", Clone},
    {"aten::contiguous", ReturnSelf},
    {"aten::to.dtype", To},
    {"aten::to.dtype_layout", To},
    {"aten::to.device", To},
    {"aten::_to_copy", Copied},
    {"aten::empty_like", Copied},
    {"aten::ones_like", Copied},
    {"aten::zeros_like", Copied},
    {"aten::abs_", InPlace},
    {"aten::zero_", InPlace},
    {"aten::fill_.Scalar", InPlace},
    {"aten::dim", Rank},
    {"aten::size.int", SizeOf},
    {"aten::to_padded_tensor", ToPadded},
    {"aten::_native_multi_head_attention", Attention},
    {"aten::_transformer_encoder_layer_fwd", EncoderLayer},
};

}  // namespace

LayoutRows NestedTensorRows() { return kRows; }

}  // namespace fakeprop::rules
