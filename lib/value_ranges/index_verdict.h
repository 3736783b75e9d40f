// What ranges say about a use of indices, and how operators' uses are put together.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lib/value_ranges/index_use.h"

namespace fakeprop {

// Fills in the verdict. `no_indices`: there are no indices. `unchecked`: some kernels look at no index. Null if that is
// never so.
void Judge(IndexUse& use, Sym no_indices, const RangeMath& math, Sym unchecked = nullptr);

// Either condition; null is none.
Sym EitherOf(Sym a, Sym b);

// Whether the tensor is empty, apart from dimension `beside`; null if it never is.
Sym IsEmpty(const Tensor& tensor, const RangeMath& math, int64_t beside = -1);

// The indices that are allowed; null: no limit.
struct Allowed {
  Sym least = nullptr, greatest = nullptr;
};
inline Allowed FromZero(const RangeMath& math, Sym count) { return {math.Number(0), Subtract(count, math.Number(1))}; }
inline Allowed FromZero(const RangeMath& math, Dim count) {
  if (const std::optional<int64_t> number = count.TryNumber()) return {math.Number(0), math.Number(*number - 1)};
  return FromZero(math, math.Of(count));
}
// Negative indices count from the end.
inline Allowed FromEnds(const RangeMath& math, Sym count) {
  return {fakeprop::Scale(count, -1), Subtract(count, math.Number(1))};
}
inline Allowed FromEnds(const RangeMath& math, Dim count) {
  if (const std::optional<int64_t> number = count.TryNumber()) return {math.Number(-*number), math.Number(*number - 1)};
  return FromEnds(math, math.Of(count));
}

IndexUse UseOf(const RangeCall& call, const RangeOperand& indices, const Allowed& allowed, IndexUse::Limit limit);

// Adds the use, with its verdict. Some kernels check no index if the result is empty because the table is, in another
// dimension than the indexed one.
void AddUse(const RangeCall& call, const RangeOperand& indices, IndexUse use, std::vector<IndexUse>& uses,
    Sym is_table_empty = nullptr);

// The elements of the argument have to be 0 or more.
void AddNotNegative(const RangeCall& call, ArgumentName argument, std::vector<IndexUse>& uses);

// The operators that use indices, by subject.
struct UseRow {
  std::string_view op;
  FindUses find;
};
std::span<const UseRow> TableUses();
std::span<const UseRow> LengthUses();

}  // namespace fakeprop
