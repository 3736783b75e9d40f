// Finds fakeprop.toml and puts its settings into the options of the command line.
#pragma once

#include <memory>

#include "fakeprop/diagnostic.h"
#include "lib/lint/config/lint_config.h"
#include "tools/cli/command_line_options.h"

namespace fakeprop::cli {

// The file that --config names, else the fakeprop.toml of the working directory or of the nearest folder above it.
// Without one, or with --no-config, all settings are the defaults. If the file is wrong, adds diagnostics and returns
// null.
std::shared_ptr<const LintConfig> ReadProjectConfig(const CommandLineOptions& options, DiagnosticSink& sink);

// Settings of the command line stay; the others come from the config. Returns false and adds a diagnostic if they do
// not go together.
bool ApplyConfig(std::shared_ptr<const LintConfig> config, CommandLineOptions& options, DiagnosticSink& sink);

// The settings of the checks for a graph, by the config and --rule.
CheckSettings CheckSettingsFor(const CommandLineOptions& options, const std::string& graph);

}  // namespace fakeprop::cli
