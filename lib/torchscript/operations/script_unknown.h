// Operators that are given a Scalar or float that depends on data. Where it changes data alone (a factor, a fill value,
// a probability), a number stands in for it. Where it decides sizes, strides or a dtype, the call is an error.
#pragma once

#include <functional>
#include <vector>

#include "lib/higher_order/higher_order.h"

namespace fakeprop {

using RunOnValues = std::function<Value(const std::vector<Value>& arguments)>;

// Runs the operator with a number in the place of each unknown one. Before that it runs on several numbers with copies
// of the tensors that it writes to: an OpError of class DataDependentOutput names the argument whose number shows in
// the result's metadata. Nothing is known of the result's elements.
Value RunWithUnknown(HigherOrderCall& call, const Schema& schema, std::vector<Value> arguments, const RunOnValues& run);

}  // namespace fakeprop
