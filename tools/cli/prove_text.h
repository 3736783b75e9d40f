// The output of `fakeprop prove`.
#pragma once

#include <string>
#include <vector>

#include "lib/prove/prove.h"
#include "lib/value_ranges/index_errors.h"

namespace fakeprop::cli {

// One line: "proved for all batch from 1 to 512, seq at least 2 (3 cases)", "counterexample: batch = 1, seq = 3 ...".
// `values` are what the runs take for granted about the elements of inputs.
std::string ProofText(const Proof& proof, const std::vector<ValueDemand>& values);

// The same for programs (format fakeprop.prove/1; docs/prove.schema.json).
std::string ProofJson(const Proof& proof, const std::string& graph, const std::vector<ValueDemand>& values);

}  // namespace fakeprop::cli
