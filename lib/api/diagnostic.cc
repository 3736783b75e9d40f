#include "fakeprop/diagnostic.h"

#include "lib/diag/render_text.h"

namespace fakeprop {

std::string ToString(const Diagnostic& diagnostic) { return RenderText(diagnostic); }

std::string ToString(const DiagnosticSink& sink) {
  std::string text;
  for (const Diagnostic& diagnostic : sink.diagnostics()) text += ToString(diagnostic);
  return text;
}

}  // namespace fakeprop
