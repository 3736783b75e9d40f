// Composite operators under autocast over symbols. What autocast casts inside is LibTorch's to say, which takes no
// symbols: it is asked with the symbols' hints for sizes. Dtypes do not depend on sizes, so its dtypes are those of the
// rule's results.
#pragma once

#include "lib/rules/core/call.h"

namespace fakeprop {

// Gives the rule's results the dtypes of LibTorch's. Results that are no such pair at the hints (of other sizes,
// strides or kinds) are an OpError of class UnsupportedOperator.
void TakeDtypes(const Schema& schema, Effects& by_rule, const Effects& by_parts);

}  // namespace fakeprop
