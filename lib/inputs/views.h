// Inputs that share one storage: `view_of`.
#pragma once

#include <vector>

#include "lib/inputs/inputs.h"
#include "lib/inputs/slots.h"

namespace fakeprop {

// For each input the base at the end of its chain of `view_of`; an input that is not a view is its own base. Adds a
// diagnostic for each view of an unknown input, of itself, or of an input that is not a tensor.
std::vector<int> FindViewBases(
    const Graph& graph, const std::vector<Slot>& slots, std::string_view file, DiagnosticSink& sink);

// Sets `view_of` of each value to the first input of its group. Adds a diagnostic for each view whose dtype or device
// is not that of its base.
void JoinViews(const std::vector<Slot>& slots, const std::vector<int>& bases, std::string_view file,
    DiagnosticSink& sink, std::vector<InputValue>& values);

}  // namespace fakeprop
