#include "lib/inputs/choose_hint.h"

#include <algorithm>
#include <iterator>

#include "lib/inputs/solve_symbols.h"

namespace fakeprop {
namespace {

// The hints of symbols for which the spec gives none. They are odd and all different, so that they equal no other size.
constexpr int64_t kHints[] = {13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59};

// A size that the symbol may have: `wanted`, or one near it.
int64_t SizeNear(const SpecSymbol& symbol, int64_t wanted) {
  const int64_t max = symbol.max.value_or(INT64_MAX);
  int64_t size = wanted < symbol.min ? (symbol.min > INT64_MAX - wanted ? symbol.min : symbol.min + wanted) : wanted;
  size = std::min(size, max);
  size -= size % symbol.multiple;
  return size < symbol.min ? size + symbol.multiple : size;
}

bool IsSize(const SpecSymbol& symbol, int64_t size) {
  return size >= symbol.min && size <= symbol.max.value_or(INT64_MAX) && size % symbol.multiple == 0;
}

std::optional<int64_t> RecordedHint(const std::string& symbol, const SpecSize& given, const RecordedSize& recorded) {
  const std::optional<int64_t> hint = recorded.expression.empty() ? recorded.number : recorded.hint;
  if (given.expression.empty() || !hint) return std::nullopt;
  const std::optional<Expression> expression = ParseExpression(given.expression);
  if (!expression || UnknownSymbols(*expression, {}) != std::vector{symbol}) return std::nullopt;
  bool impossible = false;
  return SolveLinear(*expression, symbol, {}, *hint, impossible);
}

}  // namespace

int64_t ChooseHint(
    const SpecSymbol& symbol, size_t index, const SymbolValues& recorded, const std::vector<Slot>& slots) {
  if (symbol.hint) return *symbol.hint;
  if (auto it = recorded.find(symbol.name); it != recorded.end() && IsSize(symbol, it->second)) return it->second;
  for (const Slot& slot : slots)
    for (size_t d = 0; d < DimensionsOf(slot); ++d)
      if (auto hint = RecordedHint(symbol.name, (*slot.entry->shape)[d], slot.tensor->sizes[d]);
          hint && IsSize(symbol, *hint))
        return *hint;
  return SizeNear(symbol, kHints[index % std::size(kHints)]);
}

}  // namespace fakeprop
