// What `fakeprop COMMAND --help` says last: remarks and examples.
#pragma once

#include <string_view>

#include "tools/cli/command_line_options.h"

namespace fakeprop::cli {

std::string_view Footer(Command command);

}  // namespace fakeprop::cli
