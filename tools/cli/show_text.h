// The rows of `show` as a table, as JSON (format fakeprop.show/1; docs/show.schema.json) and as CSV.
#pragma once

#include <string>
#include <vector>

#include "lib/diag/color.h"
#include "tools/cli/show_rows.h"

namespace fakeprop::cli {

struct ShowOptions {
  std::vector<std::string> columns;  // of ShowColumns(), in this order; empty for all that fit
  ShowFilter filter;
  ValuesTextOf values;      // null: there is no column of values
  bool parameters = false;  // a row for each parameter and buffer, instead of one for all
  size_t width = 0;         // columns of the terminal, 0 for no limit
  Paint paint;
};

std::string ShowTable(const Graph& graph, const Annotations& annotations, const ShowOptions& options);
std::string ShowJson(const Graph& graph, const Annotations& annotations, const ShowOptions& options);
std::string ShowCsv(const Graph& graph, const Annotations& annotations, const ShowOptions& options);

}  // namespace fakeprop::cli
