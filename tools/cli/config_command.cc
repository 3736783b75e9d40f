#include "tools/cli/config_command.h"

#include "tools/cli/project_config.h"

namespace fakeprop::cli {

ExitStatus RunConfig(const CommandLineOptions& options, const Console& console) {
  DiagnosticSink sink;
  const std::shared_ptr<const LintConfig> config = ReadProjectConfig(options, sink);
  if (config) console.out << DescribeConfig(*config);
  console.Report(sink.diagnostics(), options.color);
  return config ? ExitStatus::kOk : ExitStatus::kTrouble;
}

}  // namespace fakeprop::cli
