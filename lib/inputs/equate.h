// Equates the sizes that the spec gives as expressions with those that the graph recorded over symbols.
#pragma once

#include <map>
#include <string>

#include "lib/inputs/declare.h"

namespace fakeprop {

// If the recorded size has a symbol without a binding, the equation is solved for it: "8*s39" given as "batch" makes
// s39 `batch//8`, and batch a multiple of 8. Otherwise the equality is declared as a condition.
class Equator {
 public:
  Equator(const Graph& graph, SymbolBindings& bindings, ShapeEnv& env)
      : graph_(graph), bindings_(bindings), env_(env) {}

  // Equates the sizes of one input. Returns false if a recorded symbol must be declared first. Throws SpecError if the
  // equality contradicts itself or an earlier fact.
  bool Equate(const Slot& slot);

  // Assumes the recorded range of a symbol for the expression that it is bound to.
  void HoldRange(const std::string& symbol, Sym is, JsonValue at);

 private:
  bool EquateSize(std::string_view recorded, const SpecSize& given, const std::string& what);
  Sym TryBuild(std::string_view spelling) const;
  Sym Solve(
      const Expression& recorded, const std::string& symbol, Sym given, const SpecSize& at, const std::string& what);
  void Assume(Sym condition, JsonValue at, const std::string& why);
  // For messages: "; `s77` is `batch` by dimension 0 of `x`".
  std::string Origins(const Expression& recorded) const;

  const Graph& graph_;
  SymbolBindings& bindings_;
  ShapeEnv& env_;
  std::map<std::string, std::string> origins_;  // for each bound symbol where its expression comes from
};

}  // namespace fakeprop
