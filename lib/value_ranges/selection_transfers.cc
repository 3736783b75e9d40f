// Operators that take some elements of tensors, put tensors together, or say where elements are.
#include "lib/value_ranges/narrowed_elements.h"
#include "lib/value_ranges/transfer_rows.h"

namespace fakeprop {
namespace {

// No end needs to be met: a mask or an index decides which elements there are.
ValueRange Unmet(ValueRange range) {
  range = SomeOf(range);
  range.low.met = range.high.met = {};
  return range;
}

ValueRange JoinUnmet(const RangeMath& math, const ValueRange& a, const ValueRange& b) {
  return math.Join(Unmet(a), Unmet(b));
}

// From 0 to one less than the count.
ValueRange IndicesBelow(const RangeMath& math, Sym count) {
  return math.Between(math.Number(0), Subtract(count, math.Number(1)));
}

void SomeOfSelf(RangeCall& call) {
  for (size_t i = 0; i < call.result_count(); ++i) call.Give(SomeOf(call.RangeOf("self")), i);
}

void RepeatInterleave(RangeCall& call) {
  if (call.Has("self")) return SomeOfSelf(call);
  const Tensor* repeats = call.OperandOf("repeats").tensor;
  if (repeats && repeats->meta.rank() == 1)
    call.Give(IndicesBelow(call.math(), call.math().Of(repeats->meta.sizes[0])));
}

void SomeOfWeight(RangeCall& call) { call.Give(SomeOf(call.RangeOf("weight"))); }

void GiveJoined(RangeCall& call, ArgumentName one, ArgumentName other) {
  call.Give(JoinUnmet(call.math(), call.RangeOf(one), call.RangeOf(other)));
}

// Elements of `chosen` where the mask is true, else of `other`. An end of `chosen` is met where all of the mask can be
// true.
ValueRange Masked(const RangeMath& math, const ValueRange& mask, const ValueRange& chosen, const ValueRange& other) {
  ValueRange range = JoinUnmet(math, chosen, other);
  if (!math.IsAtMost(math.Number(1), mask.high.at)) return range;
  if (range.low.at && range.low.at == chosen.low.at) range.low.met = BothMet(chosen.low.met, mask.high.met, false);
  if (range.high.at && range.high.at == chosen.high.at) range.high.met = BothMet(chosen.high.met, mask.high.met, false);
  return range;
}

// One result for each dimension.
void PlacesByDimension(RangeCall& call, const Tensor* of) {
  if (!of) return;
  for (size_t d = 0; d < of->meta.sizes.size(); ++d)
    call.Give(IndicesBelow(call.math(), call.math().Of(of->meta.sizes[d])), d);
}

void Where(RangeCall& call) {
  if (!call.Has("self")) return PlacesByDimension(call, call.OperandOf("condition").tensor);
  const ValueRange chosen = RangeWhere(call, "self", "condition", true);
  const ValueRange other = RangeWhere(call, "other", "condition", false);
  call.Give(Masked(call.math(), call.RangeOf("condition"), chosen, other));
}
void NonzeroByDimension(RangeCall& call) { PlacesByDimension(call, call.OperandOf("self").tensor); }
void MaskedFill(RangeCall& call) {
  call.Give(Masked(call.math(), call.RangeOf("mask"), call.RangeOf("value"), call.RangeOf("self")));
}
void PutValue(RangeCall& call) { GiveJoined(call, "self", "value"); }
void PutValues(RangeCall& call) {
  if (call.NumberOf("accumulate") == 0) GiveJoined(call, "self", "values");
}
void PutSource(RangeCall& call) { GiveJoined(call, "self", call.EitherOf("source", "src")); }
void Scatter(RangeCall& call) {
  if (!call.Has("reduce")) GiveJoined(call, "self", call.EitherOf("src", "value"));
}

void WithZeros(RangeCall& call) {
  const RangeMath& math = call.math();
  call.Give(JoinUnmet(math, call.RangeOf("self"), math.Point(math.Number(0))));
}

// Elements of the tensor, and the number where the mode is to pad with one.
void Pad(RangeCall& call) { return call.IsNone("value") ? WithZeros(call) : PutValue(call); }

void Fill(RangeCall& call) {
  const ValueRange number = call.RangeOf("value");
  if (number.IsKnown()) call.Give(call.math().Cast(number, ScalarType::Long, call.result().meta.dtype));
}

bool HasElements(const RangeOperand& operand, const RangeMath& math) {
  for (const Dim size : operand.tensor->meta.sizes)
    if (!math.IsAtMost(math.Number(1), math.Of(size))) return false;
  return true;
}

// Of several tensors in one. What an end of one tensor is met by stays in the result.
void GiveAllOf(RangeCall& call, const std::vector<RangeOperand>& parts) {
  std::optional<ValueRange> all;
  const RangeMath& math = call.math();
  for (const RangeOperand& part : parts) {
    if (!part.IsIntegral()) return;
    const ValueRange range = HasElements(part, math) ? part.range : Unmet(part.range);
    if (!all) {
      all = range;
      continue;
    }
    ValueRange joined = math.Join(*all, range);
    const auto keep = [](ValueEnd& out, const ValueEnd& a, const ValueEnd& b) {
      if (out.met.by_one || !out.at) return;
      const ValueEnd& met = out.at == a.at && a.met.by_one ? a : b;
      if (met.at == out.at && met.met.by_one) out.met = {true, false, met.met.when};
    };
    keep(joined.low, all->low, range.low);
    keep(joined.high, all->high, range.high);
    all = joined;
  }
  if (all) call.Give(parts.size() == 1 ? Rearranged(*all) : *all);
}
void Cat(RangeCall& call) { GiveAllOf(call, call.OperandsOf("tensors")); }

void Meshgrid(RangeCall& call) {
  const std::vector<RangeOperand> axes = call.OperandsOf("tensors");
  for (size_t i = 0; i < axes.size(); ++i) call.Give(Rearranged(axes[i].range), i);
}

// How many elements a reduction of `self` looks at: those along `dim`, or all.
Sym CountAlong(const RangeCall& call, const Tensor& self) {
  const RangeMath& math = call.math();
  if (!call.Has("dim") || call.IsNone("dim")) return CountOf(self, math);
  if (self.meta.rank() == 0) return math.Number(1);
  const std::optional<size_t> dim = call.DimensionOf("dim", self);
  return dim ? math.Of(self.meta.sizes[*dim]) : nullptr;
}

void PlaceOf(RangeCall& call) {
  const Tensor* self = call.OperandOf("self").tensor;
  if (const Sym count = self ? CountAlong(call, *self) : nullptr) call.Give(IndicesBelow(call.math(), count));
}

// The first result holds elements, the second their places.
void ElementsAndPlaces(RangeCall& call) {
  const RangeOperand self = call.OperandOf("self");
  if (self.IsIntegral()) call.Give(SomeOf(self.range));
  if (!self.tensor || call.result_count() < 2) return;
  if (const Sym count = CountAlong(call, *self.tensor)) call.Give(IndicesBelow(call.math(), count), 1);
}

// Of no elements at all it is a number that nobody chose.
void Median(RangeCall& call) {
  const RangeOperand self = call.OperandOf("self");
  if (call.Has("dim") || (self.IsIntegral() && HasElements(self, call.math()))) ElementsAndPlaces(call);
}

ValueRange PlacesOfAll(const RangeMath& math, Sym count) {
  ValueRange places = IndicesBelow(math, count);
  places.low.met = places.high.met = Met::ByOne();
  return places;
}

void Sort(RangeCall& call) {
  const RangeOperand self = call.OperandOf("self");
  if (self.IsIntegral()) call.Give(Rearranged(self.range));
  const Sym count = self.tensor ? CountAlong(call, *self.tensor) : nullptr;
  if (!count || call.result_count() < 2) return;
  ValueRange places = PlacesOfAll(call.math(), count);
  places.is_permutation = self.tensor->meta.rank() == 1;
  call.Give(places, 1);
}

void Argsort(RangeCall& call) {
  const Tensor* self = call.OperandOf("self").tensor;
  if (const Sym count = self ? CountAlong(call, *self) : nullptr) call.Give(PlacesOfAll(call.math(), count));
}

void Nonzero(RangeCall& call) {
  const Tensor* self = call.OperandOf("self").tensor;
  if (!self || self->meta.rank() == 0) return;
  const RangeMath& math = call.math();
  Sym most = math.Of(self->meta.sizes[0]);
  for (const Dim size : self->meta.sizes) most = math.Greatest(most, math.Of(size));
  ValueRange range = IndicesBelow(math, most);
  call.Give(range);
}

void Unique(RangeCall& call) {
  const RangeOperand self = call.OperandOf("self");
  if (!self.tensor) return;
  const RangeMath& math = call.math();
  if (self.IsIntegral()) call.Give(Rearranged(self.range));
  const Sym count = CountOf(*self.tensor, math);
  call.Give(IndicesBelow(math, count), 1);
  call.Give(math.Between(math.Number(1), count), 2);
}

void UniqueRows(RangeCall& call) {
  const RangeOperand self = call.OperandOf("self");
  const std::optional<size_t> dim = self.tensor ? call.DimensionOf("dim", *self.tensor) : std::nullopt;
  if (!dim) return;
  const RangeMath& math = call.math();
  if (self.IsIntegral()) call.Give(Rearranged(self.range));
  const Sym count = math.Of(self.tensor->meta.sizes[*dim]);
  call.Give(IndicesBelow(math, count), 1);
  call.Give(math.Between(math.Number(1), count), 2);
}

// As many as `size` says; `fill_value` where there are no more.
void NonzeroOfSize(RangeCall& call) {
  const Tensor* self = call.OperandOf("self").tensor;
  if (!self) return;
  const RangeMath& math = call.math();
  Sym most = math.Number(1);
  for (const Dim size : self->meta.sizes) most = math.Greatest(most, math.Of(size));
  call.Give(JoinUnmet(math, IndicesBelow(math, most), call.RangeOf("fill_value")));
}

// Pooling says where in the plane, or the volume, each maximum was.
void PlacesOfMaxima(RangeCall& call, int64_t dims) {
  const Tensor* self = call.OperandOf("self").tensor;
  if (!self || self->meta.rank() < dims) return;
  Sym count = call.math().Number(1);
  for (int64_t d = 1; d <= dims; ++d) count = Multiply(count, call.math().Of(self->meta.sizes[self->meta.rank() - d]));
  call.Give(IndicesBelow(call.math(), count), 1);
}
void PlacesInLine(RangeCall& call) { PlacesOfMaxima(call, 1); }
void PlacesInPlane(RangeCall& call) { PlacesOfMaxima(call, 2); }
void PlacesInVolume(RangeCall& call) { PlacesOfMaxima(call, 3); }

void Bucketize(RangeCall& call) {
  const RangeMath& math = call.math();
  const Tensor* bounds = call.OperandOf(call.EitherOf("boundaries", "sorted_sequence")).tensor;
  if (bounds && bounds->meta.rank() > 0) call.Give(math.Between(math.Number(0), math.Of(bounds->meta.sizes.back())));
}

void Multinomial(RangeCall& call) {
  const Tensor* self = call.OperandOf("self").tensor;
  if (self && self->meta.rank() > 0) call.Give(IndicesBelow(call.math(), call.math().Of(self->meta.sizes.back())));
}

void OneHot(RangeCall& call) { call.Give(call.math().Between(call.math().Number(0), call.math().Number(1))); }

constexpr TransferRow kRows[] = {
    {"diagonal", SomeOfSelf},
    {"gather", SomeOfSelf},
    {"index", SomeOfSelf},
    {"_unsafe_index", SomeOfSelf},
    {"index_select", SomeOfSelf},
    {"masked_select", SomeOfSelf},
    {"narrow", SomeOfSelf},
    {"narrow_copy", SomeOfSelf},
    {"repeat_interleave", RepeatInterleave},
    {"split", SomeOfSelf},
    {"split_with_sizes", SomeOfSelf},
    {"chunk", SomeOfSelf},
    {"tensor_split", SomeOfSelf},
    {"take", SomeOfSelf},
    {"take_along_dim", SomeOfSelf},
    {"unbind", SomeOfSelf},
    {"unsafe_chunk", SomeOfSelf},
    {"unsafe_split", SomeOfSelf},
    {"unsafe_split_with_sizes", SomeOfSelf},
    {"hsplit", SomeOfSelf},
    {"vsplit", SomeOfSelf},
    {"dsplit", SomeOfSelf},
    {"aminmax", SomeOfSelf},
    {"unfold", SomeOfSelf},
    {"amax", SomeOfSelf},
    {"amin", SomeOfSelf},
    {"embedding", SomeOfWeight},
    {"where", Where},
    {"masked_fill", MaskedFill},
    {"index_fill", PutValue},
    {"index_put", PutValues},
    {"_unsafe_index_put", PutValues},
    {"index_copy", PutSource},
    {"masked_scatter", PutSource},
    {"select_scatter", PutSource},
    {"slice_scatter", PutSource},
    {"scatter", Scatter},
    {"tril", WithZeros},
    {"triu", WithZeros},
    {"fill", Fill},
    {"constant_pad_nd", PutValue},
    {"pad", Pad},
    {"cat", Cat},
    {"concat", Cat},
    {"concatenate", Cat},
    {"stack", Cat},
    {"hstack", Cat},
    {"vstack", Cat},
    {"dstack", Cat},
    {"column_stack", Cat},
    {"row_stack", Cat},
    {"cartesian_prod", Cat},
    {"meshgrid", Meshgrid},
    {"argmax", PlaceOf},
    {"argmin", PlaceOf},
    {"topk", ElementsAndPlaces},
    {"kthvalue", ElementsAndPlaces},
    {"mode", ElementsAndPlaces},
    {"median", Median},
    {"nanmedian", Median},
    {"cummax", ElementsAndPlaces},
    {"cummin", ElementsAndPlaces},
    {"sort", Sort},
    {"argsort", Argsort},
    {"nonzero", Nonzero},
    {"argwhere", Nonzero},
    {"nonzero_numpy", NonzeroByDimension},
    {"nonzero_static", NonzeroOfSize},
    {"_unique", Unique},
    {"_unique2", Unique},
    {"unique_consecutive", Unique},
    {"unique_dim", UniqueRows},
    {"unique_dim_consecutive", UniqueRows},
    {"bucketize", Bucketize},
    {"searchsorted", Bucketize},
    {"multinomial", Multinomial},
    {"one_hot", OneHot},
    {"max_pool1d_with_indices", PlacesInLine},
    {"max_pool2d_with_indices", PlacesInPlane},
    {"max_pool3d_with_indices", PlacesInVolume},
    {"adaptive_max_pool1d", PlacesInLine},
    {"adaptive_max_pool2d", PlacesInPlane},
    {"adaptive_max_pool3d", PlacesInVolume},
    {"fractional_max_pool2d", PlacesInPlane},
    {"fractional_max_pool3d", PlacesInVolume},
};

}  // namespace

std::span<const TransferRow> SelectionTransfers() { return kRows; }

}  // namespace fakeprop
