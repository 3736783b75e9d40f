// Formulas of operators whose work is no multiple of their number of elements.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "lib/cost/counted_call.h"

namespace fakeprop {

using FlopFormula = std::optional<Dim> (*)(const CountedCall&);

struct FlopRow {
  std::string_view op;  // "aten::mm", for all overloads
  FlopFormula formula;
  bool in_flop_counter = false;  // torch.utils.flop_counter counts it, itself or by its decomposition
};

std::span<const FlopRow> FlopFormulas();

}  // namespace fakeprop
