// What an operator's kernels do not take, although its rule serves it: dtypes for which that for the cpu is not
// compiled, and numbers that a dtype does not hold (300 for uint8, -1e9 for float16).
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "lib/rules/rule_table.h"

namespace fakeprop {

// Throws an OpError of class DtypeMismatch if the call is on the cpu, whose kernel for the row's operator does not
// compute in the dtype of its tensors, quantized ones included.
void RequireCpuKernel(const RuleRow& row, const Call& call);

// Throws an OpError of class ValueError if the call gives a number that a kernel converts to a dtype that does not hold
// it. Call it after the row's rule, which states the dtype.
void RequireHeldNumbers(const RuleRow& row, Call& call);

// The operators without a CPU kernel for quantized tensors, sorted.
std::span<const std::string_view> WithoutQuantizedKernel();

// The entries of an operator, the first of `rest` but for those of operators before it: a table sorted by operator,
// walked beside AllRows(). They are taken from `rest`.
template <typename Entry, typename Name>
std::span<const Entry> TakeEntries(std::span<const Entry>& rest, std::string_view op, Name name) {
  size_t begin = 0;
  while (begin < rest.size() && std::invoke(name, rest[begin]) < op) ++begin;
  size_t end = begin;
  while (end < rest.size() && std::invoke(name, rest[end]) == op) ++end;
  const std::span<const Entry> found = rest.subspan(begin, end - begin);
  rest = rest.subspan(end);
  return found;
}

}  // namespace fakeprop
