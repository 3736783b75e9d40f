// The output of `fakeprop prove`.
#pragma once

#include <string>

#include "lib/prove/coverage.h"

namespace fakeprop::cli {

// One line: "proved for all batch from 1 to 512, seq at least 2 (3 cases)", "counterexample: batch = 1, seq = 3 ...".
std::string ProofText(const Proof& proof);

// The same for programs (format fakeprop.prove/1; docs/prove.schema.json).
std::string ProofJson(const Proof& proof, const std::string& graph);

}  // namespace fakeprop::cli
