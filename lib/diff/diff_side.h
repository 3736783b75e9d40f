// One of the two things that a diff compares: annotations, with what their graph says of each node if it is at hand.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fakeprop/diagnostic.h"
#include "lib/graph/graph.h"
#include "lib/json/json_tree.h"

namespace fakeprop {

struct DiffNode {
  std::string_view name, op, target;
  JsonValue entry;                  // the node in the annotations
  std::optional<JsonValue> value;   // none if the node failed or was skipped
  std::string outcome;              // why there is none: "error ShapeMismatch", "skipped"
  std::string module;               // "encoder.layers.0.fc1"; empty if it is not known
  std::optional<PythonFrame> line;  // of the user's Python, from the graph
  std::string place;                // in the graph's file
  std::vector<int32_t> inputs;      // the nodes of the same graph that it reads, from the graph
};

struct DiffGraph {
  std::string path;  // "" for the outermost graph, "true_graph_0"
  std::string call;  // of a later run of a subgraph: the node that called it
  std::vector<DiffNode> nodes;
};

struct DiffSide {
  std::string name;  // of the file
  std::shared_ptr<const JsonTree> tree;
  std::vector<DiffGraph> graphs;          // the outermost first
  std::map<int64_t, JsonValue> storages;  // by id
  bool has_graph = false;                 // modules, lines and inputs are known
  bool has_errors = false;

  JsonValue root() const { return tree->root(); }
};

// Reads annotations (fakeprop.annotations/1). Messages call the file `name`. Any other text adds a diagnostic, and
// nothing is returned.
std::optional<DiffSide> ReadDiffSide(std::string_view annotations, const std::string& name, DiagnosticSink& sink);

// Adds what the graph of the annotations says of its nodes.
void AddGraphFacts(const Graph& graph, DiffSide& side);

}  // namespace fakeprop
