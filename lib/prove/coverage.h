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

struct Proof {
  Verdict verdict = Verdict::kUnproved;
  Domain domain;
  std::shared_ptr<ShapeEnv> shape_env;  // owns the domain's conditions
  size_t cases = 0;
  std::optional<int64_t> limit;  // sizes without a greatest one were considered up to this only
  // Of kCounterexample: the sizes, and the run with them, in numbers.
  SymbolValues point;
  std::optional<Annotations> failure;
  // Of kUnproved: why, and the guard that is in the way, where it is one.
  std::string reason;
  std::optional<GuardRecord> guard;
  // What was taken for granted of data, over all cases.
  std::vector<GuardRecord> assertions;
  std::vector<Annotations> runs;  // own what guards point to
};

// How to run the graph.
struct ProofRuns {
  // The symbols with these hints, in a new environment, as they are before a run; nothing where the inputs are wrong.
  std::function<std::shared_ptr<ShapeEnv>(const SymbolValues& hints)> declare;
  // A run with these hints, over symbols or with the hints as numbers.
  std::function<Annotations(const SymbolValues& hints, bool with_symbols)> run;
};

// Null where the inputs are wrong.
std::optional<Proof> Prove(const ProofRuns& runs);

}  // namespace fakeprop
