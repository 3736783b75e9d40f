// A graph in the formats of other viewers.
#pragma once

#include <cstddef>
#include <string>

#include "lib/report/viewer_graph.h"

namespace fakeprop {

// Graphviz, for `dot -Tsvg`: modules are clusters, values stand on the edges. Without parameters, buffers and
// constants.
std::string DotText(const ViewerGraph& graph);

// The most edges that Mermaid draws, and the most characters that it reads (maxEdges and maxTextSize in its
// configuration).
inline constexpr size_t kMostMermaidEdges = 500, kMostMermaidText = 50000;
// A flowchart for Markdown. The graph must have at most kMostMermaidEdges edges.
std::string MermaidText(const ViewerGraph& graph);

// Graph JSON of Model Explorer: a collection with one graph. `label` is the name of the collection and of the graph.
std::string ModelExplorerJson(const ViewerGraph& graph, const std::string& label);

// Node data of Model Explorer, to lay over its picture of that graph: the bytes of each node's tensors at the symbols'
// hints.
std::string ModelExplorerNodeData(const ViewerGraph& graph, const std::string& label);

}  // namespace fakeprop
