// Recorded sizes as numbers, with the values that the spec gives to their symbols.
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
  // `env`: where symbols without a value stay symbols; null where they are mistakes.
  SizeDeterminer(
      const Graph& graph, const SymbolValues& symbols, std::string_view file, DiagnosticSink& sink, ShapeEnv* env)
      : graph_(graph), symbols_(symbols), file_(file), sink_(sink), env_(env), bindings_{symbols, {}} {}

  SymbolBindings& bindings() { return bindings_; }

  // A size that the spec gives. Throws SpecError where its symbols are not there, or the graph takes none.
  Dim Given(const SpecSize& size) const;

  // A recorded size of an input; 0 and a diagnostic where its symbols are not determined. `what`: "dimension 0".
  Dim Determine(const RecordedSize& size, const Slot& slot, std::string_view what);

  // The expression where it has symbols that stay, else nothing.
  Sym TrySymbolic(std::string_view expression) const;

  // The same for any expression: a number, or nothing and a diagnostic.
  std::optional<Number> DetermineNumber(std::string_view expression, const Slot& slot, std::string_view what);

  // Adds a diagnostic about an input, at its place in the spec or else in the graph.
  void ReportAt(const Slot& slot, Code code, std::string message);

 private:
  const Graph& graph_;
  const SymbolValues& symbols_;
  std::string_view file_;
  DiagnosticSink& sink_;
  ShapeEnv* env_;
  SymbolBindings bindings_;
  std::vector<std::string> reported_;  // symbols: one diagnostic for each, where it is met first
};

}  // namespace fakeprop
