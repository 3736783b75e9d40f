// What a process sets up before it runs a command: the log, the limit of memory, and the diagnostics for what ends it.
#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "fakeprop/diagnostic.h"
#include "tools/cli/command_line_options.h"
#include "tools/cli/console.h"

namespace fakeprop::cli {

// Log lines go to the console's `err`. They are ours alone; findings never go there.
void SetUpLog(const CommandLineOptions& options, const Console& console);

// From now on, an allocation beyond this limit fails with std::bad_alloc, so that a bad file cannot exhaust the
// machine. The limit counts the process's own memory, including what it holds already.
void LimitMemory(uint64_t bytes);
void LiftMemoryLimit();

// Why a run ended in an exception: it needed more memory than it may have, or the fault is ours.
Diagnostic DiagnosticOf(const std::exception& e, const CommandLineOptions& options);

}  // namespace fakeprop::cli
