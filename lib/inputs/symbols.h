// The values that concrete shapes give to the symbols of a graph that was recorded as dynamic.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/graph/graph.h"
#include "lib/inputs/spec.h"
#include "lib/symbolic/expression.h"

namespace fakeprop {

// The value of the one unknown symbol, where the expression grows with it in equal steps (`s0`, `8*s0`, `2*s0 + 1`).
// `impossible`: it does, but never reaches the number.
std::optional<int64_t> SolveLinear(
    const Expression& expression, const std::string& symbol, SymbolValues values, int64_t number, bool& impossible);

class SymbolBinder {
 public:
  explicit SymbolBinder(const Graph& graph) : graph_(graph) {}

  // Finds the symbols that follow from the numbers which the spec gives. Throws SpecError where two places disagree or
  // a symbol leaves its range.
  void Bind(const std::vector<Slot>& slots);

  // Finds the values that the graph recorded as hints of its inputs' sizes; what does not fit together is left out.
  void BindHints(const std::vector<Slot>& slots);

  const SymbolValues& values() const { return values_; }

 private:
  struct Equation {
    Expression expression;
    int64_t number;
    JsonValue json;
    std::string what;
  };

  void EquateTensor(const Slot& slot);
  void EquateNumber(const Slot& slot);
  // The graph recorded `expression` where the spec gives `number`, at `json`. `what`: "dimension 0 of `x`".
  void Equate(std::string_view expression, int64_t number, JsonValue json, std::string what);
  void Solve();
  bool SolveFor(const Equation& equation);
  void CheckEquation(const Equation& equation) const;
  void CheckRange(std::string_view spelling, const SymbolRange& range) const;
  // "`s77` is 4 by dimension 0 of `x`".
  std::string Explain(const Expression& expression) const;

  const Graph& graph_;
  std::vector<Equation> equations_;
  bool hints_only_ = false;  // nothing that a user wrote: what does not fit is passed over
  SymbolValues values_;
  std::map<std::string, const Equation*, std::less<>> sources_;  // where a symbol has its value from
};

}  // namespace fakeprop
