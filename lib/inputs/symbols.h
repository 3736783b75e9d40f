// Finds the values of a graph's symbols from the numbers that the spec gives as sizes.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/graph/graph.h"
#include "lib/inputs/spec.h"
#include "lib/symbolic/expression.h"

namespace fakeprop {

// Solves expression == number for the one unknown symbol. The expression must be linear in it, such as `s0`, `8*s0` or
// `2*s0 + 1`. Sets `impossible` if it is linear but no integer solves the equation.
std::optional<int64_t> SolveLinear(
    const Expression& expression, const std::string& symbol, SymbolValues values, int64_t number, bool& impossible);

class SymbolBinder {
 public:
  explicit SymbolBinder(const Graph& graph) : graph_(graph) {}

  // Finds the symbols that follow from the spec's numbers. Throws SpecError if two places disagree or a symbol is out
  // of its range.
  void Bind(const std::vector<Slot>& slots);

  // Finds the symbols that follow from the hints that the graph recorded. Hints that contradict each other are ignored.
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
  // Adds the equation of a size that the graph recorded as `expression` and the spec gives as `number`, at `json`.
  // Messages call the size `what`, such as "dimension 0 of `x`".
  void Equate(std::string_view expression, int64_t number, JsonValue json, std::string what);
  void Solve();
  bool SolveFor(const Equation& equation);
  void CheckEquation(const Equation& equation) const;
  void CheckRange(std::string_view spelling, const SymbolRange& range) const;
  // For messages: "`s77` is 4 by dimension 0 of `x`".
  std::string Explain(const Expression& expression) const;

  const Graph& graph_;
  std::vector<Equation> equations_;
  bool hints_only_ = false;  // the numbers are hints, not the user's: contradictions are ignored
  SymbolValues values_;
  std::map<std::string, const Equation*, std::less<>> sources_;  // the equation that gave a symbol its value
};

}  // namespace fakeprop
