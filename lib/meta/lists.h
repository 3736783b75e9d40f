// Lists of sizes as values of a graph.
#pragma once

#include <initializer_list>

#include "lib/meta/value.h"

namespace fakeprop {

List IntListOf(DimSpan dims);
inline List IntListOf(std::initializer_list<Dim> dims) { return IntListOf(DimSpan(dims.begin(), dims.size())); }

// As a torch.Size is one.
List IntTupleOf(DimSpan dims);

}  // namespace fakeprop
