// Replaces symbols of annotations by numbers, without the graph.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fakeprop/diagnostic.h"
#include "lib/symbolic/expression.h"

namespace fakeprop {

struct Refined {
  std::string text;         // the new annotations (fakeprop.annotations/1)
  bool has_errors = false;  // true if a node has an error
};

// Replaces symbols of `text` (annotations, fakeprop.annotations/1) by the given numbers, checks ranges and guards, and
// evaluates every expression. A symbol to which a guard then gives a number is replaced too. All other symbols stay,
// and so do the guards over them. Messages call the text `file`. Adds diagnostics and returns nothing if the text is
// not annotations, if a name is unknown, or if the annotations do not hold for the numbers.
std::optional<Refined> RefineAnnotations(
    std::string_view text, std::string_view file, const SymbolValues& given, DiagnosticSink& sink);

}  // namespace fakeprop
