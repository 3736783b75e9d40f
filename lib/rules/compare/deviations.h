// Where a rule gives something else than LibTorch does without it, on purpose: LibTorch's Meta or composite kernel is
// not what FakeTensorMode or the CPU kernel does.
#pragma once

#include <span>
#include <string_view>

#include "lib/rules/compare/compare_effects.h"

namespace fakeprop {

struct Deviation {
  std::string_view op;  // of the row that serves the call; "*" for all
  unsigned fields;      // the EffectFields that may differ
  std::string_view reason;
};

// Sorted by operator.
std::span<const Deviation> AllDeviations();

// The deviation that explains all of the differences between a rule and LibTorch; null where none does.
const Deviation* ExplainDifferences(std::string_view row_op, std::span<const EffectDifference> differences);

}  // namespace fakeprop
