// Dtypes for which an operator's CPU kernel is not compiled, although its rule serves them: other devices have kernels.
#pragma once

#include <span>
#include <string_view>

#include "lib/rules/rule_table.h"

namespace fakeprop {

// Throws an OpError of class DtypeMismatch if the call is on the cpu, whose kernel for the row's operator does not
// compute in the dtype of its tensors, quantized ones included.
void RequireCpuKernel(const RuleRow& row, const Call& call);

// The operators without a CPU kernel for quantized tensors, sorted.
std::span<const std::string_view> WithoutQuantizedKernel();

}  // namespace fakeprop
