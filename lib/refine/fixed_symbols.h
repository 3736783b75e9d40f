// Numbers for symbols of a run, put into its expressions.
//
//   FixedSymbols fixed(env);
//   if (fixed.Fix({{"batch", 8}}, "model.json", sink)) bytes = fixed.Put(bytes);
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "fakeprop/diagnostic.h"
#include "lib/meta/dim.h"
#include "lib/symbolic/expression.h"
#include "lib/symbolic/node.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

class FixedSymbols {
 public:
  // `env` is the environment of a run that has ended. It must outlive this.
  explicit FixedSymbols(ShapeEnv& env) : env_(env) {}

  // Gives the symbols these numbers, and with them the symbols that the run found to depend on them. Adds diagnostics
  // and returns false if there is no such symbol, if a number is out of its range, or if a guard does not hold.
  bool Fix(const SymbolValues& given, const std::string& file, DiagnosticSink& sink);

  // The same for one symbol. Returns false, without a diagnostic, if the numbers cannot be.
  bool TryFix(const std::string& name, int64_t value);

  // The expression with the equalities of the run and with the numbers. Throws an OpError of class Overflow if it
  // leaves 64 bits.
  Dim Put(Dim dim) const;

  // A number for each symbol: its own, what follows from the numbers of others, else its hint. A symbol that depends on
  // data has its least value.
  SymbolValues Point() const;

  // Returns true if the symbol has, or depends only on symbols that have, a number.
  bool IsFixed(Sym symbol) const;

 private:
  Sym PutIn(Sym node) const;
  // Why the symbol cannot have the value; empty if it has it now.
  std::string FixOne(Sym symbol, int64_t value);
  // The first declared range or guard that the numbers violate.
  std::optional<Diagnostic> FindViolation() const;

  ShapeEnv& env_;
  std::unordered_map<Sym, Sym> numbers_;  // by symbol: a constant
};

}  // namespace fakeprop
