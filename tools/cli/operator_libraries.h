// Custom operators of a run: libraries, and rules from files.
#pragma once

#include "lib/python/op_rules.h"
#include "tools/cli/command_line_options.h"

namespace fakeprop::cli {

// Loads the libraries and reads the rule files that the options name. Call it before reading any graph. The rules
// replace those of an earlier run. If a library or a file is wrong, adds a diagnostic and returns false.
bool LoadOperators(const CommandLineOptions& options, DiagnosticSink& sink);

// The rules that the last call read.
const OpRules& GivenRules();

}  // namespace fakeprop::cli
