// Expressions over symbols as graph files spell them: SymPy's srepr ("Mul(Integer(8), Symbol('s39', integer=True))")
// and its str ("8*s39"). These functions read, evaluate and print them. They simplify nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fakeprop {

// An integer, or a floating-point number.
struct Number {
  bool is_integer = true;
  int64_t integer = 0;
  double real = 0;

  static Number Of(int64_t value) { return {true, value, static_cast<double>(value)}; }
  static Number Of(double value) { return {false, 0, value}; }
  // The integer that it is equal to; nothing for 0.5, or for a float beyond 2**53.
  std::optional<int64_t> AsInteger() const;
};

struct Expression {
  enum class Kind { kNumber, kSymbol, kCall } kind = Kind::kNumber;
  Number number;
  std::string name;  // a symbol's, or a function's: "Add", "FloorDiv"
  std::vector<Expression> arguments;

  bool IsSymbol() const { return kind == Kind::kSymbol; }
};

// Reads either spelling. Returns nothing if the text is not an expression.
std::optional<Expression> ParseExpression(std::string_view text);

using SymbolValues = std::map<std::string, int64_t, std::less<>>;

// The value; nothing if a symbol has no value, a function is unknown, or the result leaves int64 or is undefined.
// Source of the functions: torch/utils/_sympy/functions.py (torch 2.13).
std::optional<Number> Evaluate(const Expression& expression, const SymbolValues& values);

// The symbols of the expression that have no value in `values`, each once, in the order of their first use.
std::vector<std::string> UnknownSymbols(const Expression& expression, const SymbolValues& values);

// The expression as messages show it: "8*s39 + 1".
std::string ToString(const Expression& expression);

}  // namespace fakeprop
