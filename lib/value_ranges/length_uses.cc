// Operators that use counts, lengths, and places where a part begins.
#include "lib/error/error.h"
#include "lib/value_ranges/index_verdict.h"

namespace fakeprop {
namespace {

using Verdict = IndexUse::Verdict;
using Limit = IndexUse::Limit;

void Counted(const RangeCall& call, std::vector<IndexUse>& uses) { AddNotNegative(call, "self", uses); }

// How many repeats are added up: of one number, which is for all elements, as many as there are elements. Null if it is
// not known whether that is so.
Sym CountOfRepeats(const RangeCall& call, const Tensor& repeats) {
  const RangeMath& math = call.math();
  const Sym count = repeats.meta.rank() == 0 ? math.Number(1) : math.Of(repeats.meta.sizes[0]);
  if (!call.Has("self") || math.Holds(Not(Equal(count, math.Number(1))))) return count;
  const Tensor* self = call.OperandOf("self").tensor;
  if (!self || !math.Holds(Equal(count, math.Number(1)))) return nullptr;
  if (call.IsNone("dim")) return CountOf(*self, math);
  const std::optional<size_t> dim = call.DimensionOf("dim", *self);
  return dim ? math.Of(self->meta.sizes[*dim]) : nullptr;
}

ValueEnd SumOf(const ValueEnd& end, Sym count) {
  return end.at ? ValueEnd{Multiply(end.at, count), end.met.by_all ? end.met : Met()} : ValueEnd();
}

// Returns true if what the repeats add up to is a number of 64 bits.
bool HasSum(const RangeCall& call, const RangeOperand& repeats) {
  if (!repeats.range.high.at) return repeats.range.input >= 0;
  const RangeMath& math = call.math();
  Sym count = CountOfRepeats(call, *repeats.tensor);
  if (!count) count = math.Greatest(CountOf(*repeats.tensor, math), CountOf(*call.OperandOf("self").tensor, math));
  try {
    const ValueRange sum = math.Between(math.Number(0), Multiply(repeats.range.high.at, count));
    return math.Fit(sum, ScalarType::Long).high.at != nullptr;
  } catch (const OpError&) {  // beyond 64 bits for all sizes
    return false;
  }
}

// Repeats that add up to another number than `output_size` make the kernel write beyond the result.
void Repeated(const RangeCall& call, std::vector<IndexUse>& uses) {
  const RangeOperand repeats = call.OperandOf("repeats");
  if (!repeats.IsIntegral()) return;
  const bool has_sum = HasSum(call, repeats);
  AddNotNegative(call, "repeats", uses);
  if (!has_sum && uses.back().verdict == Verdict::kSafe) uses.back().verdict = Verdict::kUnknown;
  const std::optional<Dim> size = call.SizeOf("output_size");
  if (!size || repeats.tensor->meta.rank() > 1) return;
  const RangeMath& math = call.math();
  const Sym count = CountOfRepeats(call, *repeats.tensor), total = math.Of(*size);
  if (!count) return;
  IndexUse use = UseOf(call, repeats, {total, total}, Limit::kSum);
  use.range = {SumOf(repeats.range.low, count), SumOf(repeats.range.high, count)};
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

// At most as long as the rows of targets, or all together as long as the one row of all.
void TargetLengths(const RangeCall& call, std::vector<IndexUse>& uses) {
  const RangeOperand targets = call.OperandOf("targets"), lengths = call.OperandOf("target_lengths");
  if (!targets.tensor || targets.tensor->meta.rank() == 0 || !lengths.IsIntegral()) return;
  const RangeMath& math = call.math();
  IndexUse use = UseOf(call, lengths, {math.Number(0), math.Of(targets.tensor->meta.sizes.back())}, Limit::kBetween);
  if (targets.tensor->meta.rank() == 1) use.range.high = SumOf(use.range.high, CountOf(*lengths.tensor, math));
  AddUse(call, lengths, use, uses);
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
  TargetLengths(call, uses);
  PaddedLabels(call, probabilities, uses);
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
  const Sym size = math.Of(self.tensor->meta.sizes[*dim]), least = math.Of(*length);
  IndexUse use = UseOf(call, start, {math.Number(0), Subtract(size, least)}, Limit::kBetween);
  ValueEnd& low = use.range.low;
  // A start that counts from the end has to be as far from it as the part is long.
  const Sym nearest = Scale(least, -1);
  const bool all_count_from_end = math.IsAtMost(use.range.high.at, nearest);
  const bool some_may = !all_count_from_end && (!low.at || !math.Holds(Less(nearest, low.at)));
  if (all_count_from_end) use.least = Scale(size, -1), use.greatest = nearest;
  if (some_may) low.met = {};
  AddUse(call, start, use, uses);
  IndexUse& added = uses.back();
  if (some_may && added.verdict == Verdict::kFails && !added.is_too_large) added.verdict = Verdict::kUnknown;
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

constexpr UseRow kRows[] = {
    {"bincount", Counted},
    {"repeat_interleave", Repeated},
    {"ctc_loss", Lengths},
    {"_ctc_loss", Lengths},
    {"select", Selected},
    {"narrow", Narrowed},
    {"_pack_padded_sequence", SequenceLengths},
};

}  // namespace

std::span<const UseRow> LengthUses() { return kRows; }

}  // namespace fakeprop
