// The symbols and guards of a file of annotations, with numbers in the place of symbols.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/diag/diagnostic.h"
#include "lib/json/json_tree.h"
#include "lib/symbolic/build.h"
#include "lib/symbolic/expression.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

class RefinedSymbols {
 public:
  RefinedSymbols(JsonValue root, std::string_view file, DiagnosticSink& sink) : root_(root), file_(file), sink_(sink) {}

  // Takes the values; what is wrong with them goes to the sink. Throws JsonError where the file is malformed.
  void Set(const SymbolValues& given);

  bool IsSet(std::string_view symbol) const { return values_.contains(symbol); }

  // The value of an expression: a constant, or an expression over the symbols without a number. Throws JsonError, and
  // OpError where it is undefined or beyond 64 bits.
  Sym Evaluate(JsonValue expression);

  // The guard's expression, for as long as it is not known to hold; null once it is.
  Sym Remaining(JsonValue guard);

 private:
  void CheckNames(const SymbolValues& given);
  void Declare();
  void SetValue(const std::string& symbol, int64_t value);
  // Symbols that guards make equal to a number once others have one.
  void Derive();
  std::optional<std::pair<Sym, int64_t>> TrySolve(const Expression& equality);
  bool IsViolated(JsonValue guard);
  void CheckSymbol(JsonValue symbol);
  void CheckGuard(JsonValue guard);
  Diagnostic At(Code code, JsonValue at) const;
  void Report(Code code, std::string message, JsonValue at);

  JsonValue root_;
  std::string_view file_;
  DiagnosticSink& sink_;
  SymbolValues values_;
  Renamed constants_;
  ShapeEnv env_;
  std::unordered_map<std::string_view, Sym> memo_;
};

}  // namespace fakeprop
