// Runs one call of an operator with a schema, and applies its effects to the objects of the run.
#pragma once

#include "lib/interpreter/call_site.h"
#include "lib/meta/call_arguments.h"

namespace fakeprop {

// Serves the call by the first of these that there is: a rule of the user, our rule, LibTorch. Applies the effects and
// returns the operator's result. Autocast may replace arguments. Throws OpError.
Value CallOperator(const CallSite& site, const ServedOperator& op, CallArguments& arguments);

}  // namespace fakeprop
