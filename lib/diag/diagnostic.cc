#include "fakeprop/diagnostic.h"

#include <algorithm>

namespace fakeprop {

bool DiagnosticSink::HasErrors() const {
  return std::any_of(
      diagnostics_.begin(), diagnostics_.end(), [](const Diagnostic& d) { return d.severity == Severity::kError; });
}

}  // namespace fakeprop
