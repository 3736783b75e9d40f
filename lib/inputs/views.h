// Inputs that share one storage: `view_of`.
#pragma once

#include <vector>

#include "lib/inputs/inputs.h"
#include "lib/inputs/spec.h"

namespace fakeprop {

// For each input the one at the end of its chain of `view_of`; itself where it is no view. Adds a diagnostic for each
// view of nothing, of itself, or of what is no tensor.
std::vector<int> FindViewBases(
    const Graph& graph, const std::vector<Slot>& slots, std::string_view file, DiagnosticSink& sink);

// Puts the groups into the values: the first input of a group stands for it. Adds a diagnostic for each view whose
// dtype or device is not its base's.
void JoinViews(const std::vector<Slot>& slots, const std::vector<int>& bases, std::string_view file,
    DiagnosticSink& sink, std::vector<InputValue>& values);

}  // namespace fakeprop
