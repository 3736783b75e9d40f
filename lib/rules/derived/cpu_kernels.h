// Dtypes for which an operator's CPU kernel is not compiled, although its rule serves them: other devices have kernels.
#pragma once

#include "lib/rules/rule_table.h"

namespace fakeprop {

// Throws an OpError of class DtypeMismatch if the call is on the cpu, whose kernel for the row's operator does not
// compute in the dtype of its tensors.
void RequireCpuKernel(const RuleRow& row, const Call& call);

}  // namespace fakeprop
