// Which rows of a graph `show` shows.
#pragma once

#include <string>

namespace fakeprop::cli {

struct ShowRow;

// Each part that is set must hold.
struct ShowFilter {
  std::string module;  // this module and those in it; a pattern where it has `*`, `?` or `[`
  std::string op;      // operators whose name has this in it; a pattern likewise
  bool errors = false;

  bool IsSet() const { return !module.empty() || !op.empty() || errors; }
  bool Has(const ShowRow& row) const;
};

}  // namespace fakeprop::cli
