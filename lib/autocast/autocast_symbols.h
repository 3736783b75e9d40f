// Composite operators under autocast over symbols. LibTorch knows which inner operators autocast casts, but it takes no
// symbols, so it is asked with the hints as sizes. Dtypes do not depend on sizes, so the rule's results get LibTorch's
// dtypes.
#pragma once

#include "lib/rules/core/call.h"

namespace fakeprop {

// Gives the rule's results the dtypes of LibTorch's results. Throws an OpError of class UnsupportedOperator if the two
// have other sizes, strides or kinds at the hints.
void TakeDtypes(const Schema& schema, Effects& by_rule, const Effects& by_parts);

}  // namespace fakeprop
