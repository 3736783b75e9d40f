// Arithmetic, activations, joins and normalizations of quantized tensors.
// Source: aten/src/ATen/native/quantized/cpu/{BinaryOps,qmul,qmatmul,TensorShape,Normalization,qnormalization}.cpp and
// the q*.cpp of each activation (torch 2.15). Most results have the memory format that the first tensor suggests.
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/join.h"
#include "lib/rules/support/matmul_metas.h"
#include "lib/rules/support/outputs.h"
#include "lib/rules/support/quantized_kernels.h"

namespace fakeprop::rules {
namespace {

constexpr DtypeClass kQuantized{kQuantizedTypes, "takes quantized tensors, not {tensor}"};

Operand QuantizedIn(const Call& call, ArgumentName name) { return call.In(name).Takes(kQuantized); }

void ReturnSuggested(Call& call, DimSpan sizes, const TensorMeta& like) {
  const MemoryFormat format = SuggestMemoryFormat(like);
  // A result of another rank than the format is for is contiguous, as at::empty would refuse it.
  const bool fits = static_cast<int64_t>(sizes.size()) == like.rank();
  call.ReturnNew(MetaInFormat(sizes, like.dtype, like.device, fits ? format : MemoryFormat::Contiguous));
}

// ---- of one tensor

template <ArgumentName kName>
void Suggested(Call& call) {
  const Operand x = QuantizedIn(call, kName);
  ReturnSuggested(call, x->size_span(), x);
}

template <ArgumentName kName>
void Dense(Call& call) {
  ReturnContiguous(call, QuantizedIn(call, kName));
}

// In place without a word of it in the schema.
void Relu6(Call& call) {
  if (!call.Bool("inplace")) return Suggested<"qx">(call);
  const Operand x = QuantizedIn(call, "qx");
  call.Write(x.tensor());
  call.ReturnArgument(x.tensor());
}

void Dropout(Call& call) { call.ReturnArgument(QuantizedIn(call, "self").tensor()); }

void Softmax(Call& call) {
  const Operand x = QuantizedIn(call, "qx");
  call.WrappedDim("dim", x);
  ReturnContiguous(call, x);
}

void PRelu(Call& call) {
  const Operand x = QuantizedIn(call, "qx").RankAtLeast(2), weight = QuantizedIn(call, "weight");
  const Dim channels = x->sizes[1];
  weight.Require(Or(Eq(weight.Numel(), 1), Eq(weight.Numel(), channels)),
      {"takes a weight for all or for each of {} channels, but got shape {}", channels});
  ReturnSuggested(call, x->size_span(), x);
}

// ---- of two tensors

void RequireTypes(const Operand& a, const Operand& b) { b.SameDtypeAs(a); }

// The kernel writes a tensor of qa's sizes, which the loop lays out anew if the result has others.
void Add(Call& call) {
  const Operand a = QuantizedIn(call, "qa"), b = QuantizedIn(call, "qb");
  RequireTypes(a, b);
  const Dims sizes = BroadcastSizes(a->size_span(), b->size_span());
  const bool is_first = sizes.size() == a->sizes.size() &&
                        std::ranges::equal(sizes, a->sizes, [](Dim x, Dim y) { return Expect(Eq(x, y)); });
  if (is_first) return ReturnSuggested(call, a->size_span(), a);
  const TensorMeta* operands[] = {&*a, &*b};
  call.ReturnNew(ElementwiseMeta(operands, a->dtype, call.device()));
}

void Multiply(Call& call) {
  const Operand a = QuantizedIn(call, "qa"), b = QuantizedIn(call, "qb");
  RequireTypes(a, b);
  const Dims sizes = BroadcastSizes(a->size_span(), b->size_span());
  ReturnSuggested(call, {sizes.data(), sizes.size()}, a);
}

void MatrixMultiply(Call& call) {
  const Operand a = QuantizedIn(call, "qa"), b = QuantizedIn(call, "qb");
  RequireTypes(a, b);
  call.ReturnNew(Matmul(a, b));
}

// The out tensor is resized by the loop over the operands.
void AddOut(Call& call) {
  const Operand a = QuantizedIn(call, "qa"), b = QuantizedIn(call, "qb"), out = QuantizedIn(call, "out");
  RequireTypes(a, b);
  WriteOfSizes(call, out.tensor(), BroadcastSizes(a->size_span(), b->size_span()));
}

void ScalarOut(Call& call) {
  const Operand a = QuantizedIn(call, "qa"), out = QuantizedIn(call, "out");
  WriteOfSizes(call, out.tensor(), a->sizes);
}

bool IsPositive(const Value& number) {
  const Dim* integer = number.TryGet<Dim>();
  const double* real = number.TryGet<double>();
  return integer ? Guard(Gt(*integer, 0)) : !real || *real > 0;
}

// Multiplying by a positive number changes the scale alone: the elements are copied, or go through a relu, which gives
// a tensor of its own. Source: _mul_scalar_out in aten/src/ATen/native/quantized/cpu/qmul.cpp (torch 2.13).
template <bool HasRelu>
void MulScalarOut(Call& call) {
  const Operand a = QuantizedIn(call, "qa"), out = QuantizedIn(call, "out");
  RequireTypes(a, out);
  if (!IsPositive(call.Number("b"))) return WriteOfSizes(call, out.tensor(), a->sizes);
  if (HasRelu) return ReturnSuggested(call, a->size_span(), a);
  a.BroadcastsTo(out->size_span(), {"copies {}, which does not expand to {}", a->sizes, out->sizes});
  WriteOfSizes(call, out.tensor(), out->sizes);
}

// ---- joins

TensorMeta JoinedMeta(Call& call) {
  const Operands tensors = call.ListIn("qx");
  RequireShape(call, !tensors.empty(), "takes a list of tensors that is not empty");
  tensors.Takes(kQuantized).SameDtypeAs(tensors[0]);
  const auto fits = [&](MemoryFormat format) {
    return std::ranges::all_of(tensors, [&](const Operand& t) { return IsContiguousIn(t, format); });
  };
  MemoryFormat format = MemoryFormat::Contiguous;
  if (tensors[0]->rank() == 4 && fits(MemoryFormat::ChannelsLast)) format = MemoryFormat::ChannelsLast;
  if (tensors[0]->rank() == 5 && fits(MemoryFormat::ChannelsLast3d)) format = MemoryFormat::ChannelsLast3d;
  std::vector<TensorMeta> metas;
  for (const Operand& t : tensors) metas.push_back(EmptyLike(t, MemoryFormat::Contiguous));
  const TensorMeta joined = CatMeta(call, metas, call.Int("dim"));
  return MetaInFormat(joined.size_span(), joined.dtype, joined.device, format);
}

void Join(Call& call) { call.ReturnNew(JoinedMeta(call)); }

void JoinOut(Call& call) {
  const TensorMeta joined = JoinedMeta(call);
  WriteOfSizes(call, QuantizedIn(call, "out").tensor(), joined.sizes);
}

// ---- normalizations

void RequireChannels(const Call& call, Dim channels) {
  for (const ArgumentName name : ArgumentNames{"weight", "bias"}) {
    RequireValue(call, call.Has(name), {"takes `{}`, which is None", call.NameOf(name)});
    call.In(name).Sizes({channels});
  }
  for (const ArgumentName name : ArgumentNames{"mean", "var"}) call.In(name).Sizes({channels});
}

// Images and volumes come out with their channels last.
template <int64_t kLeast, int64_t kMost>
void BatchNorm(Call& call) {
  const Operand x = QuantizedIn(call, "qx").RankBetween(kLeast, kMost);
  RequireChannels(call, x->sizes[1]);
  MemoryFormat format = MemoryFormat::Contiguous;
  if (x->rank() == 4) format = MemoryFormat::ChannelsLast;
  if (x->rank() == 5) format = MemoryFormat::ChannelsLast3d;
  if (IsEmpty(x->size_span())) format = MemoryFormat::Contiguous;
  call.ReturnNew(MetaInFormat(x->size_span(), x->dtype, x->device, format));
}

void LayerNorm(Call& call) {
  const Operand x = QuantizedIn(call, "input");
  const Dims normalized = call.DimList("normalized_shape");
  x.RankAtLeast(static_cast<int64_t>(normalized.size()));
  const size_t first = x->sizes.size() - normalized.size();
  for (size_t i = 0; i < normalized.size(); ++i)
    x.Size(static_cast<int64_t>(first + i), normalized[i],
        {"takes an input that ends in {}, but got shape {}", normalized});
  ReturnContiguous(call, x);
}

void GroupNorm(Call& call) {
  const Operand x = QuantizedIn(call, "input").RankAtLeast(3);
  if (const int groups = call.schema().FindArgument("num_groups"); groups >= 0)
    x.Require(Divides(call.DimArg(groups), x->sizes[1]),
        {"takes channels that {} groups divide, but got shape {}", call.DimArg(groups)});
  ReturnSuggested(call, x->size_span(), x);
}

constexpr RuleRow kRows[] = {
    {"quantized::add", Add},
    {"quantized::add_relu", Add},
    {"quantized::add.Scalar", Suggested<"qa">},
    {"quantized::add.Scalar2", Suggested<"qa">},
    {"quantized::add_relu.Scalar", Suggested<"qa">},
    {"quantized::add_relu.Scalar2", Suggested<"qa">},
    {"quantized::add_scalar", Suggested<"qa">},
    {"quantized::add_scalar.Tensor", Suggested<"qa">},
    {"quantized::add_scalar_relu", Suggested<"qa">},
    {"quantized::add_scalar_relu.Tensor", Suggested<"qa">},
    {"quantized::add.out", AddOut},
    {"quantized::add_out", AddOut},
    {"quantized::add_relu.out", AddOut},
    {"quantized::add_relu_out", AddOut},
    {"quantized::add_scalar_out", ScalarOut},
    {"quantized::add_scalar_relu_out", ScalarOut},
    {"quantized::mul", Multiply},
    {"quantized::mul_relu", Multiply},
    {"quantized::mul.Scalar", Suggested<"qa">},
    {"quantized::mul.Scalar2", Suggested<"qa">},
    {"quantized::mul_relu.Scalar", Suggested<"qa">},
    {"quantized::mul_relu.Scalar2", Suggested<"qa">},
    {"quantized::mul_scalar", Suggested<"qa">},
    {"quantized::mul_scalar.Tensor", Suggested<"qa">},
    {"quantized::mul_scalar_relu", Suggested<"qa">},
    {"quantized::mul_scalar_relu.Tensor", Suggested<"qa">},
    {"quantized::mul.out", AddOut},
    {"quantized::mul_out", AddOut},
    {"quantized::mul_scalar_out", MulScalarOut<false>},
    {"quantized::mul_scalar_relu_out", MulScalarOut<true>},
    {"quantized::mul_relu.out", AddOut},
    {"quantized::mul_relu_out", AddOut},
    {"quantized::matmul", MatrixMultiply},

    {"quantized::celu", Dense<"self">},
    {"quantized::elu", Dense<"self">},
    {"quantized::hardswish", Suggested<"input">},
    {"quantized::leaky_relu", Suggested<"qx">},
    {"quantized::prelu", PRelu},
    {"quantized::relu6", Relu6},
    {"quantized::sigmoid", Suggested<"qx">},
    {"quantized::softmax", Softmax},
    {"quantized::threshold", Suggested<"qx">},
    {"quantized::clamp", Suggested<"qx">},
    {"quantized::dropout", Dropout},

    {"quantized::cat", Join},
    {"quantized::cat_relu", Join},
    {"quantized::cat_out", JoinOut},
    {"quantized::cat_relu_out", JoinOut},

    {"quantized::batch_norm", BatchNorm<2, 5>},
    {"quantized::batch_norm_relu", BatchNorm<4, 5>},
    {"quantized::batch_norm1d", BatchNorm<2, 3>},
    {"quantized::batch_norm1d_relu", BatchNorm<2, 3>},
    {"quantized::batch_norm2d", BatchNorm<4, 4>},
    {"quantized::batch_norm2d_relu", BatchNorm<4, 4>},
    {"quantized::batch_norm3d", BatchNorm<5, 5>},
    {"quantized::batch_norm3d_relu", BatchNorm<5, 5>},
    {"quantized::layer_norm", LayerNorm},
    {"quantized::group_norm", GroupNorm},
    {"quantized::instance_norm", GroupNorm},
};

}  // namespace

RuleRows QuantizedPointwiseRules() { return kRows; }

}  // namespace fakeprop::rules
