// A graph as a table for people.
#pragma once

#include <string>

#include "lib/diag/color.h"
#include "lib/interpreter/propagate.h"

namespace fakeprop::cli {

struct ShowOptions {
  bool parameters = false;  // a row for each parameter and buffer, instead of one for all
  size_t width = 0;         // columns of the terminal, 0 for no limit
  Paint paint;
};

std::string Show(const Graph& graph, const Annotations& annotations, const ShowOptions& options);

// "312 B", "1.5 MiB".
std::string BytesText(int64_t bytes);

}  // namespace fakeprop::cli
