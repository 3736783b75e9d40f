// One call of an operator with a schema: who serves it, and its effects on the objects of the run.
#pragma once

#include "lib/interpreter/call_site.h"
#include "lib/meta/call_arguments.h"

namespace fakeprop {

// Serves the call by the first of: a rule of the user's, ours, LibTorch; applies the effects, and gives what the
// operator returns. Autocast may replace arguments. Throws OpError.
Value CallOperator(const CallSite& site, const ServedOperator& op, CallArguments& arguments);

}  // namespace fakeprop
