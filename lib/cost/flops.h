// The floating-point operations of an operator call. A multiply-add is two.
//
// Matrix products, convolutions and attention follow torch/utils/flop_counter.py (torch 2.13). docs/cost.md has the
// formulas of all others.
#pragma once

#include <optional>

#include "lib/cost/counted_call.h"

namespace fakeprop {

// Nothing if there is no formula for the operator. Throws an OpError of class Overflow if the number leaves 64 bits.
std::optional<Dim> CountFlops(const CountedCall& call);

// Returns true if torch.utils.flop_counter counts the operator, itself or by its decomposition.
bool IsInFlopCounter(std::string_view operator_name);

}  // namespace fakeprop
