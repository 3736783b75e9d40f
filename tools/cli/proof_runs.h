// Runs of a graph with its spec, for proofs over all sizes.
#pragma once

#include <optional>
#include <vector>

#include "lib/prove/prove.h"
#include "lib/value_ranges/index_errors.h"
#include "tools/cli/graph_session.h"

namespace fakeprop::cli {

// Declares the symbols of the graph and its spec. `inputs` gets the inputs over them. Nothing if these are wrong.
std::optional<ProofStart> StartProof(const Source& source, const CommandLineOptions& options, DiagnosticSink& sink,
    std::optional<std::vector<InputValue>>& inputs);

// A guard that holds for all sizes makes no case of its own. Without Z3 there are more cases, and the proof is the
// same. An index out of range is an error of a run. `values` gets what runs assume of the elements of inputs. The
// arguments must outlive the result.
ProofRuns MakeProofRuns(const Source& source, const CommandLineOptions& options, const Console& console,
    DiagnosticSink& sink, DemandedValues& values);

}  // namespace fakeprop::cli
