#include "tools/cli/lint_reports.h"

#include "lib/lint/formats/lint_formats.h"
#include "tools/cli/input_files.h"
#include "tools/cli/output.h"

namespace fakeprop::cli {
namespace {

std::string TextReport(const std::vector<GraphFindings>& graphs, const std::string& path,
    const CommandLineOptions& options, const Console& console) {
  if (options.verbosity == Verbosity::kQuiet && CountFindings(graphs) == 0) return "";
  return LintText(graphs, path.empty() ? console.OutPaint(options.color) : Paint{options.color == When::kAlways});
}

}  // namespace

bool WriteReports(const std::vector<GraphFindings>& graphs, const CommandLineOptions& options, const Console& console,
    DiagnosticSink& sink) {
  SourcePlaces places(IsRegularFile);
  const auto write = [&](LintFormat format, const std::string& path) -> std::string {
    switch (format) {
      case LintFormat::kText: return TextReport(graphs, path, options, console);
      case LintFormat::kJson: return LintJson(graphs);
      case LintFormat::kSarif: return LintSarif(graphs, places);
      case LintFormat::kJunit: return LintJunit(graphs, places);
      case LintFormat::kGithub: return LintGithub(graphs, places);
      case LintFormat::kGitlab: return LintGitlab(graphs, places);
      case LintFormat::kMarkdown: return LintMarkdown(graphs, places);
    }
    return "";
  };
  bool is_written = true;
  for (const LintReport& report : options.reports) {
    const std::string& path = report.path.empty() ? options.output : report.path;
    is_written = WriteOutput(path, write(report.format, path), console, sink) && is_written;
  }
  return is_written;
}

}  // namespace fakeprop::cli
