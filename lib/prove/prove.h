// Finds out whether a graph propagates for every size that its symbols may have.
//
// A propagation over symbols holds for all sizes that satisfy its guards: a case. The search looks for sizes outside of
// all cases so far, first by trying, then by Z3. It propagates the graph with these sizes as hints, which gives the
// next case or a failure. If no sizes are left, the graph propagates for all sizes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/interpreter/annotations.h"
#include "lib/prove/point.h"

namespace fakeprop {

// With more cases the search gives up.
inline constexpr size_t kMostCases = 64;

enum class Verdict { kProved, kCounterexample, kUnproved };

// A condition that is taken for granted, with the reason. Sizes that violate it are not considered.
struct Assumption {
  enum class Source {
    kDeclared,  // recorded sizes and ranges of the graph say so, such as that a size is twice another
    kGraph,     // a guard of the exported program, which refuses other sizes
    kStated,    // the model checks it itself: torch._check, an assertion
  };
  Sym condition;
  Source source;
  GraphPlace place;  // of kStated
};

struct Proof {
  Verdict verdict = Verdict::kUnproved;
  Domain domain;
  std::shared_ptr<ShapeEnv> shape_env;  // owns the domain's conditions
  size_t cases = 0;
  std::optional<int64_t> limit;  // sizes without an upper bound were considered only up to this
  // The conditions of the domain that the verdict takes for granted. Other sizes were not considered.
  std::vector<Assumption> assumptions;
  // For kCounterexample: the sizes, and the run with these numbers, or the demand of the graph that they violate.
  SymbolValues point;
  std::optional<Annotations> failure;
  Sym violated = nullptr;
  // For kUnproved: the reason, and the guard that is the obstacle, if there is one.
  std::string reason;
  std::string no_solver;  // for kUnproved: why Z3 could not be opened, if it was needed
  std::optional<GuardRecord> guard;
  // The conditions on data that were taken for granted, over all cases.
  std::vector<GuardRecord> assertions;
  std::vector<Annotations> runs;  // own everything that guards point to
};

// The symbols as they are before a run.
struct ProofStart {
  std::shared_ptr<ShapeEnv> shape_env;
  // The demands of the exported program on sizes, beside their ranges. If only the graph gives the ranges, the demands
  // are taken for granted. If a spec gives them, all sizes of the spec have to meet the demands, except that a demand
  // for multiples of a number is taken for granted.
  std::vector<Sym> demands;
  bool demands_are_given = true;
  std::vector<std::string> unread;  // demands that are not understood
  std::vector<Sym> assumed;  // declared conditions that the user states as facts: sizes that violate them do not count
};

// How to run the graph.
struct ProofRuns {
  // Declares the symbols in a new environment, with the hints of the graph and the spec. Returns nothing if the inputs
  // are wrong.
  std::function<std::optional<ProofStart>()> declare;
  // Runs the graph with these hints, over symbols or with the hints as numbers.
  std::function<Annotations(const SymbolValues& hints, bool with_symbols)> run;
};

// Returns nothing if the inputs are wrong.
std::optional<Proof> Prove(const ProofRuns& runs);

}  // namespace fakeprop
