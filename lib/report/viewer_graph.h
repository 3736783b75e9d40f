// A graph as other viewers take it: nodes with texts, the modules that they are in, and edges.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/interpreter/annotations.h"

namespace fakeprop {

struct ViewerNode {
  std::string id;     // "n12", "s1n3" in a subgraph
  std::string name;   // "conv2d_1"
  std::string op;     // "aten.conv2d", "input", "parameter", "output"
  std::string value;  // "f32[2, 3] on cpu", or why there is none
  std::string line;   // "model.py:7"; empty if it is not known
  std::vector<std::string>
      modules;                  // from the outside: {"encoder", "layers.0"}; each without the path of the one before
  std::vector<int32_t> inputs;  // indices into ViewerGraph::nodes
  bool is_state = false;        // a parameter, buffer or constant
  bool has_failed = false;      // an error, or skipped because of one
  const NodeAnnotation* annotation = nullptr;
};

struct ViewerGraph {
  std::vector<ViewerNode> nodes;  // those of subgraphs are in a module with the subgraph's name

  // Edges between nodes that are no state.
  size_t CountEdges() const;
};

// The texts have no control characters. `graph` and `annotations` must outlive the result.
ViewerGraph MakeViewerGraph(const Graph& graph, const Annotations& annotations);

}  // namespace fakeprop
