// Annotations over symbols at given sizes, without the graph.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lib/diag/diagnostic.h"
#include "lib/symbolic/expression.h"

namespace fakeprop {

struct Refined {
  std::string text;         // annotations again (fakeprop.annotations/1)
  bool has_errors = false;  // some node of them has an error
};

// Puts numbers in the place of symbols, checks ranges and guards, and evaluates every expression of `text`
// (annotations, fakeprop.annotations/1). Symbols without a value, given or by a guard that equates them with others,
// stay symbols, and guards over them stay guards. `file`: for messages. Adds diagnostics and gives nothing where the
// text is no annotations, a name is wrong, or the values are none that the annotations hold for.
std::optional<Refined> RefineAnnotations(
    std::string_view text, std::string_view file, const SymbolValues& given, DiagnosticSink& sink);

}  // namespace fakeprop
