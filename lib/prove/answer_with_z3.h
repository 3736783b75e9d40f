// Lets Z3 answer guards for all sizes: `--prove`.
#pragma once

#include <memory>
#include <string>

#include "lib/symbolic/shape_env.h"

namespace fakeprop {

// Makes `env` ask Z3 if ranges and facts do not answer a question. Returns false and a reason if Z3 is not there. The
// environment owns the solver.
bool AnswerWithZ3(ShapeEnv& env, std::string& reason);

}  // namespace fakeprop
