// Sizes that the spec gives as expressions where the graph recorded symbols.
#pragma once

#include <map>
#include <string>

#include "lib/inputs/declare.h"

namespace fakeprop {

// Makes the two equal: a recorded symbol that nothing settles yet becomes what the spec's expression makes of it
// ("8*s39" given as "batch" makes s39 `batch//8`, and batch a multiple of 8), else the equality is a condition that is
// declared.
class Equator {
 public:
  Equator(const Graph& graph, SymbolBindings& bindings, ShapeEnv& env)
      : graph_(graph), bindings_(bindings), env_(env) {}

  // The sizes of one input. False where a recorded symbol has to be declared first. Throws SpecError where the two
  // contradict each other, or what is known.
  bool Equate(const Slot& slot);

  // A recorded range, of a symbol that has become the expression.
  void HoldRange(const std::string& symbol, Sym is, JsonValue at);

 private:
  bool EquateSize(std::string_view recorded, const SpecSize& given, const std::string& what);
  Sym TryBuild(std::string_view spelling) const;
  Sym Solve(
      const Expression& recorded, const std::string& symbol, Sym given, const SpecSize& at, const std::string& what);
  void Assume(Sym condition, JsonValue at, const std::string& why);
  // "; `s77` is `batch` by dimension 0 of `x`"
  std::string Origins(const Expression& recorded) const;

  const Graph& graph_;
  SymbolBindings& bindings_;
  ShapeEnv& env_;
  std::map<std::string, std::string> origins_;  // of the symbols that got an expression
};

}  // namespace fakeprop
