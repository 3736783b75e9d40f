// The content of `show` before its layout: a row for each node.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/interpreter/annotations.h"
#include "tools/cli/show_filter.h"

namespace fakeprop::cli {

struct ShowRow {
  enum class Kind { kValue, kError, kSkipped, kState };

  Kind kind = Kind::kValue;
  std::string subgraph;  // the graph that the node is in, empty for the outermost: "true_graph_0, called by cond_1"
  std::string node;
  std::string op;  // "aten.conv2d", "input", "output"
  // The fields of a tensor. For a list or any other value, `shape` describes it in words.
  std::string shape, dtype, device;
  std::optional<int64_t> bytes;  // at the symbols' hints; sizes that depend on data count as 0
  std::string storage_of;        // the node that returned this storage first, if it is another one
  std::string module;            // the innermost: "encoder.layers.0.fc1"
  std::string values;            // where the elements of a tensor of integers lie: "from 0 to s0 - 1"
  std::string message;           // the error, or why the node was skipped
};

// Sums over the parameters, buffers or constants of a graph.
struct StateTotals {
  std::string name;  // "3 parameters"
  int64_t elements = 0, bytes = 0;
  std::string dtype, device;  // "mixed" if they differ
};

struct ShowRows {
  std::vector<StateTotals> state;
  std::vector<ShowRow> rows;  // one for each node, including parameters, in the order of the graphs
  int64_t result_bytes = 0;   // of all storages that nodes made
};

// The text of a node's values; empty where nothing is known.
using ValuesTextOf = std::function<std::string(const GraphAnnotations& graph, const NodeAnnotation& node)>;

// `values` may be null: then rows have none.
ShowRows MakeShowRows(const Graph& graph, const Annotations& annotations, const ValuesTextOf& values);

}  // namespace fakeprop::cli
