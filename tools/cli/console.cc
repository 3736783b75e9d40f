#include "tools/cli/console.h"

#include "lib/diag/render_text.h"

namespace fakeprop::cli {

void Console::Report(const std::vector<Diagnostic>& diagnostics, When color) const {
  for (size_t i = 0; i < diagnostics.size(); ++i) err << (i ? "\n" : "") << RenderText(diagnostics[i], ErrPaint(color));
}

Paint Console::MakePaint(When color, bool is_terminal) const {
  return {color == When::kAlways || (color == When::kAuto && is_terminal && !no_color)};
}

}  // namespace fakeprop::cli
