// How many ranks process groups have, as far as calls in a graph tell.
#pragma once

#include <optional>

#include "lib/interpreter/resolve.h"

namespace fakeprop {

// The `group_size` that a call in the graph or its subgraphs is given beside this `group_name`; nothing where no call
// is, or where they differ.
std::optional<int64_t> FindGroupSize(ResolvedGraphs& resolved, const Graph& root, const Value& group);

}  // namespace fakeprop
