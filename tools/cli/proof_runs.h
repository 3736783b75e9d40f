// Runs of a graph with its spec, for proofs over all sizes.
#pragma once

#include <optional>
#include <vector>

#include "lib/prove/coverage.h"
#include "tools/cli/graph_session.h"

namespace fakeprop::cli {

// Declares the symbols of the graph and its spec. `inputs` gets the inputs over them. Nothing if these are wrong.
std::optional<ProofStart> StartProof(const Source& source, const CommandLineOptions& options, DiagnosticSink& sink,
    std::optional<std::vector<InputValue>>& inputs);

// Guards that hold for all sizes are no cases. Without Z3 there are more cases, and no less is true. The arguments have
// to outlive the result.
ProofRuns MakeProofRuns(
    const Source& source, const CommandLineOptions& options, const Console& console, DiagnosticSink& sink);

}  // namespace fakeprop::cli
