#include "lib/value_ranges/index_verdict.h"

namespace fakeprop {
namespace {

using Verdict = IndexUse::Verdict;

// What the ranges say about one end of the indices.
struct EndVerdict {
  Verdict verdict = Verdict::kUnknown;
  Sym holds = nullptr;
};

// `inside` holds if the end is not out of range; null if nothing is known.
EndVerdict JudgeEnd(const ValueEnd& end, Sym inside, bool all_are_outside, Sym empty, const RangeMath& math) {
  if (all_are_outside && !empty) return {Verdict::kFails};
  if (!inside || !end.met.by_one) return {};
  const bool by_choice = end.met.when != Met::kInAllRuns;
  if (math.Holds(Not(inside)) && !empty) return {by_choice ? Verdict::kFailsForSome : Verdict::kFails};
  return {Verdict::kFailsForSome, empty ? Or(inside, empty) : inside};
}

EndVerdict JudgeHigh(const IndexUse& use, Sym empty, const RangeMath& math) {
  if (!use.greatest) return {Verdict::kSafe};
  const ValueEnd &low = use.range.low, &high = use.range.high;
  if (math.IsAtMost(high.at, use.greatest)) return {Verdict::kSafe};
  const bool all_are_above = low.at && math.Holds(Less(use.greatest, low.at));
  return JudgeEnd(high, high.at ? AtMost(high.at, use.greatest) : nullptr, all_are_above, empty, math);
}

EndVerdict JudgeLow(const IndexUse& use, Sym empty, const RangeMath& math) {
  if (!use.least) return {Verdict::kSafe};
  const ValueEnd &low = use.range.low, &high = use.range.high;
  if (math.IsAtMost(use.least, low.at)) return {Verdict::kSafe};
  const bool all_are_below = high.at && math.Holds(Less(high.at, use.least));
  return JudgeEnd(low, low.at ? AtMost(use.least, low.at) : nullptr, all_are_below, empty, math);
}

bool Fails(const EndVerdict& end) { return end.verdict == Verdict::kFails || end.verdict == Verdict::kFailsForSome; }

}  // namespace

void Judge(IndexUse& use, Sym no_indices, const RangeMath& math, Sym unchecked) {
  if (no_indices && math.Holds(no_indices)) {
    use.verdict = Verdict::kSafe;
    return;
  }
  if (unchecked && math.Holds(unchecked)) use.range.low.met = use.range.high.met = {};
  const Sym empty = EitherOf(no_indices, unchecked);
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

Sym EitherOf(Sym a, Sym b) { return a && b ? Or(a, b) : a ? a : b; }

Sym IsEmpty(const Tensor& tensor, const RangeMath& math, int64_t beside) {
  Sym empty = nullptr;
  for (int64_t d = 0; d < tensor.meta.rank(); ++d) {
    if (tensor.meta.sizes[d].TryNumber().value_or(0) > 0) continue;
    const Sym is_zero = Equal(math.Of(tensor.meta.sizes[d]), math.Number(0));
    if (d != beside && !math.Holds(Not(is_zero))) empty = EitherOf(empty, is_zero);
  }
  return empty;
}

IndexUse UseOf(const RangeCall& call, const RangeOperand& indices, const Allowed& allowed, IndexUse::Limit limit) {
  IndexUse use;
  use.limit = limit;
  use.node = call.index();
  use.index = indices.node;
  use.range = indices.range;
  use.least = allowed.least;
  use.greatest = allowed.greatest;
  return use;
}

void AddUse(
    const RangeCall& call, const RangeOperand& indices, IndexUse use, std::vector<IndexUse>& uses, Sym is_table_empty) {
  Judge(use, IsEmpty(*indices.tensor, call.math()), call.math(), is_table_empty);
  if (uses.empty()) uses.reserve(8);
  uses.push_back(std::move(use));
}

void AddNotNegative(const RangeCall& call, ArgumentName argument, std::vector<IndexUse>& uses) {
  const RangeOperand counts = call.OperandOf(argument);
  if (!counts.IsIntegral()) return;
  AddUse(call, counts, UseOf(call, counts, {call.math().Number(0)}, IndexUse::Limit::kNotNegative), uses);
}

}  // namespace fakeprop
