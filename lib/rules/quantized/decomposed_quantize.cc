// Quantization as ordinary arithmetic on integer tensors, which PT2E graphs write as quantized_decomposed operators.
// Source: torch/ao/quantization/fx/_decomposed.py (torch 2.13): the Meta functions, with the checks that those leave to
// the eager ones.
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/reshape_metas.h"

namespace fakeprop::rules {
namespace {

// _DTYPE_TO_QVALUE_BOUNDS
std::optional<std::pair<int64_t, int64_t>> Bounds(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Byte: return {{0, 255}};
    case ScalarType::Char: return {{-128, 127}};
    case ScalarType::UInt16: return {{0, 65535}};
    case ScalarType::Short: return {{-32768, 32767}};
    case ScalarType::Int: return {{INT32_MIN, INT32_MAX}};
    case ScalarType::Float8_e5m2: return {{-57344, 57344}};
    case ScalarType::Float8_e4m3fn: return {{-448, 448}};
    default: return std::nullopt;
  }
}

ScalarType DtypeArg(const Call& call, ArgumentName name) { return *call.OptionalDtype(name); }

// The dtype that stands for quantized values, and a range within it where that is given by numbers.
void RequireQuantizedDtype(const Call& call) {
  const ScalarType dtype = DtypeArg(call, "dtype");
  const auto bounds = Bounds(dtype);
  if (!bounds) FailDtype(call, "does not quantize to " + std::string(DtypeName(dtype)));
  const int low = call.Index("quant_min"), high = call.Index("quant_max");
  if (call.Arg(low).TryTensor() || call.Arg(high).TryTensor()) return;
  if (!Expect(Ge(call.DimArg(low), bounds->first)) || !Expect(Le(call.DimArg(high), bounds->second))) {
    FailValue(call, "takes a range within [" + std::to_string(bounds->first) + ", " + std::to_string(bounds->second) +
                        "] for " + std::string(DtypeName(dtype)) + ", not [" + call.DimArg(low).ToString() + ", " +
                        call.DimArg(high).ToString() + "]");
  }
}

void RequireNarrowFloat(const Call& call) {
  const TensorMeta& input = call.Meta(0);
  if (input.dtype != ScalarType::Float && !IsHalf(input.dtype))
    FailDtype(call, "takes float32, float16 or bfloat16, not " + ToString(input));
}

void RequireInputDtype(const Call& call) {
  const ScalarType dtype = DtypeArg(call, "dtype");
  if (call.Meta(0).dtype != dtype)
    FailDtype(call,
        "takes a tensor of " + std::string(DtypeName(dtype)) + " as its `dtype` says, not " + ToString(call.Meta(0)));
}

// A number or a tensor of one element each.
void RequireOneParameter(const Call& call) {
  for (int i : {1, 2}) {
    const Tensor* t = call.Arg(i).TryTensor();
    if (t && !HasNumel(t->meta, 1)) FailShape(call, "takes one scale and one zero point, not " + ToString(t->meta));
  }
}

// A scale and a zero point for each index of an axis.
void RequireChannels(const Call& call) {
  const TensorMeta &input = call.Meta(0), &scales = call.Meta(1);
  const Dim channels = input.sizes.empty() ? Dim(1) : input.sizes[WrapDim(call.Int(3), input.rank())];
  RequireRank(call, 1, 1);
  if (!Expect(Eq(scales.sizes[0], channels)) && !GuardOrFalse(Eq(scales.sizes[0], 1)))
    FailShape(call, "takes " + channels.ToString() + " scales, not " + ToString(scales));
  const Tensor* zeros = call.OptionalTensor(2);
  if (zeros && !HasNumel(zeros->meta, scales.sizes[0]))
    FailShape(call, "takes as many zero points as scales, not " + ToString(zeros->meta) + " and " + ToString(scales));
}

// A scale and a zero point for each row.
void RequireTokens(const Call& call) {
  const Dims& sizes = call.Meta(0).sizes;
  const Dim tokens = sizes.empty() ? Dim(1) : Numel({sizes.data(), sizes.size() - 1});
  for (int i : {1, 2})
    if (!HasNumel(call.Meta(i), tokens))
      FailShape(call, "takes " + tokens.ToString() + " scales and zero points, not " + ToString(call.Meta(i)));
}

// Columns of a matrix in groups that share their parameters: the size of a group.
Dim ColumnGroup(const Call& call) {
  const TensorMeta &input = call.Meta(0), &scales = call.Meta(1);
  Dim group = call.DimArg("group_size");
  if (!Expect(Gt(group, 1))) FailValue(call, "needs a group_size above 1, not " + group.ToString());
  RequireRank(call, 0, 2);
  // One column of scales is one group a row.
  if (Guard(Gt(group, input.sizes[1])) && scales.rank() > 0 && GuardOrFalse(Eq(scales.sizes.back(), 1)))
    group = input.sizes[1];
  if (!Expect(Eq(Mod(input.sizes[1], group), 0)))
    FailShape(call, "takes columns by groups of " + group.ToString() + ", not " + ToString(input));
  return group;
}

void RequireColumnGroups(const Call& call) { ColumnGroup(call); }

using Require = void (*)(const Call&);

// Integers laid out as the input.
template <Require... Checks>
void Quantize(Call& call) {
  (Checks(call), ...);
  RequireQuantizedDtype(call);
  ReturnLike(call, call.Meta(0), DtypeArg(call, "dtype"));
}

template <Require... Checks>
void Dequantize(Call& call) {
  (Checks(call), ...);
  RequireQuantizedDtype(call);
  ReturnLike(call, call.Meta(0), call.OptionalDtype("out_dtype").value_or(ScalarType::Float));
}

void DequantizePerToken(Call& call) {
  RequireTokens(call);
  RequireQuantizedDtype(call);
  ReturnLike(call, call.Meta(0), DtypeArg(call, "output_dtype"));
}

// No Meta function: the arithmetic on [groups, group_size] decides the layout.
void DequantizePerGroup(Call& call) {
  const TensorMeta& input = call.Meta(0);
  const Dim group = ColumnGroup(call);
  const Dims rows = {FloorDiv(Numel(input.size_span()), group), group};
  const Dim scales = Numel(call.Meta(1).size_span());
  if (!Expect(Eq(scales, rows[0])) && !GuardOrFalse(Eq(scales, 1)))
    FailShape(call, "takes " + rows[0].ToString() + " scales, not " + ToString(call.Meta(1)));
  const TensorMeta grouped = Reshaped(input, rows);
  const TensorMeta result = Reshaped(LikeMeta(call, grouped, grouped.dtype), input.size_span());
  ReturnLike(call, result, DtypeArg(call, "output_dtype"));
}

// (input, quant_min, quant_max, eps, dtype) -> (scale, zero_point)
void ChooseParameters(Call& call) {
  RequireNarrowFloat(call);
  if (!Expect(Lt(call.DimArg(1), call.DimArg(2))))
    FailValue(call,
        "needs a quant_min below quant_max, got " + call.DimArg(1).ToString() + " and " + call.DimArg(2).ToString());
  ReturnContiguous(call, Dims{1}, ScalarType::Double);
  ReturnContiguous(call, Dims{1}, ScalarType::Long);
}

// (input, dtype) -> (scales, zero_points), one for each row
void ReturnByToken(Call& call, Dims sizes) {
  if (!sizes.empty() && !Expect(Ne(sizes.back(), 0)))
    FailShape(call, "finds the range of each row, which " + ToString(call.Meta(0)) + " has nothing in");
  if (!sizes.empty()) sizes.back() = 1;
  ReturnContiguous(call, sizes, ScalarType::Double);
  ReturnContiguous(call, sizes, ScalarType::Long);
}

void ChooseByTokenAsymmetric(Call& call) {
  const TensorMeta& input = call.Meta(0);
  ReturnByToken(call, input.rank() == 0 ? Dims{1} : input.sizes);
}

void ChooseByToken(Call& call) {
  if (DtypeArg(call, "dtype") != ScalarType::Char) FailDtype(call, "chooses parameters for int8 alone");
  ChooseByTokenAsymmetric(call);
}

// The arithmetic itself, which keeps a number's rank.
void ChooseByTokenImpl(Call& call) { ReturnByToken(call, call.Meta(0).sizes); }

void FakeQuantPerChannel(Call& call) {
  RequireChannels(call);
  if (call.Meta(0).dtype != ScalarType::Float) FailDtype(call, "takes float32, not " + ToString(call.Meta(0)));
  ReturnLike(call, call.Meta(0), ScalarType::Float);
}

void ConvertDtype(Call& call) { ReturnLike(call, call.Meta(0), DtypeArg(call, "dtype")); }

constexpr RuleRow kRows[] = {
    {"quantized_decomposed::quantize_per_tensor", Quantize<RequireNarrowFloat>},
    {"quantized_decomposed::quantize_per_tensor.tensor", Quantize<RequireNarrowFloat, RequireOneParameter>},
    {"quantized_decomposed::quantize_per_tensor.tensor2", Quantize<RequireNarrowFloat, RequireOneParameter>},
    {"quantized_decomposed::quantize_per_channel", Quantize<RequireNarrowFloat, RequireChannels>},
    {"quantized_decomposed::quantize_per_token", Quantize<RequireTokens>},
    {"quantized_decomposed::quantize_per_channel_group", Quantize<RequireColumnGroups>},
    {"quantized_decomposed::dequantize_per_tensor", Dequantize<RequireInputDtype>},
    {"quantized_decomposed::dequantize_per_tensor.tensor", Dequantize<RequireInputDtype, RequireOneParameter>},
    {"quantized_decomposed::dequantize_per_tensor.tensor2", Dequantize<RequireInputDtype, RequireOneParameter>},
    {"quantized_decomposed::dequantize_per_channel", Dequantize<RequireInputDtype, RequireChannels>},
    {"quantized_decomposed::dequantize_per_token", DequantizePerToken},
    {"quantized_decomposed::dequantize_per_channel_group", DequantizePerGroup},
    {"quantized_decomposed::choose_qparams.tensor", ChooseParameters},
    {"quantized_decomposed::choose_qparams_symmetric.tensor", ChooseParameters},
    {"quantized_decomposed::choose_qparams_per_token", ChooseByToken},
    {"quantized_decomposed::choose_qparams_per_token_asymmetric", ChooseByTokenAsymmetric},
    {"quantized_decomposed::_choose_qparams_per_token_asymmetric_impl", ChooseByTokenImpl},
    {"quantized_decomposed::fake_quant_per_channel", FakeQuantPerChannel},
    {"quantized_decomposed::convert_element_type.no_fuse", ConvertDtype},
};

}  // namespace

RuleRows DecomposedQuantizeRules() { return kRows; }

}  // namespace fakeprop::rules
