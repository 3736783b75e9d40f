// Quantization as ordinary arithmetic on integer tensors, which PT2E graphs write as quantized_decomposed operators.
// Source: torch/ao/quantization/fx/_decomposed.py (torch 2.13): the Meta functions, with the checks that those leave to
// the eager ones.
#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/required_arguments.h"
#include "lib/rules/support/reshape_metas.h"

namespace fakeprop::rules {
namespace {

// _DTYPE_TO_QVALUE_BOUNDS
struct QuantizedDtype {
  ScalarType dtype;
  int64_t least, most;
};
constexpr QuantizedDtype kQuantizedTo[] = {
    {ScalarType::Byte, 0, 255},
    {ScalarType::Char, -128, 127},
    {ScalarType::UInt16, 0, 65535},
    {ScalarType::Short, -32768, 32767},
    {ScalarType::Int, INT32_MIN, INT32_MAX},
    {ScalarType::Float8_e5m2, -57344, 57344},
    {ScalarType::Float8_e4m3fn, -448, 448},
};

// The dtype that stands for quantized values.
const QuantizedDtype& BoundsOfDtype(const Call& call) {
  const ScalarType dtype = RequiredDtype(call);
  const auto* bounds = std::ranges::find(kQuantizedTo, dtype, &QuantizedDtype::dtype);
  RequireDtype(call, bounds != std::end(kQuantizedTo), {"does not quantize to {}", dtype});
  return *bounds;
}

void RequireQuantizedDtype(const Call& call) { BoundsOfDtype(call); }

// The range lies within the dtype's where it is given by numbers.
void RequireQuantizedRange(const Call& call) {
  const auto& [dtype, least, most] = BoundsOfDtype(call);
  if (call.TryIn("quant_min") || call.TryIn("quant_max")) return;
  const Dim low = call.DimArg("quant_min"), high = call.DimArg("quant_max");
  RequireValue(call, {Ge(low, least), Le(high, most)},
      {"takes a range within [{}, {}] for {}, not [{}, {}]", least, most, dtype, low, high});
}

constexpr DtypeClass kQuantized{kHalfDtypes | ScalarType::Float, "takes float32, float16 or bfloat16, not {tensor}"};

void RequireNarrowFloat(const Call& call) { call.In("input").Takes(kQuantized); }

void RequireInputDtype(const Call& call) {
  const ScalarType dtype = RequiredDtype(call);
  call.In("input").Takes(dtype, {"takes a tensor of {} as its `dtype` says, not {tensor}", dtype});
}

// A number or a tensor of one element each.
void RequireOneParameter(const Call& call) {
  call.Given({"scale", "zero_point"}).NumelIs(1, "takes one scale and one zero point, not {tensor}");
}

void RequireScales(const Operand& scales, Dim count, Dim wanted) {
  const bool fits = Expect(Eq(count, wanted)) || GuardOrFalse(Eq(count, 1));
  scales.Require(fits, {"takes {} scales, not {tensor}", wanted});
}

// A scale and a zero point for each index of an axis.
void RequireChannels(const Call& call) {
  const Operand input = call.In("input"), scales = call.In("scales");
  const Dim channels = input->rank() == 0 ? Dim(1) : input->sizes[call.WrappedDim("axis", input)];
  const Dim count = scales.Rank(1)->sizes[0];
  RequireScales(scales, count, channels);
  call.OptionalIn("zero_points").NumelIs(count);
}

// A scale and a zero point for each row.
void RequireTokens(const Call& call) {
  const Dims& sizes = call.In("input")->sizes;
  const Dim tokens = sizes.empty() ? Dim(1) : Numel({sizes.data(), sizes.size() - 1});
  call.Each({"scales", "zero_points"}).NumelIs(tokens);
}

// Columns of a matrix in groups that share their parameters: the size of a group.
Dim ColumnGroup(const Call& call) {
  const Operand input = call.In("input"), scales = call.In("scales");
  Dim group = call.DimArg("group_size");
  RequireValue(call, Gt(group, 1), {"needs a group_size above 1, not {}", group});
  const auto [rows, columns] = input.Sizes<2>();
  // One column of scales is one group a row.
  if (Guard(Gt(group, columns)) && scales->rank() > 0 && GuardOrFalse(Eq(scales->sizes.back(), 1))) group = columns;
  input.Require(Divides(group, columns), {"takes columns by groups of {}, not {tensor}", group});
  return group;
}

// Integers laid out as the input.
void ReturnOfDtype(Call& call) { ReturnLike(call, call.In("input"), RequiredDtype(call)); }
void ReturnFloats(Call& call) { ReturnLike(call, call.In("input"), RequiredDtype(call, "output_dtype")); }
void ReturnFloatsOrWanted(Call& call) {
  ReturnLike(call, call.In("input"), call.OptionalDtype("out_dtype").value_or(ScalarType::Float));
}

template <auto... kChecks>
constexpr Rule Quantize = InOrder<kChecks..., RequireQuantizedRange, ReturnOfDtype>;
template <auto... kChecks>
constexpr Rule Dequantize = InOrder<kChecks..., RequireQuantizedDtype, ReturnFloatsOrWanted>;

// Laid out as by arithmetic on [groups, group_size].
void ReturnAsGroups(Call& call, const Dims& rows, ScalarType dtype) {
  const Operand input = call.In("input");
  const TensorMeta grouped = Reshaped(input, rows);
  ReturnLike(call, Reshaped(LikeMeta(call, grouped, grouped.dtype), input->size_span()), dtype);
}

// No Meta function.
void DequantizePerGroup(Call& call) {
  const Operand input = call.In("input"), scales = call.In("scales");
  const Dim group = ColumnGroup(call);
  const Dims rows = {FloorDiv(input.Numel(), group), group};
  RequireScales(scales, scales.Numel(), rows[0]);
  ReturnAsGroups(call, rows, RequiredDtype(call, "output_dtype"));
}

// Also by arithmetic on groups, which gives a contiguous result where a copy was needed.
void QuantizePerGroup(Call& call) {
  const Dim group = ColumnGroup(call);
  RequireQuantizedRange(call);
  ReturnAsGroups(call, {FloorDiv(call.In("input").Numel(), group), group}, RequiredDtype(call));
}

// Returns a scale and a zero point for each element of these sizes.
void ReturnParameters(Call& call, const Dims& sizes) {
  ReturnContiguous(call, sizes, ScalarType::Double);
  ReturnContiguous(call, sizes, ScalarType::Long);
}

void ChooseParameters(Call& call) {
  RequireNarrowFloat(call);
  const Dim low = call.DimArg("quant_min"), high = call.DimArg("quant_max");
  RequireValue(call, Lt(low, high), {"needs a quant_min below quant_max, got {} and {}", low, high});
  const Operand input = call.In("input");
  input.Require(Ne(input.Numel(), 0), "finds the range of its input, and {tensor} is empty");
  ReturnParameters(call, {1});
}

// One scale and one zero point for each row.
void ReturnByToken(Call& call, Dims sizes) {
  RequireShape(call, sizes.empty() || Expect(Ne(sizes.back(), 0)),
      {"finds the range of each row, which {} has nothing in", *call.In("input")});
  ReturnParameters(call, WithSize(sizes, -1, 1));
}

void ChooseByTokenAsymmetric(Call& call) {
  ReturnByToken(call, call.In("input")->rank() == 0 ? Dims{1} : call.In("input")->sizes);
}

// Eager's arithmetic, from which the Meta function differs: float16 is widened, and zero points are zeros like the
// scales.
void ChooseByToken(Call& call) {
  RequireDtype(call, RequiredDtype(call), {ScalarType::Char, "chooses parameters for int8 alone"});
  ChooseByTokenAsymmetric(call);
  const ScalarType dtype = call.In("input")->dtype;
  const bool keeps = IsFloat(dtype) && dtype != ScalarType::Half;
  for (Output& output : call.effects().outputs) output.meta.dtype = keeps ? dtype : ScalarType::Float;
}

// The arithmetic itself, which keeps a 0-dim tensor 0-dim.
void ChooseByTokenImpl(Call& call) { ReturnByToken(call, call.In("input")->sizes); }

void FakeQuantPerChannel(Call& call) {
  RequireChannels(call);
  ReturnLike(call, call.In("input").Takes(ScalarType::Float, "takes float32, not {tensor}"));
}

constexpr RuleRow kRows[] = {
    {"quantized_decomposed::quantize_per_tensor", Quantize<RequireNarrowFloat>},
    {"quantized_decomposed::quantize_per_tensor.tensor", Quantize<RequireNarrowFloat, RequireOneParameter>},
    {"quantized_decomposed::quantize_per_tensor.tensor2", Quantize<RequireNarrowFloat, RequireOneParameter>},
    {"quantized_decomposed::quantize_per_channel", Quantize<RequireNarrowFloat, RequireChannels>},
    {"quantized_decomposed::quantize_per_token", Quantize<RequireTokens>},
    {"quantized_decomposed::quantize_per_channel_group", QuantizePerGroup},
    {"quantized_decomposed::dequantize_per_tensor", Dequantize<RequireInputDtype>},
    {"quantized_decomposed::dequantize_per_tensor.tensor", Dequantize<RequireInputDtype, RequireOneParameter>},
    {"quantized_decomposed::dequantize_per_tensor.tensor2", Dequantize<RequireInputDtype, RequireOneParameter>},
    {"quantized_decomposed::dequantize_per_channel",
        Dequantize<RequireInputDtype, RequireQuantizedRange, RequireChannels>},
    {"quantized_decomposed::dequantize_per_token", InOrder<RequireTokens, RequireQuantizedDtype, ReturnFloats>},
    {"quantized_decomposed::dequantize_per_channel_group", DequantizePerGroup},
    {"quantized_decomposed::choose_qparams.tensor", ChooseParameters},
    {"quantized_decomposed::choose_qparams_symmetric.tensor", ChooseParameters},
    {"quantized_decomposed::choose_qparams_per_token", ChooseByToken},
    {"quantized_decomposed::choose_qparams_per_token_asymmetric", ChooseByTokenAsymmetric},
    {"quantized_decomposed::_choose_qparams_per_token_asymmetric_impl", ChooseByTokenImpl},
    {"quantized_decomposed::fake_quant_per_channel", FakeQuantPerChannel},
    {"quantized_decomposed::convert_element_type.no_fuse", ReturnOfDtype},
};

}  // namespace

RuleRows DecomposedQuantizeRules() { return kRows; }

}  // namespace fakeprop::rules
