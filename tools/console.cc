#include "tools/console.h"

#include "lib/diag/render_text.h"

namespace fakeprop {

void Console::Report(const std::vector<Diagnostic>& diagnostics, When color) const {
  for (const Diagnostic& d : diagnostics) err << RenderText(d, ErrPaint(color));
}

Paint Console::MakePaint(When color, bool is_terminal) const {
  return {color == When::kAlways || (color == When::kAuto && is_terminal && !no_color)};
}

}  // namespace fakeprop
