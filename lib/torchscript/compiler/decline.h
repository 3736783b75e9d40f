// Raised where this compiler is not sure what torch's front end does.
#pragma once

#include <string>
#include <utility>

#include "lib/torchscript/compiler/syntax.h"

namespace fakeprop::script {

struct Declined {
  std::string what;  // "a `del` statement"
  CodePlace place;
};

[[noreturn]] inline void Decline(std::string what, CodePlace place = {}) { throw Declined{std::move(what), place}; }

}  // namespace fakeprop::script
