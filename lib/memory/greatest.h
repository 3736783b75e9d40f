// The sums that decide a maximum over symbols.
#pragma once

#include <vector>

#include "lib/memory/byte_basis.h"

namespace fakeprop {

class ShapeEnv;

// Leaves out sums that another one bounds for all values of the symbols within their ranges. For all such values, the
// greatest of the result is the greatest of all. Sorted; each sum once.
std::vector<ByteSum> GreatestSums(std::vector<ByteSum> sums, const ByteBasis& basis, ShapeEnv& env);

}  // namespace fakeprop
