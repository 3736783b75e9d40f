// Custom operators of a run: libraries, and rules from files.
#pragma once

#include "lib/python/op_rules.h"
#include "tools/cli/command_line_options.h"

namespace fakeprop::cli {

// Loads the libraries and reads the rule files that the options name. Call it before reading any graph. The rules
// replace those of an earlier run. If a library or a file is wrong, adds a diagnostic and returns false.
bool LoadOperators(const CommandLineOptions& options, DiagnosticSink& sink);

// The rules that the last call read, and those that come with the program as far as they were asked for.
const OpRules& GivenRules();

// Adds the rules that come with the program to those that the user gave.
void AddShippedRules();
// The same if the graph calls their operators. No other graph pays for reading them.
void AddShippedRulesFor(const Graph& graph);

}  // namespace fakeprop::cli
