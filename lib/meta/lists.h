// Lists of sizes as values of a graph.
#pragma once

#include <initializer_list>

#include "lib/meta/value.h"

namespace fakeprop {

List IntListOf(DimSpan dims);
inline List IntListOf(std::initializer_list<Dim> dims) { return IntListOf(DimSpan(dims.begin(), dims.size())); }

// A tuple of ints, as torch.Size is.
List IntTupleOf(DimSpan dims);

}  // namespace fakeprop
