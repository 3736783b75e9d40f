// Writes annotations again, with numbers in place of symbols.
#pragma once

#include <string>

#include "lib/refine/symbol_values.h"

namespace fakeprop {

// Keeps the layout of WriteAnnotations: values without symbols keep their bytes. Throws JsonError if the document is
// malformed or an expression has no value. Sets `has_errors` if a node has an error.
std::string RewriteAnnotations(JsonValue root, RefinedSymbols& symbols, bool& has_errors);

}  // namespace fakeprop
