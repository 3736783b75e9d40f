#include "lib/schema/differentiability.h"

#include <algorithm>
#include <iterator>

namespace fakeprop {
namespace {

constexpr Differentiability kRows[] = {
#include "lib/schema/differentiability.inc"
};

}  // namespace

const Differentiability* FindDifferentiability(std::string_view full_name, int torch) {
  auto it = std::lower_bound(std::begin(kRows), std::end(kRows), full_name,
      [](const Differentiability& row, std::string_view name) { return row.op < name; });
  for (; it != std::end(kRows) && it->op == full_name; ++it)
    if (it->versions.Has(torch)) return it;
  return nullptr;
}

}  // namespace fakeprop
