// Equates the sizes that the spec gives as expressions with the recorded sizes over symbols.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "lib/inputs/slots.h"
#include "lib/inputs/symbol_meanings.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

// If one recorded symbol of a size has no meaning yet, the equation gives it one: "8*s39" given as "batch" makes s39
// `batch//8`, and batch a multiple of 8. If all have one, the equality is a condition that `env` assumes.
class SizeEquator {
 public:
  // All of these must outlive the SizeEquator.
  SizeEquator(const Graph& graph, SymbolMeanings& meanings, ShapeEnv& env)
      : graph_(graph), meanings_(meanings), env_(env) {}

  // Equates the sizes of one input. Returns false if a recorded symbol must be declared first. Throws SpecError if the
  // equality contradicts itself or an earlier fact.
  bool Equate(const Slot& slot);

  // Assumes the recorded range of a symbol for the expression that it stands for, which the spec gives at `at`. Throws
  // SpecError if that contradicts what is known.
  void AssumeRange(const std::string& symbol, Sym is, JsonValue at);

 private:
  bool EquateSize(std::string_view recorded, const SpecSize& given, const std::string& what);
  Sym TryBuild(std::string_view spelling) const;
  Sym Solve(
      const Expression& recorded, const std::string& symbol, Sym given, const SpecSize& at, const std::string& what);
  void Assume(Sym condition, JsonValue at, const std::string& why);
  // For messages: "; `s77` is `batch` by dimension 0 of `x`".
  std::string Origins(const Expression& recorded) const;

  const Graph& graph_;
  SymbolMeanings& meanings_;
  ShapeEnv& env_;
  std::map<std::string, std::string> origins_;  // for each symbol that was solved for, where its expression comes from
};

}  // namespace fakeprop
