// The streams that a run prints to, and their properties.
#pragma once

#include <cstddef>
#include <ostream>

#include "fakeprop/diagnostic.h"
#include "lib/diag/color.h"
#include "tools/cli/command_line_options.h"

namespace fakeprop::cli {

struct Console {
  std::ostream& out;  // results
  std::ostream& err;  // messages
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool no_color = false;  // the environment asks for none
  size_t width = 0;       // columns of the terminal that `out` is; 0 for no limit

  Paint OutPaint(When color) const { return MakePaint(color, out_is_terminal); }
  Paint ErrPaint(When color) const { return MakePaint(color, err_is_terminal); }

  // Prints diagnostics on `err`.
  void Report(const std::vector<Diagnostic>& diagnostics, When color) const;

 private:
  Paint MakePaint(When color, bool is_terminal) const;
};

}  // namespace fakeprop::cli
