#include <unordered_map>

#include "lib/value_ranges/index_use.h"

namespace fakeprop {
namespace {

using Verdict = IndexUse::Verdict;
using Limit = IndexUse::Limit;

// ---- the verdict

Sym EitherOf(Sym a, Sym b) { return a && b ? Or(a, b) : a ? a : b; }

// Whether the tensor is empty, apart from dimension `beside`; null if it never is.
Sym IsEmpty(const Tensor& tensor, const RangeMath& math, int64_t beside = -1) {
  Sym empty = nullptr;
  for (int64_t d = 0; d < tensor.meta.rank(); ++d) {
    const Sym is_zero = Equal(math.Of(tensor.meta.sizes[d]), math.Number(0));
    if (d != beside && !math.Holds(Not(is_zero))) empty = EitherOf(empty, is_zero);
  }
  return empty;
}

// What the ranges say about one end of the indices.
struct EndVerdict {
  Verdict verdict = Verdict::kUnknown;
  Sym holds = nullptr;
};

// `inside` holds if the end is not out of range; null if nothing is known.
EndVerdict JudgeEnd(const ValueEnd& end, Sym inside, bool all_are_outside, Sym empty, const RangeMath& math) {
  if (inside && math.Holds(inside)) return {Verdict::kSafe};
  if (all_are_outside && !empty) return {Verdict::kFails};
  if (!inside || !end.met.by_one) return {};
  const bool by_choice = end.met.when != Met::kInAllRuns;
  if (math.Holds(Not(inside)) && !empty) return {by_choice ? Verdict::kFailsForSome : Verdict::kFails};
  return {Verdict::kFailsForSome, empty ? Or(inside, empty) : inside};
}

EndVerdict JudgeHigh(const IndexUse& use, Sym empty, const RangeMath& math) {
  if (!use.greatest) return {Verdict::kSafe};
  const ValueEnd &low = use.range.low, &high = use.range.high;
  const bool all_are_above = low.at && math.Holds(Less(use.greatest, low.at));
  return JudgeEnd(high, high.at ? AtMost(high.at, use.greatest) : nullptr, all_are_above, empty, math);
}

EndVerdict JudgeLow(const IndexUse& use, Sym empty, const RangeMath& math) {
  if (!use.least) return {Verdict::kSafe};
  const ValueEnd &low = use.range.low, &high = use.range.high;
  const bool all_are_below = high.at && math.Holds(Less(high.at, use.least));
  return JudgeEnd(low, low.at ? AtMost(use.least, low.at) : nullptr, all_are_below, empty, math);
}

bool Fails(const EndVerdict& end) { return end.verdict == Verdict::kFails || end.verdict == Verdict::kFailsForSome; }

// `empty`: no element is indexed; null if some always is.
void Judge(IndexUse& use, Sym empty, const RangeMath& math) {
  if (empty && math.Holds(empty)) {
    use.verdict = Verdict::kSafe;
    return;
  }
  const EndVerdict above = JudgeHigh(use, empty, math), below = JudgeLow(use, empty, math);
  use.is_too_large = above.verdict == Verdict::kFails || (Fails(above) && below.verdict != Verdict::kFails);
  if (Fails(above) || Fails(below)) {
    const EndVerdict& worse = use.is_too_large ? above : below;
    use.verdict = worse.verdict;
    use.holds = worse.holds;
  } else if (above.verdict == Verdict::kSafe && below.verdict == Verdict::kSafe) {
    use.verdict = Verdict::kSafe;
  } else if (use.range.input >= 0) {
    use.verdict = Verdict::kRestsOnInput;
  }
}

// ---- the uses

struct Allowed {
  Sym least = nullptr, greatest = nullptr;
};

Allowed FromZero(const RangeMath& math, Sym count) { return {math.Number(0), Subtract(count, math.Number(1))}; }
// Negative indices count from the end.
Allowed FromEnds(const RangeMath& math, Sym count) { return {Scale(count, -1), Subtract(count, math.Number(1))}; }

IndexUse UseOf(const RangeCall& call, const RangeOperand& indices, const Allowed& allowed, Limit limit) {
  IndexUse use;
  use.limit = limit;
  use.node = call.index();
  use.index = indices.node;
  use.range = indices.range;
  use.least = allowed.least;
  use.greatest = allowed.greatest;
  return use;
}

// Kernels check no index if the result is empty because the table is, in another dimension than the indexed one.
void AddUse(const RangeCall& call, const RangeOperand& indices, IndexUse use, std::vector<IndexUse>& uses,
    Sym is_table_empty = nullptr) {
  Judge(use, EitherOf(IsEmpty(*indices.tensor, call.math()), is_table_empty), call.math());
  uses.push_back(std::move(use));
}

// Indices into one dimension of a tensor.
void AddAlong(const RangeCall& call, const RangeOperand& table, int64_t dim, const RangeOperand& indices,
    bool from_ends, Limit limit, std::vector<IndexUse>& uses, Sym others_are_empty = nullptr) {
  if (!indices.IsIntegral() || indices.tensor->meta.dtype == ScalarType::Bool) return;
  const RangeMath& math = call.math();
  const Sym count = dim < table.tensor->meta.rank() ? math.Of(table.tensor->meta.sizes[dim]) : math.Number(1);
  IndexUse use = UseOf(call, indices, from_ends ? FromEnds(math, count) : FromZero(math, count), limit);
  use.table = table.node;
  use.dim = dim;
  AddUse(call, indices, use, uses, EitherOf(IsEmpty(*table.tensor, math, dim), others_are_empty));
}

void TableRows(const RangeCall& call, std::vector<IndexUse>& uses) {
  const RangeOperand table = call.OperandOf("weight");
  if (table.tensor) AddAlong(call, table, 0, call.OperandOf("indices"), false, Limit::kRows, uses);
}

void AlongDimension(const RangeCall& call, bool from_ends, std::vector<IndexUse>& uses) {
  const RangeOperand self = call.OperandOf("self");
  const std::optional<size_t> dim = self.tensor ? call.DimensionOf("dim", *self.tensor) : std::nullopt;
  const RangeOperand indices = call.OperandOf(call.Has("indices") ? "indices" : "index");
  if (dim && indices.tensor)
    AddAlong(call, self, static_cast<int64_t>(*dim), indices, from_ends, Limit::kElements, uses);
}
void Gathered(const RangeCall& call, std::vector<IndexUse>& uses) { AlongDimension(call, false, uses); }
void Filled(const RangeCall& call, std::vector<IndexUse>& uses) { AlongDimension(call, true, uses); }

// From torch 2.13 on any index counts, modulo the size.
void TakenModulo(const RangeCall& call, std::vector<IndexUse>& uses) {
  const RangeOperand self = call.OperandOf("self"), indices = call.OperandOf("indices");
  if (!self.tensor || !indices.IsIntegral()) return;
  IndexUse use = UseOf(call, indices, {}, Limit::kElements);
  use.table = self.node;
  AddUse(call, indices, use, uses);
}

// Each index takes the next dimension of `self`, a mask as many as it has.
void Indexed(const RangeCall& call, std::vector<IndexUse>& uses) {
  const RangeOperand self = call.OperandOf("self");
  if (!self.tensor) return;
  int64_t dim = 0;
  Sym one_is_empty = nullptr;  // then all are, once broadcast
  for (const RangeOperand& indices : call.OperandsOf("indices"))
    if (indices.tensor) one_is_empty = EitherOf(one_is_empty, IsEmpty(*indices.tensor, call.math()));
  for (const RangeOperand& indices : call.OperandsOf("indices")) {
    const ScalarType dtype = indices.tensor ? indices.tensor->meta.dtype : ScalarType::Long;
    const bool is_mask = dtype == ScalarType::Bool || dtype == ScalarType::Byte;
    if (indices.tensor && !is_mask && dim < self.tensor->meta.rank())
      AddAlong(call, self, dim, indices, true, Limit::kElements, uses, one_is_empty);
    dim += is_mask ? indices.tensor->meta.rank() : 1;
  }
}

void Taken(const RangeCall& call, std::vector<IndexUse>& uses) {
  const RangeOperand self = call.OperandOf("self"), indices = call.OperandOf("index");
  if (!self.tensor || !indices.IsIntegral()) return;
  const RangeMath& math = call.math();
  IndexUse use = UseOf(call, indices, FromEnds(math, CountOf(*self.tensor, math)), Limit::kElements);
  use.dim = -1;
  use.table = self.node;
  AddUse(call, indices, use, uses);
}

// The label that a loss ignores may be anything.
void TakeOutIgnored(IndexUse& use, const Tensor& target, const RangeMath& math) {
  const int64_t ignored = *use.ignored;
  if (target.constant) {
    std::vector<Value> others;
    for (const Value& label : *target.constant)
      if (const Dim* number = label.TryGet<Dim>(); !number || number->TryNumber() != ignored) others.push_back(label);
    if (const std::optional<ValueRange> exact = RangeOfElements(others, math)) {
      use.range.low = exact->low;
      use.range.high = exact->high;
    }
    if (others.empty()) use.least = use.greatest = nullptr;
    return;
  }
  const auto is_ignored = [&](const ValueEnd& end) { return end.at && end.at->IsInteger(ignored); };
  if (use.range.IsPoint() && is_ignored(use.range.low)) use.least = use.greatest = nullptr;
  else if (is_ignored(use.range.low)) use.range.low = {};
  else if (is_ignored(use.range.high)) use.range.high = {};
}

void Classes(const RangeCall& call, std::vector<IndexUse>& uses) {
  const RangeOperand self = call.OperandOf("self");
  const RangeOperand target = call.OperandOf("target");
  if (!self.tensor || !target.IsIntegral() || self.tensor->meta.rank() == 0) return;
  const RangeMath& math = call.math();
  const int64_t dim = self.tensor->meta.rank() == 1 ? 0 : 1;
  const Sym count = math.Of(self.tensor->meta.sizes[dim]);
  IndexUse use = UseOf(call, target, FromZero(math, count), Limit::kClasses);
  use.table = self.node;
  use.dim = dim;
  use.ignored = call.NumberOf("ignore_index");
  if (use.ignored) TakeOutIgnored(use, *target.tensor, math);
  AddUse(call, target, use, uses);
}

void NewClasses(const RangeCall& call, std::vector<IndexUse>& uses) {
  const RangeOperand self = call.OperandOf("self");
  if (!self.IsIntegral()) return;
  const RangeMath& math = call.math();
  const std::optional<int64_t> classes = call.NumberOf("num_classes");
  const Allowed allowed = classes.value_or(-1) > 0 ? FromZero(math, math.Number(*classes)) : Allowed{math.Number(0)};
  AddUse(call, self, UseOf(call, self, allowed, Limit::kClasses), uses);
}

void NotNegative(const RangeCall& call, std::string_view argument, std::vector<IndexUse>& uses) {
  const RangeOperand counts = call.OperandOf(argument);
  if (!counts.IsIntegral()) return;
  AddUse(call, counts, UseOf(call, counts, {call.math().Number(0)}, Limit::kNotNegative), uses);
}
void Counted(const RangeCall& call, std::vector<IndexUse>& uses) { NotNegative(call, "self", uses); }

// Repeats that add up to another number than `output_size` make the kernel write beyond the result.
void Repeated(const RangeCall& call, std::vector<IndexUse>& uses) {
  NotNegative(call, "repeats", uses);
  const RangeOperand repeats = call.OperandOf("repeats");
  const std::optional<Dim> size = call.SizeOf("output_size");
  if (!size || !repeats.IsIntegral() || repeats.tensor->meta.rank() != 1) return;
  const RangeMath& math = call.math();
  const Sym count = math.Of(repeats.tensor->meta.sizes[0]), total = math.Of(*size);
  const auto sum = [&](const ValueEnd& end) {
    return end.at ? ValueEnd{Multiply(end.at, count), end.met.by_all ? end.met : Met()} : ValueEnd();
  };
  IndexUse use = UseOf(call, repeats, {total, total}, Limit::kSum);
  use.range = {sum(repeats.range.low), sum(repeats.range.high)};
  use.range.origin = repeats.range.origin;
  Judge(use, nullptr, math);
  uses.push_back(std::move(use));
}

// Labels beyond the lengths of targets are padding, which may be anything: so none is shown to fail.
void PaddedLabels(const RangeCall& call, const RangeOperand& probabilities, std::vector<IndexUse>& uses) {
  const RangeOperand targets = call.OperandOf("targets");
  if (!probabilities.tensor || probabilities.tensor->meta.rank() == 0 || !targets.IsIntegral()) return;
  const RangeMath& math = call.math();
  const Sym count = math.Of(probabilities.tensor->meta.sizes.back());
  IndexUse use = UseOf(call, targets, FromZero(math, count), Limit::kClasses);
  use.table = probabilities.node;
  use.dim = probabilities.tensor->meta.rank() - 1;
  use.range.low.met = use.range.high.met = {};
  AddUse(call, targets, use, uses);
  if (uses.back().verdict == Verdict::kFails) uses.back().verdict = Verdict::kUnknown;
}

// Lengths of inputs, at most as long as the inputs.
void Lengths(const RangeCall& call, std::vector<IndexUse>& uses) {
  const RangeOperand probabilities = call.OperandOf("log_probs"), lengths = call.OperandOf("input_lengths");
  if (probabilities.tensor && probabilities.tensor->meta.rank() > 0 && lengths.IsIntegral()) {
    const RangeMath& math = call.math();
    const Sym most = math.Of(probabilities.tensor->meta.sizes[0]);
    IndexUse use = UseOf(call, lengths, {math.Number(0), most}, Limit::kBetween);
    AddUse(call, lengths, use, uses);
  }
  NotNegative(call, "target_lengths", uses);
  PaddedLabels(call, probabilities, uses);
}

// Where each bag begins among the indices.
void BagOffsets(const RangeCall& call, std::vector<IndexUse>& uses) {
  TableRows(call, uses);
  const RangeOperand indices = call.OperandOf("indices"), offsets = call.OperandOf("offsets");
  if (!indices.tensor || indices.tensor->meta.rank() != 1 || !offsets.IsIntegral()) return;
  const RangeMath& math = call.math();
  IndexUse use = UseOf(call, offsets, {math.Number(0), math.Of(indices.tensor->meta.sizes[0])}, Limit::kBetween);
  AddUse(call, offsets, use, uses);
}

// A number from data that chooses one place along a dimension.
void Selected(const RangeCall& call, std::vector<IndexUse>& uses) {
  const RangeOperand self = call.OperandOf("self"), place = call.OperandOf("index");
  const std::optional<size_t> dim = self.tensor ? call.DimensionOf("dim", *self.tensor) : std::nullopt;
  if (!dim || !place.range.low.at || !place.range.low.at->is_unbacked) return;
  const RangeMath& math = call.math();
  IndexUse use = UseOf(call, place, FromEnds(math, math.Of(self.tensor->meta.sizes[*dim])), Limit::kElements);
  use.table = self.node;
  use.dim = static_cast<int64_t>(*dim);
  use.range.low.met = use.range.high.met = {};  // data may decide otherwise
  Judge(use, nullptr, math);
  uses.push_back(std::move(use));
}

// Where a part of so many elements begins.
void Narrowed(const RangeCall& call, std::vector<IndexUse>& uses) {
  const RangeOperand self = call.OperandOf("self"), start = call.OperandOf("start");
  const std::optional<size_t> dim = self.tensor ? call.DimensionOf("dim", *self.tensor) : std::nullopt;
  const std::optional<Dim> length = call.SizeOf("length");
  if (!dim || !length || !start.IsIntegral()) return;
  const RangeMath& math = call.math();
  const Sym size = math.Of(self.tensor->meta.sizes[*dim]);
  IndexUse use = UseOf(call, start, {Scale(size, -1), Subtract(size, math.Of(*length))}, Limit::kBetween);
  AddUse(call, start, use, uses);
}

// The lengths of padded sequences.
void SequenceLengths(const RangeCall& call, std::vector<IndexUse>& uses) {
  const RangeOperand input = call.OperandOf("input"), lengths = call.OperandOf("lengths");
  if (!input.tensor || input.tensor->meta.rank() < 2 || !lengths.IsIntegral()) return;
  const RangeMath& math = call.math();
  const size_t dim = call.NumberOf("batch_first") == 1 ? 1 : 0;
  IndexUse use = UseOf(call, lengths, {math.Number(1), math.Of(input.tensor->meta.sizes[dim])}, Limit::kBetween);
  AddUse(call, lengths, use, uses);
}

const std::unordered_map<std::string_view, FindUses>& Table() {
  static const std::unordered_map<std::string_view, FindUses> table = {
      {"embedding", TableRows},
      {"embedding_bag", BagOffsets},
      {"_embedding_bag", BagOffsets},
      {"_embedding_bag_forward_only", BagOffsets},
      {"gather", Gathered},
      {"take_along_dim", TakenModulo},
      {"scatter", Gathered},
      {"scatter_", Gathered},
      {"scatter_add", Gathered},
      {"scatter_add_", Gathered},
      {"scatter_reduce", Gathered},
      {"scatter_reduce_", Gathered},
      {"index_select", Gathered},
      {"index_add", Gathered},
      {"index_add_", Gathered},
      {"index_reduce", Gathered},
      {"index_reduce_", Gathered},
      {"index_copy", Gathered},
      {"index_copy_", Gathered},
      {"index_fill", Filled},
      {"index_fill_", Filled},
      {"index", Indexed},
      {"_unsafe_index", Indexed},
      {"index_put", Indexed},
      {"index_put_", Indexed},
      {"_unsafe_index_put", Indexed},
      {"_index_put_impl_", Indexed},
      {"take", Taken},
      {"put", Taken},
      {"put_", Taken},
      {"nll_loss", Classes},
      {"nll_loss2d", Classes},
      {"nll_loss_nd", Classes},
      {"nll_loss_forward", Classes},
      {"nll_loss2d_forward", Classes},
      {"cross_entropy_loss", Classes},
      {"one_hot", NewClasses},
      {"bincount", Counted},
      {"repeat_interleave", Repeated},
      {"ctc_loss", Lengths},
      {"_ctc_loss", Lengths},
      {"select", Selected},
      {"narrow", Narrowed},
      {"_pack_padded_sequence", SequenceLengths},
  };
  return table;
}

}  // namespace

std::vector<std::string_view> OperatorsWithIndices() {
  std::vector<std::string_view> ops;
  for (const auto& [op, find] : Table()) ops.push_back(op);
  return ops;
}

FindUses FindIndexUses(std::string_view op) {
  const auto it = Table().find(op);
  return it == Table().end() ? nullptr : it->second;
}

ValueRange DemandOf(const IndexUse& use) {
  ValueRange demand;
  const auto shifted = [&](Sym end) { return end ? Subtract(end, end->arena->Integer(use.range.shift)) : nullptr; };
  demand.low.at = shifted(use.least);
  demand.high.at = shifted(use.greatest);
  return demand;
}

}  // namespace fakeprop
