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

// What is known of an operator; null where nothing is. `add_` has what `add` has, and `view_copy` what `view` has.
struct OperatorRanges {
  RangeTransfer transfer = nullptr;
  FindUses find_uses = nullptr;
};
OperatorRanges FindOperatorRanges(std::string_view op);

// All operators of which something is known, in any order.
std::vector<std::string_view> OperatorsWithRanges();

// Adds the uses of the call, and gives its results their ranges. Returns true if the results have ranges.
bool RunTransfer(RangeCall& call, const OperatorRanges& known, std::vector<IndexUse>& uses);

}  // namespace fakeprop
