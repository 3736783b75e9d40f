// Operators that combine many elements into one, and running sums.
#include "lib/value_ranges/transfer_rows.h"

namespace fakeprop {
namespace {

// How many elements there are along the dimensions that `dim` names, or in all; null if that is not known.
Sym CountReduced(const RangeCall& call, const Tensor& self) {
  const RangeMath& math = call.math();
  if (!call.Has("dim") || call.IsNone("dim")) return CountOf(self, math);
  const Value dims = call.ValueOf("dim");
  const List* list = dims.TryList();
  if (list && list->items.empty()) return CountOf(self, math);
  Sym count = math.Number(1);
  for (const Value& item : list ? list->items : std::vector<Value>{dims}) {
    const Dim* dim = item.TryGet<Dim>();
    const std::optional<int64_t> at = dim ? dim->TryNumber() : std::nullopt;
    if (!at) return nullptr;
    if (self.meta.rank() > 0) count = Multiply(count, math.Of(self.meta.sizes[*at < 0 ? *at + self.meta.rank() : *at]));
  }
  return count;
}

// The sum of `count` elements.
void Sum(RangeCall& call) {
  const RangeOperand self = call.OperandOf("self");
  const Sym count = self.IsIntegral() ? CountReduced(call, *self.tensor) : nullptr;
  if (!count || !self.range.IsKnown()) return;
  const auto total = [&](const ValueEnd& end) {
    return ValueEnd{Multiply(end.at, count), end.met.by_all ? end.met : Met()};
  };
  call.Give({total(self.range.low), total(self.range.high)});
}

void CountNonzero(RangeCall& call) {
  const Tensor* self = call.OperandOf("self").tensor;
  if (const Sym count = self ? CountReduced(call, *self) : nullptr)
    call.Give(call.math().Between(call.math().Number(0), count));
}

// One of the sums of 1 to `count` elements.
ValueEnd RunningEnd(const RangeMath& math, const ValueEnd& end, Sym count, bool is_high) {
  const Sym all = Multiply(end.at, count), zero = math.Number(0);
  const bool grows = math.IsAtMost(zero, end.at), shrinks = math.IsAtMost(end.at, zero);
  const Met met = end.met.by_all ? Met{true, false, end.met.when} : Met();
  if (is_high ? grows : shrinks) return {all, met};
  if (is_high ? shrinks : grows) return {end.at, met};
  return {is_high ? math.Greatest(end.at, all) : math.Least(end.at, all), {}};
}

void RunningSum(RangeCall& call) {
  const RangeOperand self = call.OperandOf("self");
  const RangeMath& math = call.math();
  const std::optional<size_t> dim = self.IsIntegral() ? call.DimensionOf("dim", *self.tensor) : std::nullopt;
  if (!dim || !self.range.IsKnown()) return;
  const Sym count = math.Of(self.tensor->meta.sizes[*dim]);
  ValueRange range{RunningEnd(math, self.range.low, count, false), RunningEnd(math, self.range.high, count, true)};
  if (self.range.IsPoint() && self.range.low.at->IsInteger()) {
    range.counts_along = static_cast<int32_t>(*dim);
    range.step = self.range.low.at->integer;
  }
  if (range.step < 0) range.counts_along = -1;
  range.is_sorted = math.IsAtMost(math.Number(0), self.range.low.at) && *dim + 1 == self.tensor->meta.sizes.size();
  range.origin = self.range.origin;
  call.Give(range);
}

// Of all elements, or along a dimension; or of pairs of elements, as `maximum`.
void Extreme(RangeCall& call, bool is_largest) {
  if (call.Has("other")) return FindOperatorRanges(is_largest ? "maximum" : "minimum").transfer(call);
  const RangeOperand self = call.OperandOf("self");
  const RangeMath& math = call.math();
  ValueRange range = SomeOf(self.range);
  const bool is_of_all = !call.Has("dim");
  const Met end = is_largest ? self.range.high.met : self.range.low.met;
  if (is_of_all && end.by_one) (is_largest ? range.high : range.low).met = {true, true, end.when};
  if (self.IsIntegral()) call.Give(range);
  if (is_of_all || !self.tensor) return;
  if (const Sym count = CountReduced(call, *self.tensor))
    call.Give(math.Between(math.Number(0), Subtract(count, math.Number(1))), 1);
}
void Largest(RangeCall& call) { Extreme(call, true); }
void Smallest(RangeCall& call) { Extreme(call, false); }
void CountPerNumber(RangeCall& call) {
  const Tensor* self = call.OperandOf("self").tensor;
  if (self && call.IsNone("weights"))
    call.Give(call.math().Between(call.math().Number(0), CountOf(*self, call.math())));
}

constexpr TransferRow kRows[] = {
    {"sum", Sum},
    {"count_nonzero", CountNonzero},
    {"cumsum", RunningSum},
    {"max", Largest},
    {"min", Smallest},
    {"bincount", CountPerNumber},
};

}  // namespace

std::span<const TransferRow> ReductionTransfers() { return kRows; }

}  // namespace fakeprop
