// The sums that decide a maximum over symbols.
#pragma once

#include <vector>

#include "lib/memory/byte_basis.h"

namespace fakeprop {

class ShapeEnv;

// The sums of which each is the greatest for some values of the symbols within their ranges. A sum that another one
// bounds for all such values is left out. The result is sorted and has each sum once.
std::vector<ByteSum> GreatestSums(std::vector<ByteSum> sums, const ByteBasis& basis, ShapeEnv& env);

}  // namespace fakeprop
