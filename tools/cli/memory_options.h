// What `fakeprop memory` is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fakeprop::cli {

// Values of a symbol: --table batch=1,2,4.
using SizeColumn = std::pair<std::string, std::vector<int64_t>>;

struct MemoryOptions {
  size_t free = 0;                       // --free: FreeWhen, as the words of the option
  std::vector<std::string> max_symbols;  // --max; empty for none
  std::optional<int64_t> budget;         // --budget: bytes
  std::vector<SizeColumn> table;         // --table
  int64_t top = 10;                      // --top: how many values are listed
  bool plot = false;                     // --plot
};

}  // namespace fakeprop::cli
