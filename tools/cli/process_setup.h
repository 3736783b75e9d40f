// What a process sets up before it runs a command: the log, and the diagnostics for what ends it.
#pragma once

#include <exception>
#include <string>

#include "fakeprop/diagnostic.h"
#include "tools/cli/command_line_options.h"
#include "tools/cli/console.h"

namespace fakeprop::cli {

// Log lines go to the console's `err`. They are ours alone; findings never go there.
void SetUpLog(const CommandLineOptions& options, const Console& console);

// Why a run ended in an exception: it needed more memory than it may have, or the fault is ours.
Diagnostic DiagnosticOf(const std::exception& e, const CommandLineOptions& options);

}  // namespace fakeprop::cli
