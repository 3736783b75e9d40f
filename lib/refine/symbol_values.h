// The symbols and guards of annotations, once numbers replace some symbols.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fakeprop/diagnostic.h"
#include "lib/json/json_tree.h"
#include "lib/symbolic/build.h"
#include "lib/symbolic/expression.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

class RefinedSymbols {
 public:
  RefinedSymbols(JsonValue root, std::string_view file, DiagnosticSink& sink) : root_(root), file_(file), sink_(sink) {}

  // Sets the values. Mistakes in them become diagnostics. Throws JsonError if the file is malformed.
  void Set(const SymbolValues& given);

  bool IsSet(std::string_view symbol) const { return values_.contains(symbol); }

  // The value of an expression: a constant, or an expression over the symbols that have no number. Throws JsonError, or
  // OpError if the value is undefined or does not fit into 64 bits.
  Sym Evaluate(JsonValue expression);

  // The guard's expression with the numbers, or null if they make it hold.
  Sym Remaining(JsonValue guard);

 private:
  void CheckNames(const SymbolValues& given);
  void Declare();
  void SetValue(const std::string& symbol, int64_t value);
  // Finds the symbols that guards make equal to a number.
  void Derive();
  std::optional<std::pair<Sym, int64_t>> TrySolve(const Expression& equality);
  bool IsViolated(JsonValue guard);
  void CheckSymbol(JsonValue symbol);
  void CheckGuard(JsonValue guard);
  Diagnostic At(Code code, JsonValue at) const;
  void Report(Code code, std::string message, JsonValue at, const std::string& note = {});

  JsonValue root_;
  std::string_view file_;
  DiagnosticSink& sink_;
  SymbolValues values_;
  Renamed constants_;
  ShapeEnv env_;
  std::unordered_map<std::string_view, Sym> memo_;
};

}  // namespace fakeprop
