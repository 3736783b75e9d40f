// Custom operators of a run: libraries, and rules from files.
#pragma once

#include "lib/python/op_rules.h"
#include "tools/cli/command_line_options.h"

namespace fakeprop::cli {

// Loads the libraries and reads the files of rules that the options name, before any graph is read; they stand in for
// those of an earlier run. False where one of them is wrong, which goes to the sink.
bool LoadOperators(const CommandLineOptions& options, DiagnosticSink& sink);

// What the last call read.
const OpRules& GivenRules();

}  // namespace fakeprop::cli
