// Annotations written anew, with numbers in the place of symbols.
#pragma once

#include <string>

#include "lib/refine/symbol_values.h"

namespace fakeprop {

// In the layout of WriteAnnotations: what has no symbols comes out byte for byte. Throws JsonError where the document
// is malformed, or an expression has no value; `has_errors`: whether some node has an error.
std::string RewriteAnnotations(JsonValue root, RefinedSymbols& symbols, bool& has_errors);

}  // namespace fakeprop
