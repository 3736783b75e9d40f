// What operators make of the ranges of their arguments: a function for each operator, by its name without "aten::" and
// overload. An operator without one gives any number of its dtype.
#pragma once

#include <string_view>
#include <vector>

#include "lib/value_ranges/index_use.h"
#include "lib/value_ranges/range_call.h"

namespace fakeprop {

// The name by which functions are found: "add" of the target "torch.ops.aten.add.Tensor", or of the operator's schema.
// Empty for other targets, and for operators of other libraries.
std::string_view AtenWord(std::string_view target);
std::string_view AtenWord(const Schema& schema);

// Gives ranges to results of the call. May throw OpErrors, after which all results are any number.
using RangeTransfer = void (*)(RangeCall& call);

// Null if there is none. `add_` has that of `add`.
RangeTransfer FindRangeTransfer(std::string_view op);

// All operators that have one, in any order.
std::vector<std::string_view> OperatorsWithTransfer();

// Adds the uses of the call, and gives its results their ranges. Either function may be null. Returns true if the
// results have ranges.
bool RunTransfer(RangeCall& call, RangeTransfer transfer, FindUses find_uses, std::vector<IndexUse>& uses);

}  // namespace fakeprop
