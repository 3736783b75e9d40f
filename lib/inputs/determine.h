// Evaluates recorded sizes with the values that the spec gives to their symbols.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/inputs/declare.h"
#include "lib/inputs/spec.h"
#include "lib/symbolic/expression.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

class SizeDeterminer {
 public:
  // Symbols without a value stay symbols of `env`. With a null `env` they are errors.
  SizeDeterminer(
      const Graph& graph, const SymbolValues& symbols, std::string_view file, DiagnosticSink& sink, ShapeEnv* env)
      : graph_(graph), symbols_(symbols), file_(file), sink_(sink), env_(env), bindings_{symbols, {}} {}

  SymbolBindings& bindings() { return bindings_; }

  // A size that the spec gives. Throws SpecError if it names an undeclared symbol, or if symbols are not allowed.
  Dim Given(const SpecSize& size) const;

  // A recorded size of an input. If a symbol has no value, adds a diagnostic and returns 0. Messages call the size
  // `what`, such as "dimension 0".
  Dim Determine(const RecordedSize& size, const Slot& slot, std::string_view what);

  // The expression, if it keeps symbols; else null.
  Sym TrySymbolic(std::string_view expression) const;

  // The number that an expression gives. If a symbol has no value, adds a diagnostic and returns nothing.
  std::optional<Number> DetermineNumber(std::string_view expression, const Slot& slot, std::string_view what);

  // Adds a diagnostic about an input. Its place is the input's entry in the spec, if there is one, else its node.
  void ReportAt(const Slot& slot, Code code, std::string message);

 private:
  const Graph& graph_;
  const SymbolValues& symbols_;
  std::string_view file_;
  DiagnosticSink& sink_;
  ShapeEnv* env_;
  SymbolBindings bindings_;
  std::vector<std::string> reported_;  // symbols that have a diagnostic; a symbol gets only one
};

}  // namespace fakeprop
