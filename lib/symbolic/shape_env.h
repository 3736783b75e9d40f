// The symbols of a run, what is known of them, and the assumptions that were made. Source:
// torch/fx/experimental/symbolic_shapes.py (torch 2.13).
//
// A question is answered from ranges and facts if they decide it. Else the hints decide. Their answer is recorded as a
// guard, and from then on it is a fact. An unbacked symbol depends on data and has no hint. A question about it that
// nothing decides is an error, unless the question brings a default.
//
// ShapeEnv puts together parts that each do one job:
//   ExpressionArena  makes and owns expressions
//   SymbolTable      the symbols: declared range, hint, origin
//   SymbolNames      finds symbols by name, and names new ones
//   Facts            what is known: ranges, equalities, other conditions
//   ProverHook       a prover for what these leave open
//   GuardLog         the record of what the result relies on
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/symbolic/expression_arena.h"
#include "lib/symbolic/facts.h"
#include "lib/symbolic/graph_place.h"
#include "lib/symbolic/guard_log.h"
#include "lib/symbolic/node.h"
#include "lib/symbolic/prover_hook.h"
#include "lib/symbolic/range.h"
#include "lib/symbolic/symbol_names.h"
#include "lib/symbolic/symbol_table.h"

namespace fakeprop {

// The settings of an environment. A run sets its own and restores the earlier ones: ScopedShapeEnvSettings.
struct ShapeEnvSettings {
  // Whether operators may make symbols for numbers that depend on data (ShapeEnv.allow_dynamic_output_shape_ops and
  // allow_scalar_outputs).
  bool makes_unbacked = true;
  // Where guards and unbacked symbols are made now.
  GraphPlace place;
  // Returns names for the next unbacked symbols: the first free one is taken. Null: u0, u1 ...
  std::function<const std::vector<std::string>*()> namer;
  // Null: "node `add`".
  PlaceDescriber describer;
};

class ShapeEnv {
 public:
  ShapeEnv() = default;
  ShapeEnv(const ShapeEnv&) = delete;
  ShapeEnv& operator=(const ShapeEnv&) = delete;

  // The environment in which rules make unbacked symbols; null outside of a run.
  static ShapeEnv* Current();

  bool makes_unbacked() const { return settings_.makes_unbacked; }
  void SetMakesUnbacked(bool makes) { settings_.makes_unbacked = makes; }

  // ---- symbols
  // Without a hint the symbol is unbacked.
  Sym NewSymbol(
      std::string name, Range range, std::optional<int64_t> hint, std::string source, SymType type = SymType::kInt);
  // An unbacked symbol that the current place makes. Its name is the first free one of those that the namer gives, else
  // u0, u1 ... (zuf0 ... for floats, as in PyTorch). For a bool, returns the condition that a symbol from 0 to 1 is 1.
  Sym NewUnbacked(SymType type, Range range);
  // The same with these names instead of the namer's.
  Sym NewUnbacked(SymType type, Range range, const std::vector<std::string>& names);
  // The symbol is a multiple of the number.
  void DeclareMultiple(Sym symbol, int64_t of);
  // The symbol stays in results, even if it is known to be equal to something else: its user chose the name.
  void KeepName(Sym symbol) { symbols_.InfoOf(symbol).keeps_name = true; }
  // The symbol of this name, or null.
  Sym FindSymbol(std::string_view name) const { return names_.Find(name); }
  const std::deque<SymbolInfo>& symbols() const { return symbols_.all(); }

  // ---- expressions (ExpressionArena)
  Sym Integer(int64_t value) { return arena_.Integer(value); }
  Sym Truth(bool value) { return arena_.Truth(value); }
  Sym Constant(SymNumber value) { return arena_.Constant(value); }
  Sym Intern(SymNode node) { return arena_.Intern(std::move(node)); }

  // ---- questions. The condition is a bool. All throw an OpError of class Overflow if an expression leaves 64 bits or
  // is too large.
  // The answer that holds for all values of the symbols within what is known; nothing if there is no one answer.
  std::optional<bool> Static(Sym condition);
  // The answer, recorded as a guard if the hints decide. Throws an OpError of class DataDependentGuard if there is no
  // hint.
  bool Guard(Sym condition);
  // The same, with a default if there is no hint.
  bool GuardOr(Sym condition, bool otherwise);
  // Relies on the condition. Returns false if it is known to be false, or false at the hints. If it has unbacked
  // symbols, it is recorded as a run-time assertion.
  bool Expect(Sym condition);
  // The value at the hints, recorded as a guard if it is not certain. Throws as Guard does.
  SymNumber Specialize(Sym value);
  // Where an integer lies, by all that is known.
  Range RangeOf(Sym integer) { return facts_.ranges().RangeOf(integer); }

  // ---- facts
  // The condition was declared: it is recorded with the guards and is a fact. Throws as Learn does.
  void Assume(Sym condition);
  // The condition holds. Throws an OpError of class AssertionFailed that names both origins if it contradicts what is
  // known.
  void Learn(Sym condition);
  // The facts that were learned, in order: declarations, guards, assertions.
  const std::vector<Sym>& facts() const { return facts_.learned(); }
  // The prover is asked what ranges and facts leave open, before the hints decide. Its answer must hold for all values
  // of the symbols that satisfy facts().
  using Prover = ProverHook::Prover;
  void SetProver(Prover prover) { prover_.Set(std::move(prover)); }
  // For a condition that is known to be false: what contradicts it, and the origin of that.
  std::string DescribeContradiction(Sym condition) const;
  // Returns true if the condition itself was learned. What follows from others does not count.
  bool HasLearned(Sym condition) const { return facts_.conditions().Holds(condition); }
  // The expression as results are written at the end: with all that is known to be equal put in.
  Sym Simplify(Sym node) { return facts_.Substitute(node, Reach::kResults); }

  // ---- records
  // The program states the condition (torch._check, _assert_scalar): it refuses sizes that violate it. Only a record;
  // Expect relies on it.
  void NoteStated(Sym condition) { stated_.Record({.expression = condition, .place = place()}); }
  const std::vector<GuardRecord>& stated() const { return stated_.records(); }
  void SetPlace(GraphPlace place) { settings_.place = place; }
  const GraphPlace& place() const { return settings_.place; }
  const std::vector<GuardRecord>& guards() const { return guards_.records(); }

 private:
  [[noreturn]] void FailGuard(Sym condition);
  std::optional<bool> StaticOrProven(Sym condition);
  std::optional<bool> DecideOrFail(Sym condition);

  ExpressionArena arena_{this};
  SymbolTable symbols_;
  SymbolNames names_;
  Facts facts_{arena_, symbols_};
  ProverHook prover_;
  GuardLog guards_, stated_;
  ShapeEnvSettings settings_;

  friend class ScopedShapeEnvSettings;
};

// Makes an environment the current one for as long as it lives.
class CurrentShapeEnv {
 public:
  explicit CurrentShapeEnv(ShapeEnv* env);
  ~CurrentShapeEnv();
  CurrentShapeEnv(const CurrentShapeEnv&) = delete;
  CurrentShapeEnv& operator=(const CurrentShapeEnv&) = delete;

 private:
  ShapeEnv* saved_;
};

// Lends an environment to a run with settings of its own; at the end the earlier settings are back.
class ScopedShapeEnvSettings {
 public:
  ScopedShapeEnvSettings(ShapeEnv& env, ShapeEnvSettings settings);
  ~ScopedShapeEnvSettings();
  ScopedShapeEnvSettings(const ScopedShapeEnvSettings&) = delete;
  ScopedShapeEnvSettings& operator=(const ScopedShapeEnvSettings&) = delete;

 private:
  ShapeEnv& env_;
  ShapeEnvSettings saved_;
};

}  // namespace fakeprop
