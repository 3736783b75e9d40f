// Recorded sizes as numbers, with the values that the spec gives to their symbols.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/inputs/expression.h"
#include "lib/inputs/spec.h"

namespace fakeprop {

class SizeDeterminer {
 public:
  SizeDeterminer(const Graph& graph, const SymbolValues& symbols, std::string_view file, DiagnosticSink& sink)
      : graph_(graph), symbols_(symbols), file_(file), sink_(sink) {}

  // A recorded size of an input; 0 and a diagnostic where its symbols are not determined. `what`: "dimension 0".
  int64_t Determine(const RecordedSize& size, const Slot& slot, std::string_view what);

  // The same for any expression: a number, or nothing and a diagnostic.
  std::optional<Number> DetermineNumber(std::string_view expression, const Slot& slot, std::string_view what);

  // Adds a diagnostic about an input, at its place in the spec or else in the graph.
  void ReportAt(const Slot& slot, Code code, std::string message);

 private:
  const Graph& graph_;
  const SymbolValues& symbols_;
  std::string_view file_;
  DiagnosticSink& sink_;
  std::vector<std::string> reported_;  // symbols: one diagnostic for each, where it is met first
};

}  // namespace fakeprop
