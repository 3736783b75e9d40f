// Operators that work element by element.
#include <initializer_list>

#include "lib/meta/dtype.h"
#include "lib/value_ranges/transfer_rows.h"

namespace fakeprop {
namespace {

// A tensor without dimensions, or a number, decides the dtype only where the others are bools or missing.
ScalarType Combine(ScalarType first, ScalarType second) {
  if (first == ScalarType::Undefined) return second;
  return first == ScalarType::Bool && second != ScalarType::Undefined ? PromoteTypes(first, second) : first;
}

// The dtype in which an operator on integers computes. Source: torch.result_type (2.13).
ScalarType CommonDtype(std::initializer_list<const RangeOperand*> operands) {
  ScalarType with_dims = ScalarType::Undefined, without = ScalarType::Undefined, numbers = ScalarType::Undefined;
  for (const RangeOperand* operand : operands) {
    ScalarType& level = !operand->tensor ? numbers : operand->tensor->meta.rank() > 0 ? with_dims : without;
    const ScalarType dtype = operand->tensor ? operand->tensor->meta.dtype : ScalarType::Long;
    level = level == ScalarType::Undefined ? dtype : PromoteTypes(level, dtype);
  }
  return Combine(with_dims, Combine(without, numbers));
}

// As the operator takes it: broadcast, and of the dtype in which it computes.
ValueRange Prepared(const RangeOperand& operand, ScalarType dtype, const RangeCall& call) {
  if (!operand.tensor) return call.math().Cast(operand.range, ScalarType::Long, dtype);
  return call.math().Cast(Broadcast(operand.range, *operand.tensor, call.result()), operand.tensor->meta.dtype, dtype);
}

// The two operands of a call.
struct Pair {
  Pair(const RangeCall& call, ArgumentName one, ArgumentName other)
      : a(call.OperandOf(one)), b(call.OperandOf(other)), is_outer(IsOuter(a, b)), dtype(CommonDtype({&a, &b})) {
    a.range = Prepared(a, dtype, call);
    b.range = Prepared(b, dtype, call);
  }

  RangeOperand a, b;
  bool is_outer;
  ScalarType dtype;
};

int32_t OriginOf(const Pair& pair) {
  return pair.a.tensor && !pair.a.range.IsPoint() ? pair.a.range.origin : pair.b.range.origin;
}

// In-place and out forms cast what was computed.
void GiveCast(RangeCall& call, ScalarType computed_in, const ValueRange& range) {
  const RangeMath& math = call.math();
  call.Give(math.Cast(math.Fit(range, computed_in), computed_in, call.result().meta.dtype));
}

void GiveFrom(RangeCall& call, const Pair& pair, ValueRange range) {
  range.origin = OriginOf(pair);
  GiveCast(call, pair.dtype, range);
}

ValueRange Scaled(const RangeCall& call, const ValueRange& range) {
  if (!call.Has("alpha")) return range;
  const std::optional<int64_t> alpha = call.NumberOf("alpha");
  if (alpha == 1) return range;
  return alpha ? call.math().Multiply(range, call.math().Point(call.math().Number(*alpha)), false) : ValueRange();
}

void AddTo(RangeCall& call) {
  const Pair pair(call, "self", "other");
  GiveFrom(call, pair, call.math().Add(pair.a.range, Scaled(call, pair.b.range), pair.is_outer));
}

void Subtraction(RangeCall& call) {
  const Pair pair(call, "self", "other");
  const RangeMath& math = call.math();
  GiveFrom(call, pair, math.Add(pair.a.range, math.Negate(Scaled(call, pair.b.range)), pair.is_outer));
}

void ReverseSubtraction(RangeCall& call) {
  const Pair pair(call, "self", "other");
  const RangeMath& math = call.math();
  GiveFrom(call, pair, math.Add(pair.b.range, math.Negate(Scaled(call, pair.a.range)), pair.is_outer));
}

void Product(RangeCall& call) {
  const Pair pair(call, "self", "other");
  GiveFrom(call, pair, call.math().Multiply(pair.a.range, pair.b.range, pair.is_outer));
}

void SmallerOf(RangeCall& call) {
  const Pair pair(call, "self", "other");
  GiveFrom(call, pair, call.math().Minimum(pair.a.range, pair.b.range, pair.is_outer));
}

void LargerOf(RangeCall& call) {
  const Pair pair(call, "self", "other");
  GiveFrom(call, pair, call.math().Maximum(pair.a.range, pair.b.range, pair.is_outer));
}

void Negative(RangeCall& call) { call.Give(call.math().Negate(call.RangeOf("self"))); }

void Absolute(RangeCall& call) {
  const RangeMath& math = call.math();
  const ValueRange self = call.RangeOf("self");
  if (self.low.at && math.IsAtMost(math.Number(0), self.low.at)) return call.Give(self);
  if (!self.IsKnown()) return;
  call.Give(math.Between(math.Number(0), math.Greatest(Scale(self.low.at, -1), self.high.at)));
}

void Sign(RangeCall& call) {
  const RangeMath& math = call.math();
  call.Give(math.Between(math.Number(-1), math.Number(1)));
}

void Clamp(RangeCall& call) {
  const RangeMath& math = call.math();
  const auto limit = [&](ArgumentName name) {
    return call.Has(name) && !call.IsNone(name) ? std::optional(call.OperandOf(name)) : std::nullopt;
  };
  const RangeOperand self = call.OperandOf("self");
  if (!self.IsIntegral()) return;
  const std::optional<RangeOperand> min = limit("min"), max = limit("max");
  const ScalarType dtype = CommonDtype({&self, min ? &*min : &self, max ? &*max : &self});
  ValueRange range = Prepared(self, dtype, call);
  if (min) range = math.Maximum(range, Prepared(*min, dtype, call), false);
  if (max) range = math.Minimum(range, Prepared(*max, dtype, call), false);
  range.origin = self.range.origin;
  GiveCast(call, dtype, range);
}

// A divisor that is one positive number keeps the order of what it divides.
ValueEnd FloorQuotientOf(const ValueEnd& end, Sym by) {
  return end.at ? ValueEnd{FloorDivide(end.at, by), end.met} : end;
}

void FloorQuotientOfSelf(RangeCall& call) {
  const Pair pair(call, "self", "other");
  const RangeMath& math = call.math();
  if (!pair.b.range.IsPoint() || !math.IsAtMost(math.Number(1), pair.b.range.low.at)) return;
  const Sym by = pair.b.range.low.at;
  ValueRange range{FloorQuotientOf(pair.a.range.low, by), FloorQuotientOf(pair.a.range.high, by)};
  range.is_sorted = pair.a.range.is_sorted;
  GiveFrom(call, pair, range);
}

// 2 to the number of bits to shift by; null if it is not one number below the bits of the dtype.
Sym ShiftFactor(const RangeCall& call, const Pair& pair) {
  const ValueRange& by = pair.b.range;
  const int64_t bits = 8 * ItemSize(pair.dtype);
  if (!by.IsPoint() || !by.low.at->IsInteger() || by.low.at->integer < 0 || by.low.at->integer + 1 >= bits)
    return nullptr;
  return call.math().Number(int64_t{1} << by.low.at->integer);
}

void ShiftLeft(RangeCall& call) {
  const Pair pair(call, "self", "other");
  if (const Sym factor = ShiftFactor(call, pair))
    GiveFrom(call, pair, call.math().Multiply(pair.a.range, call.math().Point(factor), false));
}

// Rounds down, as arithmetic shifts do.
void ShiftRight(RangeCall& call) {
  const Pair pair(call, "self", "other");
  if (const Sym factor = ShiftFactor(call, pair))
    GiveFrom(call, pair, {FloorQuotientOf(pair.a.range.low, factor), FloorQuotientOf(pair.a.range.high, factor)});
}

// Rounding towards zero is the same as down where nothing is negative.
void Quotient(RangeCall& call) {
  if (!call.Has("rounding_mode")) return;
  const Value mode = call.ValueOf("rounding_mode");
  const std::string* text = mode.TryGet<std::string>();
  const ValueRange self = call.RangeOf("self");
  const RangeMath& math = call.math();
  if (text && (*text == "floor" || math.IsAtMost(math.Number(0), self.low.at))) FloorQuotientOfSelf(call);
}

// As Python's %: the sign is the divisor's.
void Remainder(RangeCall& call) {
  const Pair pair(call, "self", "other");
  const RangeMath& math = call.math();
  const Sym zero = math.Number(0);
  if (!pair.b.range.IsKnown() || !math.IsAtMost(math.Number(1), pair.b.range.low.at)) return;
  const ValueRange& self = pair.a.range;
  const Sym most = Subtract(pair.b.range.high.at, math.Number(1));
  const bool is_less = self.IsKnown() && math.IsAtMost(zero, self.low.at) &&
                       math.IsAtMost(Add(self.high.at, math.Number(1)), pair.b.range.low.at);
  GiveFrom(call, pair, is_less ? self : math.Between(zero, most));
}

void Fmod(RangeCall& call) {
  const RangeMath& math = call.math();
  if (math.IsAtMost(math.Number(0), call.RangeOf("self").low.at)) Remainder(call);
}

ValueRange Truth(const RangeMath& math) { return math.Between(math.Number(0), math.Number(1)); }

// Returns true if the caller can choose any number for all elements.
bool IsAnyInput(const RangeOperand& operand) {
  const ValueRange& range = operand.range;
  return operand.tensor && range.input >= 0 && !range.is_buffer && !range.low.at && !range.high.at;
}

// Returns true if the caller can choose among several numbers for all elements.
bool IsInputOfSeveral(const RangeOperand& operand, const RangeMath& math) {
  const ValueRange& range = operand.range;
  return operand.tensor && range.input >= 0 && range.IsKnown() && range.low.met.by_all && range.high.met.by_all &&
         math.Holds(Less(range.low.at, range.high.at));
}

// A comparison of an input with a number: the caller can make all elements true, and all false.
void Comparison(RangeCall& call) {
  ValueRange truth = Truth(call.math());
  if (IsAnyInput(call.OperandOf("self")) && call.RangeOf("other").IsPoint()) {
    truth.low.met = Met::Chosen(call.index(), false);
    truth.high.met = Met::Chosen(call.index(), true);
  }
  call.Give(truth);
}

// Of two numbers that the caller may choose, one is another than the number that is compared with.
void Equality(RangeCall& call, bool of_equal) {
  if (!IsInputOfSeveral(call.OperandOf("self"), call.math()) || !call.RangeOf("other").IsPoint())
    return Comparison(call);
  ValueRange truth = Truth(call.math());
  (of_equal ? truth.low : truth.high).met = Met::Chosen(call.index(), !of_equal);
  call.Give(truth);
}
void IsEqual(RangeCall& call) { Equality(call, true); }
void IsUnequal(RangeCall& call) { Equality(call, false); }

void Truths(RangeCall& call) { call.Give(Truth(call.math())); }

bool AreBools(const Pair& pair) {
  const auto is_bool = [](const RangeOperand& x) { return x.tensor && x.tensor->meta.dtype == ScalarType::Bool; };
  return is_bool(pair.a) && is_bool(pair.b);
}

void Conjunction(RangeCall& call) {
  const Pair pair(call, "self", "other");
  const RangeMath& math = call.math();
  const ValueRange &a = pair.a.range, &b = pair.b.range;
  if (AreBools(pair)) return GiveFrom(call, pair, math.Minimum(a, b, pair.is_outer));
  const bool has_a = math.IsAtMost(math.Number(0), a.low.at), has_b = math.IsAtMost(math.Number(0), b.low.at);
  if (has_a && has_b && a.high.at && b.high.at)
    return GiveFrom(call, pair, math.Between(math.Number(0), math.Least(a.high.at, b.high.at)));
  if (has_a && a.high.at) GiveFrom(call, pair, math.Between(math.Number(0), a.high.at));
  else if (has_b && b.high.at) GiveFrom(call, pair, math.Between(math.Number(0), b.high.at));
}

void Disjunction(RangeCall& call) {
  const Pair pair(call, "self", "other");
  if (AreBools(pair)) GiveFrom(call, pair, call.math().Maximum(pair.a.range, pair.b.range, pair.is_outer));
}

// The elements taken from a number.
void GiveLess(RangeCall& call, int64_t number) {
  const RangeMath& math = call.math();
  call.Give(math.Add(math.Negate(call.RangeOf("self")), math.Point(math.Number(number)), false));
}

bool IsOfBools(const RangeCall& call) {
  const Tensor* self = call.OperandOf("self").tensor;
  return self && self->meta.dtype == ScalarType::Bool;
}

// ~x is -x - 1, and of a bool 1 - x.
void Complement(RangeCall& call) { GiveLess(call, IsOfBools(call) ? 1 : -1); }
void LogicalComplement(RangeCall& call) { IsOfBools(call) ? GiveLess(call, 1) : Truths(call); }

void Difference(RangeCall& call) {
  const RangeMath& math = call.math();
  const ValueRange self = SomeOf(call.RangeOf("self"));
  if (call.NumberOf("n") != 1 || !call.IsNone("prepend") || !call.IsNone("append")) return;
  ValueRange range = math.Add(self, math.Negate(self), false);
  range.low.met = range.high.met = {};
  range.input = -1;
  call.Give(range);
}

constexpr TransferRow kRows[] = {
    {"add", AddTo},
    {"sub", Subtraction},
    {"subtract", Subtraction},
    {"rsub", ReverseSubtraction},
    {"mul", Product},
    {"multiply", Product},
    {"minimum", SmallerOf},
    {"fmin", SmallerOf},
    {"maximum", LargerOf},
    {"fmax", LargerOf},
    {"neg", Negative},
    {"negative", Negative},
    {"abs", Absolute},
    {"sign", Sign},
    {"sgn", Sign},
    {"clamp", Clamp},
    {"clip", Clamp},
    {"clamp_min", Clamp},
    {"clamp_max", Clamp},
    {"floor_divide", FloorQuotientOfSelf},
    {"div", Quotient},
    {"divide", Quotient},
    {"remainder", Remainder},
    {"fmod", Fmod},
    {"eq", IsEqual},
    {"ne", IsUnequal},
    {"lt", Comparison},
    {"le", Comparison},
    {"gt", Comparison},
    {"ge", Comparison},
    {"isin", Truths},
    {"logical_xor", Truths},
    {"logical_not", LogicalComplement},
    {"bitwise_not", Complement},
    {"logical_and", Conjunction},
    {"bitwise_and", Conjunction},
    {"__and__", Conjunction},
    {"logical_or", Disjunction},
    {"bitwise_or", Disjunction},
    {"__or__", Disjunction},
    {"diff", Difference},
    {"__lshift__", ShiftLeft},
    {"bitwise_left_shift", ShiftLeft},
    {"__rshift__", ShiftRight},
    {"bitwise_right_shift", ShiftRight},
};

}  // namespace

std::span<const TransferRow> ArithmeticTransfers() { return kRows; }

}  // namespace fakeprop
