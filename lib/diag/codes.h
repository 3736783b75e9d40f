// The codes of diagnostics: one table, the headings of docs/diagnostics.md.
#pragma once

#include <span>

#include "lib/diag/diagnostic.h"
#include "lib/meta/error.h"

namespace fakeprop {

// The code of an operator's error: FP3001 for the first class, and so on; FP9001 for our own bugs.
Code CodeOf(ErrorClass error_class);

}  // namespace fakeprop
