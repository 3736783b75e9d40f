// Operators that keep the elements of one tensor: views, copies, casts, and new orders.
#include "lib/value_ranges/transfer_rows.h"

namespace fakeprop {
namespace {

// The bits of another dtype are other numbers.
ValueRange RangeOfSelf(const RangeCall& call) {
  const RangeOperand self = call.OperandOf("self");
  const bool has_its_dtype =
      self.tensor && call.result_count() == 1 && self.tensor->meta.dtype == call.result().meta.dtype;
  return has_its_dtype ? self.range : ValueRange();
}
void Same(RangeCall& call) { call.Give(RangeOfSelf(call)); }
void Reordered(RangeCall& call) { call.Give(Rearranged(RangeOfSelf(call))); }

void CastTo(RangeCall& call, const RangeOperand& from) {
  if (from.IsIntegral() && call.result_count() == 1)
    call.Give(call.math().Cast(from.range, from.tensor->meta.dtype, call.result().meta.dtype));
}
void CastSelf(RangeCall& call) { CastTo(call, call.OperandOf("self")); }

void CopyFrom(RangeCall& call) {
  RangeOperand src = call.OperandOf("src");
  if (src.tensor) src.range = Broadcast(src.range, *src.tensor, call.result());
  CastTo(call, src);
}

void Unsqueeze(RangeCall& call) {
  ValueRange range = call.RangeOf("self");
  const std::optional<size_t> dim = call.DimensionOf("dim", call.result());
  if (!dim) return call.Give(Rearranged(range));
  if (static_cast<int32_t>(*dim) <= range.counts_along) ++range.counts_along;
  range.is_permutation = false;
  range.is_sorted = range.is_sorted && *dim + 1 < call.result().meta.sizes.size();
  call.Give(range);
}

void Expand(RangeCall& call) {
  const RangeOperand self = call.OperandOf("self");
  if (!self.tensor) return;
  call.Give(Broadcast(self.range, *self.tensor, call.result()));
}

// The elements from `start` on, `stride` apart, along a dimension.
ValueRange CountFrom(const ValueRange& range, const RangeMath& math, Sym start, int64_t stride, Sym count) {
  ValueRange out = range;
  out.step = range.step * stride;
  out.low = {Add(range.low.at, Scale(start, range.step)), Met::ByOne()};
  out.high = {Add(out.low.at, Scale(Subtract(count, math.Number(1)), out.step)), Met::ByOne()};
  out.is_permutation = range.is_permutation && stride == 1;
  return out;
}

// A start that is below 0 or beyond the end gives other elements.
Sym StartOf(const RangeCall& call, const Tensor& self, size_t dim) {
  const RangeMath& math = call.math();
  const std::optional<Dim> start = call.IsNone("start") ? Dim(0) : call.SizeOf("start");
  if (!start) return nullptr;
  const Sym from = math.Of(*start), size = math.Of(self.meta.sizes[dim]);
  if (math.IsAtMost(math.Number(0), from)) return math.IsAtMost(from, size) ? from : nullptr;
  const Sym counted = Add(from, size);
  return math.IsAtMost(from, math.Number(-1)) && math.IsAtMost(math.Number(0), counted) ? counted : nullptr;
}

bool IsWhole(const RangeCall& call, const Tensor& self, size_t dim, int64_t step) {
  return step == 1 && call.result().meta.sizes[dim].raw() == self.meta.sizes[dim].raw();
}

void SliceOf(RangeCall& call) {
  const RangeOperand self = call.OperandOf("self");
  const std::optional<size_t> dim = self.tensor ? call.DimensionOf("dim", *self.tensor) : std::nullopt;
  const int64_t step = call.Has("step") ? call.NumberOf("step").value_or(0) : 1;
  if (!dim || step < 1) return call.Give(SomeOf(self.range));
  if (IsWhole(call, *self.tensor, *dim, step)) return call.Give(self.range);
  ValueRange some = SomeOf(self.range);
  if (self.range.counts_along < 0 || !self.range.low.met.by_one) return call.Give(some);
  if (self.range.counts_along != static_cast<int32_t>(*dim)) return call.Give(self.range);
  const Sym start = StartOf(call, *self.tensor, *dim);
  if (!start) return call.Give(some);
  call.Give(CountFrom(self.range, call.math(), start, step, call.math().Of(call.result().meta.sizes[*dim])));
}

void Select(RangeCall& call) {
  const RangeOperand self = call.OperandOf("self");
  const std::optional<size_t> dim = self.tensor ? call.DimensionOf("dim", *self.tensor) : std::nullopt;
  const std::optional<int64_t> at = call.NumberOf("index");
  if (!dim || !at || self.range.counts_along != static_cast<int32_t>(*dim)) return call.Give(SomeOf(self.range));
  const RangeMath& math = call.math();
  const Sym place = *at < 0 ? Add(math.Of(self.tensor->meta.sizes[*dim]), math.Number(*at)) : math.Number(*at);
  call.Give(math.Point(Add(self.range.low.at, Scale(place, self.range.step))));
}

constexpr TransferRow kRows[] = {
    {"alias", Same},
    {"clone", Same},
    {"contiguous", Same},
    {"detach", Same},
    {"detach_copy", Same},
    {"lift", Same},
    {"lift_fresh", Same},
    {"lift_fresh_copy", Same},
    {"pin_memory", Same},
    {"positive", Same},
    {"ceil", Same},
    {"floor", Same},
    {"round", Same},
    {"trunc", Same},
    {"to", CastSelf},
    {"_to_copy", CastSelf},
    {"type_as", CastSelf},
    {"_autocast_to_full_precision", CastSelf},
    {"copy", CopyFrom},
    {"atleast_1d", Reordered},
    {"broadcast_to", Expand},
    {"expand", Expand},
    {"expand_as", Expand},
    {"flatten", Reordered},
    {"flip", Reordered},
    {"fliplr", Reordered},
    {"flipud", Reordered},
    {"movedim", Reordered},
    {"numpy_T", Reordered},
    {"permute", Reordered},
    {"ravel", Reordered},
    {"repeat", Reordered},
    {"reshape", Reordered},
    {"reshape_as", Reordered},
    {"resolve_conj", Same},
    {"resolve_neg", Same},
    {"roll", Reordered},
    {"rot90", Reordered},
    {"squeeze", Reordered},
    {"swapaxes", Reordered},
    {"swapdims", Reordered},
    {"t", Reordered},
    {"tile", Reordered},
    {"transpose", Reordered},
    {"unflatten", Reordered},
    {"unsqueeze", Unsqueeze},
    {"_unsafe_view", Reordered},
    {"_reshape_alias", Reordered},
    {"view", Reordered},
    {"view_as", Reordered},
    {"view_copy", Reordered},
    {"slice", SliceOf},
    {"select", Select},
};

}  // namespace

std::span<const TransferRow> ViewTransfers() { return kRows; }

}  // namespace fakeprop
