// Runs of a graph with its spec, for proofs over all sizes.
#pragma once

#include <optional>
#include <vector>

#include "lib/prove/coverage.h"
#include "lib/value_ranges/index_errors.h"
#include "tools/cli/graph_session.h"

namespace fakeprop::cli {

// Declares the symbols of the graph and its spec. `inputs` gets the inputs over them. Nothing if these are wrong.
std::optional<ProofStart> StartProof(const Source& source, const CommandLineOptions& options, DiagnosticSink& sink,
    std::optional<std::vector<InputValue>>& inputs);

// Guards that hold for all sizes are no cases. Without Z3 there are more cases, and no less is true. An index out of
// range is an error of a run; `values` gets what runs take for granted about the elements of inputs. The arguments have
// to outlive the result.
ProofRuns MakeProofRuns(const Source& source, const CommandLineOptions& options, const Console& console,
    DiagnosticSink& sink, DemandedValues& values);

}  // namespace fakeprop::cli
