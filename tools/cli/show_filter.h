// Selects the rows of a graph that `show` prints.
#pragma once

#include <string>

namespace fakeprop::cli {

struct ShowRow;

// A row must match every part that is set.
struct ShowFilter {
  std::string module;  // this module and those in it; a pattern if it has `*`, `?` or `[`
  std::string op;      // operators whose name contains this; or a pattern, as above
  bool errors = false;

  bool IsSet() const { return !module.empty() || !op.empty() || errors; }
  bool Has(const ShowRow& row) const;
};

// Returns true if the path is this module or in it, or fits it as a pattern with `*`, `?` or `[`.
bool IsInModule(const std::string& path, const std::string& module);

}  // namespace fakeprop::cli
