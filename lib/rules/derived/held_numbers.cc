// Source: c10::overflows in c10/util/overflows.h, Scalar::to; which kernels convert which number was asked of eager
// PyTorch 2.13 (tools/dev/programs/sweep.py --vary numbers).
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "lib/meta/dtype.h"
#include "lib/meta/text.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/derived/cpu_kernels.h"

namespace fakeprop {
namespace {

// The dtype that has to hold the number.
enum class HeldBy {
  kResult,       // that of the result
  kComputation,  // the same, but float32 for half precision
  kWhole,        // that of the result; a number for integers is cut down to an integer before
  kWide,         // the same, but any holds it for half precision
  kNarrow,       // that of the result where it has integers or half precision; else any holds it
  kFill,         // as kWide for a result of one element, which is written by itself; else as kResult
};

// Which calls convert the number.
enum class Converted {
  kAlways,
  kWithElements,  // those whose tensors have elements
  kWhenLarger,    // those whose result has more elements than the first tensor: what is padded
};

struct HeldNumber {
  std::string_view op;
  std::string_view argument;
  HeldBy by;
  Converted converted = Converted::kAlways;
};

constexpr HeldNumber kNumbers[] = {
    {"aten::add.Scalar", "alpha", HeldBy::kResult},
    {"aten::add.Tensor", "alpha", HeldBy::kResult},
    {"aten::addbmm", "alpha", HeldBy::kComputation, Converted::kWithElements},
    {"aten::addbmm", "beta", HeldBy::kComputation, Converted::kWithElements},
    {"aten::addcdiv", "value", HeldBy::kComputation},
    {"aten::addcmul", "value", HeldBy::kComputation},
    {"aten::addmm", "alpha", HeldBy::kComputation, Converted::kWithElements},
    {"aten::addmm", "beta", HeldBy::kComputation, Converted::kWithElements},
    {"aten::addmv", "alpha", HeldBy::kResult, Converted::kWithElements},
    {"aten::addmv", "beta", HeldBy::kResult, Converted::kWithElements},
    {"aten::addmv_", "alpha", HeldBy::kResult, Converted::kWithElements},
    {"aten::addmv_", "beta", HeldBy::kResult, Converted::kWithElements},
    {"aten::addr", "alpha", HeldBy::kResult},
    {"aten::addr", "beta", HeldBy::kResult},
    {"aten::baddbmm", "alpha", HeldBy::kComputation, Converted::kWithElements},
    {"aten::baddbmm", "beta", HeldBy::kComputation, Converted::kWithElements},
    {"aten::baddbmm_", "alpha", HeldBy::kComputation, Converted::kWithElements},
    {"aten::baddbmm_", "beta", HeldBy::kComputation, Converted::kWithElements},
    {"aten::clamp", "max", HeldBy::kResult},
    {"aten::clamp", "min", HeldBy::kResult},
    {"aten::clamp_max", "max", HeldBy::kResult},
    {"aten::clamp_min", "min", HeldBy::kResult},
    {"aten::clip", "max", HeldBy::kResult},
    {"aten::clip", "min", HeldBy::kResult},
    {"aten::constant_pad_nd", "value", HeldBy::kFill, Converted::kWhenLarger},
    {"aten::fill.Scalar", "value", HeldBy::kFill},
    {"aten::fill_.Scalar", "value", HeldBy::kFill},
    {"aten::fill_diagonal_", "fill_value", HeldBy::kFill},
    {"aten::full", "fill_value", HeldBy::kFill},
    {"aten::full_like", "fill_value", HeldBy::kFill},
    {"aten::hardshrink", "lambd", HeldBy::kResult},
    {"aten::hardtanh", "max_val", HeldBy::kWhole},
    {"aten::hardtanh", "min_val", HeldBy::kWhole},
    {"aten::histc", "max", HeldBy::kResult},
    {"aten::histc", "min", HeldBy::kResult},
    {"aten::index_add", "alpha", HeldBy::kResult},
    {"aten::index_fill.int_Scalar", "value", HeldBy::kResult},
    {"aten::masked_fill.Scalar", "value", HeldBy::kResult},
    {"aten::masked_fill_.Scalar", "value", HeldBy::kResult},
    {"aten::new_full", "fill_value", HeldBy::kFill},
    {"aten::pad", "value", HeldBy::kFill, Converted::kWhenLarger},
    {"aten::pow.Tensor_Scalar", "exponent", HeldBy::kNarrow},
    {"aten::rsub.Scalar", "alpha", HeldBy::kResult},
    {"aten::rsub.Tensor", "alpha", HeldBy::kResult},
    {"aten::scalar_tensor", "s", HeldBy::kFill},
    {"aten::scatter.value", "value", HeldBy::kResult, Converted::kWithElements},
    {"aten::scatter.value_reduce", "value", HeldBy::kResult, Converted::kWithElements},
    {"aten::sub.Scalar", "alpha", HeldBy::kResult},
    {"aten::sub.Tensor", "alpha", HeldBy::kResult},
    {"aten::threshold", "threshold", HeldBy::kComputation},
    {"aten::threshold", "value", HeldBy::kResult},
    {"aten::where.Scalar", "other", HeldBy::kWide},
    {"aten::where.Scalar", "self", HeldBy::kWide},
    {"aten::where.ScalarOther", "other", HeldBy::kWide},
    {"aten::where.ScalarSelf", "self", HeldBy::kWide},
};
static_assert(std::ranges::is_sorted(kNumbers, {}, &HeldNumber::op));

using Numbers = std::span<const HeldNumber>;

// The numbers of each of AllRows().
std::vector<Numbers> NumbersOfRows() {
  std::vector<Numbers> numbers;
  numbers.reserve(AllRows().size());
  Numbers rest = kNumbers;
  for (const RuleRow& row : AllRows()) numbers.push_back(TakeEntries(rest, row.op, &HeldNumber::op));
  return numbers;
}

// ---- which dtype holds which number

double LargestFloat(ScalarType dtype) {
  switch (ToRealDtype(dtype)) {
    case ScalarType::Half: return 65504;
    case ScalarType::BFloat16: return 0x1.fep127;
    case ScalarType::Float: return std::numeric_limits<float>::max();
    default: return std::numeric_limits<double>::max();
  }
}

struct IntegerRange {
  double lowest, largest;
};

// Of the dtypes that kernels fill. Others have no range here.
std::optional<IntegerRange> RangeOf(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Byte: return IntegerRange{0, 255};
    case ScalarType::Char: return IntegerRange{-128, 127};
    case ScalarType::Short: return IntegerRange{-0x1p15, 0x1p15 - 1};
    case ScalarType::Int: return IntegerRange{-0x1p31, 0x1p31 - 1};
    case ScalarType::Long: return IntegerRange{-0x1p63, 0x1p63};
    default: return std::nullopt;
  }
}

bool HoldsReal(ScalarType dtype, double number) {
  if (IsFloatOrComplex(dtype)) return !std::isfinite(number) || std::abs(number) <= LargestFloat(dtype);
  const auto range = RangeOf(dtype);
  return !range || (number >= range->lowest && number <= range->largest);
}

// A negative integer wraps around in an unsigned dtype.
bool HoldsInteger(ScalarType dtype, int64_t number) {
  const double value = static_cast<double>(number);
  return HoldsReal(dtype, dtype == ScalarType::Byte ? std::abs(value) : value);
}

// Bools and numbers that are not known fit everywhere.
bool Holds(ScalarType dtype, const Value& number, HeldBy by) {
  if (const double* real = number.TryGet<double>())
    return HoldsReal(dtype, by == HeldBy::kWhole && IsIntegral(dtype) ? std::trunc(*real) : *real);
  if (const auto* complex = number.TryGet<std::complex<double>>())
    return HoldsReal(dtype, complex->real()) &&
           (IsComplex(dtype) ? HoldsReal(dtype, complex->imag()) : complex->imag() == 0 || dtype == ScalarType::Bool);
  const Dim* dim = number.TryGet<Dim>();
  const auto integer = dim ? dim->TryNumber() : std::nullopt;
  return !integer || HoldsInteger(dtype, *integer);
}

ScalarType HoldingDtype(HeldBy by, const TensorMeta& result) {
  constexpr ScalarType kAny = ScalarType::ComplexDouble;
  const bool is_half = result.dtype == ScalarType::Half || result.dtype == ScalarType::BFloat16;
  if (!is_half) return by == HeldBy::kNarrow && IsFloatOrComplex(result.dtype) ? kAny : result.dtype;
  if (by == HeldBy::kComputation) return ScalarType::Float;
  const bool is_one = by == HeldBy::kFill && Known(Eq(Numel(result.size_span()), 1));
  return by == HeldBy::kWide || is_one ? kAny : result.dtype;
}

bool IsAnyEmpty(const Call& call) {
  for (size_t i = 0; i < call.size(); ++i)
    if (const Tensor* t = call.Arg(static_cast<int>(i)).TryTensor(); t && IsKnownEmpty(t->meta)) return true;
  return false;
}

bool IsConverted(Converted converted, const Call& call, const TensorMeta& result) {
  switch (converted) {
    case Converted::kAlways: return true;
    case Converted::kWithElements: return !IsAnyEmpty(call);
    case Converted::kWhenLarger: return Known(Gt(Numel(result.size_span()), Numel(call.Meta(0).size_span())));
  }
  return true;
}

const TensorMeta& MetaOf(const Output& output) {
  return output.kind == Output::Kind::kArgument ? output.source->meta : output.meta;
}

}  // namespace

void RequireHeldNumbers(const RuleRow& row, Call& call) {
  static const std::vector<Numbers> kOfRows = NumbersOfRows();
  const Numbers numbers = kOfRows[&row - AllRows().data()];
  if (numbers.empty() || call.effects().outputs.empty()) return;
  const TensorMeta& result = MetaOf(call.effects().outputs[0]);
  if (result.device.is_meta()) return;
  for (const HeldNumber& held : numbers) {
    const Value& number = call.Arg(call.schema().FindArgument(held.argument));
    const ScalarType dtype = HoldingDtype(held.by, result);
    if (Holds(dtype, number, held.by) || !IsConverted(held.converted, call, result)) continue;
    Fail(ErrorClass::kValueError, Format("{}: value cannot be converted to type {} without overflow: {} is {}",
                                      call.schema().full_name, dtype, held.argument, number));
  }
}

}  // namespace fakeprop
