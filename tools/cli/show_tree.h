// The modules of a graph with their sums, for `show --tree`: as a table, as JSON (docs/show.schema.json) and as CSV.
#pragma once

#include <string>

#include "tools/cli/module_tree.h"
#include "tools/cli/show_text.h"

namespace fakeprop::cli {

struct TreeOptions {
  size_t depth = 2;    // levels of modules below the graph, or below the module of the filter
  std::string module;  // only this module and those in it; also a pattern; empty for all
  size_t width = 0;    // columns of the terminal, 0 for no limit
  Paint paint;
};

// Neighbours of one class with the same sums are one row.
std::string TreeTable(const Graph& graph, const Annotations& annotations, const TreeOptions& options);
std::string TreeJson(const Graph& graph, const Annotations& annotations, const TreeOptions& options);
std::string TreeCsv(const Graph& graph, const Annotations& annotations, const TreeOptions& options);

}  // namespace fakeprop::cli
