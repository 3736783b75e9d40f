// Evaluates sizes with the meanings of their symbols.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/inputs/slots.h"
#include "lib/inputs/symbol_meanings.h"
#include "lib/meta/dim.h"
#include "lib/symbolic/expression.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

class SizeEvaluator {
 public:
  // With a null `env`, symbols without a number are errors. `file` is the spec. All of these must outlive the
  // SizeEvaluator.
  SizeEvaluator(
      const Graph& graph, const SymbolMeanings& meanings, std::string_view file, DiagnosticSink& sink, ShapeEnv* env)
      : graph_(graph), meanings_(meanings), file_(file), sink_(sink), env_(env) {}

  // A size that the spec gives. Throws SpecError if it names an undeclared symbol, is no size, or has symbols without
  // an `env`.
  Dim EvaluateGiven(const SpecSize& size) const;

  // A recorded size of an input. If a symbol has no value, adds a diagnostic and returns 0. Messages call the size
  // `what`, such as "dimension 0".
  Dim EvaluateRecorded(const RecordedSize& size, const Slot& slot, std::string_view what);

  // The expression over symbols of `env`. Null if it is a number, or without an `env`.
  Sym TryEvaluateSymbolic(std::string_view expression) const;

  // The number that an expression gives. If a symbol has no value, adds a diagnostic and returns nothing.
  std::optional<Number> EvaluateNumber(std::string_view expression, const Slot& slot, std::string_view what);

  // Adds a diagnostic about an input. Its place is the input's entry in the spec, if there is one, else its node.
  void ReportAt(const Slot& slot, Code code, std::string message);

 private:
  const Graph& graph_;
  const SymbolMeanings& meanings_;
  std::string_view file_;
  DiagnosticSink& sink_;
  ShapeEnv* env_;
  std::vector<std::string> reported_;  // symbols that have a diagnostic; a symbol gets only one
};

}  // namespace fakeprop
