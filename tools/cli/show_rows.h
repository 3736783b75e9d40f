// What `show` says about a graph, before it is laid out: a row for each node.
#pragma once

#include <cstdint>
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
  // Of a value. Of a list or another thing that is no tensor, `shape` has it in words.
  std::string shape, dtype, device;
  std::optional<int64_t> bytes;  // at the symbols' hints; sizes that data decides count as 0
  std::string storage_of;        // the node that returned this storage first, where that is another one
  std::string module;            // the innermost: "encoder.layers.0.fc1"
  std::string message;           // of an error, or of why the node was skipped
};

// Sums over the parameters, buffers or constants of a graph.
struct StateTotals {
  std::string name;  // "3 parameters"
  int64_t elements = 0, bytes = 0;
  std::string dtype, device;  // "mixed" where they differ
};

struct ShowRows {
  std::vector<StateTotals> state;
  std::vector<ShowRow> rows;  // of nodes, parameters among them, in the order of the graphs
  int64_t result_bytes = 0;   // of the storages that nodes made
};

ShowRows MakeShowRows(const Graph& graph, const Annotations& annotations);

// "312 B", "1.5 MiB".
std::string BytesText(int64_t bytes);

}  // namespace fakeprop::cli
