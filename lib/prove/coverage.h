// Whether a graph propagates for every size that its symbols may have.
//
// A propagation over symbols holds for all sizes that satisfy its guards: a case. Sizes outside of all cases so far are
// looked for, by trying and then by Z3, and the graph is propagated with such sizes as hints, which gives the next case
// or a failure. Where no sizes are left, the graph propagates for all.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/interpreter/annotations.h"
#include "lib/prove/point.h"

namespace fakeprop {

enum class Verdict { kProved, kCounterexample, kUnproved };

// Why sizes that violate a condition are not considered.
struct Assumption {
  enum class Source {
    kDeclared,  // recorded sizes and ranges of the graph say so: a size is twice another's, say
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
  std::optional<int64_t> limit;  // sizes without a greatest one were considered up to this only
  // What the verdict takes for granted of sizes: other sizes were not considered. Of the domain's conditions.
  std::vector<Assumption> assumptions;
  // Of kCounterexample: the sizes, and the run with them, in numbers; or what the graph demands and they violate.
  SymbolValues point;
  std::optional<Annotations> failure;
  Sym violated = nullptr;
  // Of kUnproved: why, and the guard that is in the way, where it is one.
  std::string reason;
  std::optional<GuardRecord> guard;
  // What was taken for granted of data, over all cases.
  std::vector<GuardRecord> assertions;
  std::vector<Annotations> runs;  // own what guards point to
};

// The symbols as they are before a run.
struct ProofStart {
  std::shared_ptr<ShapeEnv> shape_env;
  // What the exported program demands of sizes, beside their ranges. Demands are taken for granted where the graph
  // alone gives the ranges. Where a spec gives them, all its sizes have to meet the demands; only that a size is a
  // multiple of something is taken for granted.
  std::vector<Sym> demands;
  bool demands_are_given = true;
  std::vector<std::string> unread;  // demands that are not understood
};

// How to run the graph.
struct ProofRuns {
  // In a new environment, with hints of the graph and the spec. Nothing where the inputs are wrong.
  std::function<std::optional<ProofStart>()> declare;
  // A run with these hints, over symbols or with the hints as numbers.
  std::function<Annotations(const SymbolValues& hints, bool with_symbols)> run;
};

// Null where the inputs are wrong.
std::optional<Proof> Prove(const ProofRuns& runs);

}  // namespace fakeprop
