// Guards that Z3 can answer for all sizes: `--prove`.
#pragma once

#include <memory>
#include <string>

#include "lib/symbolic/shape_env.h"

namespace fakeprop {

// Has `env` ask Z3 where ranges and facts leave a question open. False and a reason where Z3 is not there. The
// environment owns what it needs for that.
bool AnswerWithZ3(ShapeEnv& env, std::string& reason);

}  // namespace fakeprop
