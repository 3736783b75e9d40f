// The options of `fakeprop memory` that model more than a run: training, an allocator.
#pragma once

#include "tools/cli/commands.h"
#include "tools/cli/memory_options.h"

namespace fakeprop::cli {

void AddMemoryModels(CLI::App& app, MemoryOptions& memory, RawOptions& raw);

}  // namespace fakeprop::cli
