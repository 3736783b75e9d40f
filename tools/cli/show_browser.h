// `show --interactive`: a graph's modules and nodes in the terminal, to unfold and to search.
#pragma once

#include <string>

#include "lib/interpreter/annotations.h"

namespace fakeprop::cli {

// Takes the terminal until the user leaves. Returns why it cannot be used, or an empty text.
std::string BrowseGraph(const Graph& graph, const Annotations& annotations);

}  // namespace fakeprop::cli
