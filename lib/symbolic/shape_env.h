// The symbols of a run, what is known of them, and the assumptions that were made. Source:
// torch/fx/experimental/symbolic_shapes.py (torch 2.13).
//
// A question is answered from ranges and facts where they decide it. Else the hints decide, and the answer is recorded
// as a guard and is a fact from then on. A question about a symbol without a hint (unbacked: it depends on data) that
// nothing decides is an error, or takes the default that the question brings.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lib/symbolic/node.h"
#include "lib/symbolic/range.h"

namespace fakeprop {

// Where in the graph something happened; both texts outlive the run.
struct GraphPlace {
  std::string_view node;
  std::string_view stack_trace;
};

struct SymbolInfo {
  Sym node = nullptr;
  Range range;  // as declared; ShapeEnv::RangeOf has what is known now
  std::optional<int64_t> hint;
  std::string source;  // "x.size(0)", or the node that made it
  bool is_unbacked = false;
  GraphPlace place;         // of the node that made it
  int64_t multiple = 1;     // declared: a multiple of this
  bool keeps_name = false;  // whatever it is known to be equal to
};

struct GuardRecord {
  Sym expression;
  GraphPlace place;
  bool is_assertion = false;  // to be checked at run time: it has unbacked symbols
  bool is_declared = false;   // of the symbols' ranges, rather than of a question
};

// What whoever uses an environment sets of it. A run sets its own and puts the earlier ones back:
// ScopedShapeEnvSettings.
struct ShapeEnvSettings {
  // Whether operators may make symbols for what data decides (ShapeEnv.allow_dynamic_output_shape_ops and
  // allow_scalar_outputs).
  bool makes_unbacked = true;
  GraphPlace place;
  // Gives names for the next unbacked symbols: the first that is free is taken. Null: u0, u1 ...
  std::function<const std::vector<std::string>*()> namer;
  // How messages call a place. Null: "node `add`".
  std::function<std::string(const GraphPlace&)> describer;
};

struct Polynomial;

class ShapeEnv {
 public:
  ShapeEnv();
  ShapeEnv(const ShapeEnv&) = delete;
  ShapeEnv& operator=(const ShapeEnv&) = delete;

  // The one that rules make unbacked symbols in; null outside of a run.
  static ShapeEnv* Current();

  bool makes_unbacked() const { return settings_.makes_unbacked; }
  void SetMakesUnbacked(bool makes) { settings_.makes_unbacked = makes; }

  // ---- symbols
  Sym NewSymbol(
      std::string name, Range range, std::optional<int64_t> hint, std::string source, SymType type = SymType::kInt);
  // Of a type int, float or bool; named as the namer says, else u0, u1 ... (zuf0 ... of floats, as PyTorch does).
  Sym NewUnbacked(SymType type, Range range);
  // The same, called by the first of these names that is free.
  Sym NewUnbacked(SymType type, Range range, const std::vector<std::string>& names);
  // The symbol is a multiple of the number.
  void DeclareMultiple(Sym symbol, int64_t of);
  // The symbol stands in results even where it is known to be equal to something: whoever named it had the choice.
  void KeepName(Sym symbol);
  // Null where there is none of the name.
  Sym FindSymbol(std::string_view name) const;
  const std::deque<SymbolInfo>& symbols() const { return symbols_; }

  // ---- leaves and nodes
  Sym Integer(int64_t value);
  Sym Truth(bool value);
  Sym Constant(SymNumber value);
  // The one node that is equal to this; `node` has its operation and arguments. Too large ones are an OpError.
  Sym Intern(SymNode node);

  // ---- questions
  // The answer for all values of the symbols within what is known.
  std::optional<bool> Static(Sym condition);
  bool Guard(Sym condition);
  // The default where data decides.
  bool GuardOr(Sym condition, bool otherwise);
  // Relies on it: false where it is known or hinted to be wrong; of unbacked symbols a run-time assertion.
  bool Expect(Sym condition);
  // The number that the hints say, recorded as a guard where it is not certain.
  SymNumber Specialize(Sym value);
  Range RangeOf(Sym integer);

  // ---- facts
  // It was declared: a fact that is on record with the guards.
  void Assume(Sym condition);
  // What was learned, in order: declared, guards, checks.
  const std::vector<Sym>& facts() const { return facts_; }
  // Asked where ranges and facts leave a question open, before hints decide it: the answer for all values that satisfy
  // facts(), where there is one.
  using Prover = std::function<std::optional<bool>(Sym condition)>;
  void SetProver(Prover prover) { prover_ = std::move(prover); }
  // The condition holds. A contradiction is an OpError with both origins.
  void Learn(Sym condition);
  // Of a condition that is known to be false: what says so, and where that comes from.
  std::string DescribeContradiction(Sym condition);
  // Whether the condition itself was learned, rather than follows.
  bool HasLearned(Sym condition) const { return true_.contains(condition); }
  // With all that is known to be equal put in: as results are written at the end.
  Sym Simplify(Sym node);

  // ---- records
  void SetPlace(GraphPlace place) { settings_.place = place; }
  const GraphPlace& place() const { return settings_.place; }
  const std::vector<GuardRecord>& guards() const { return guards_; }

 private:
  struct NodeHash {
    size_t operator()(Sym node) const;
  };
  struct NodeEqual {
    bool operator()(Sym a, Sym b) const;
  };
  using Replacements = std::unordered_map<Sym, Sym>;

  std::string FreshName(SymType type, const std::vector<std::string>& names);
  std::string PlaceText(const GraphPlace& place) const;
  void Finish(SymNode& node);
  void Record(Sym condition, bool is_assertion, bool is_declared = false);
  [[noreturn]] void FailGuard(Sym condition);
  bool IsRefutedBy(const GuardRecord* guard, Sym condition) const;
  const GuardRecord* FindRefuting(Sym condition) const;
  std::string RangesText(Sym condition) const;
  // The same expression over symbols of the same names, with their declared ranges.
  Sym CopyOf(Sym node, const ShapeEnv& from);

  Range ComputeRange(Sym node);
  Range RangeOfSum(Sym node);
  Range RangeOfTerms(Sym node, Range range, Polynomial linear);
  Sym Expand(Sym node);
  Sym Extreme(bool least, const std::vector<Sym>& arguments);
  std::optional<bool> Decide(Sym condition);
  std::optional<bool> StaticOrProven(Sym condition);
  std::optional<bool> DecideOrFail(Sym condition);
  std::optional<bool> DecideFloat(Sym condition);
  std::optional<bool> DecideZero(Sym condition);

  void LearnEqual(Sym zero);
  void LearnNotEqual(Sym zero);
  void Narrow(Sym node, Range range);
  bool TrySolve(Sym zero);
  void LearnMultiple(Sym dividend, Sym divisor);
  // What equals may take a symbol's place in: results; questions as PyTorch answers them; those that would be errors,
  // too.
  enum Reach { kInResults, kInQuestions, kInErrors, kReaches };
  void Replace(Sym symbol, Sym by, Reach from);
  // With what is known to be equal put in, as far as it may be put in there.
  Sym Substitute(Sym node, Reach where);
  Sym Rebuild(Sym node, const std::vector<Sym>& arguments);

  std::deque<SymNode> nodes_;
  std::unordered_set<Sym, NodeHash, NodeEqual> interned_;
  std::deque<SymbolInfo> symbols_;
  std::map<std::string, Sym, std::less<>> by_name_;
  int next_unbacked_ = 0, next_unbacked_float_ = 0, next_hidden_ = 0;
  ShapeEnvSettings settings_;

  uint32_t epoch_ = 1;                     // grows with every fact
  std::unordered_map<Sym, Range> ranges_;  // of symbols, and of what guards bounded
  std::unordered_set<Sym> true_;           // conditions that hold and are no ranges
  std::vector<Sym> facts_;
  Prover prover_;
  std::unordered_map<Sym, GraphPlace> origins_;  // what a condition was learned from
  Replacements equals_[kReaches];                // symbols by what they equal; each has all of those before
  uint64_t replaced_ = 0;                        // as SymNode::symbols
  std::unordered_map<Sym, Sym> substituted_[kReaches];
  std::vector<GuardRecord> guards_;
  std::unordered_set<Sym> recorded_;

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
