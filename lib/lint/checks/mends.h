// Says how an error is most likely mended: a transposed operand, a missing batch dimension, the wrong dim of cat ...
#pragma once

#include <vector>

#include "lib/lint/find_differences.h"

namespace fakeprop {

// Adds a note "help: ..." to each error where one cause is likely. `errors` are those of FindErrors.
void AddMends(const LintRun& run, std::vector<Finding>& errors);

}  // namespace fakeprop
