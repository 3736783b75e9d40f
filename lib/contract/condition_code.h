// Conditions over symbols as expressions of C++ and of Python.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "lib/symbolic/node.h"

namespace fakeprop {

enum class CodeLanguage { kCpp, kPython };

// A text in quotes, for either language. No byte of it can end the literal or start an escape of its own.
std::string CodeLiteral(CodeLanguage language, std::string_view text);

// An integer as an operand: "Int(5)" in C++, where arithmetic has to notice results beyond 64 bits.
std::string CodeInteger(CodeLanguage language, int64_t value);

// The expression over s[0], s[1] ..., whose positions are by name. The functions are those of code_runtime.h. Nothing
// if it has floats, or a symbol without a position.
std::optional<std::string> CodeOf(CodeLanguage language, Sym node, const std::map<std::string, size_t>& positions);

// The names of the symbols of an expression.
std::set<std::string> SymbolsIn(Sym node);

}  // namespace fakeprop
