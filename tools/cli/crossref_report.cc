#include "tools/cli/crossref_report.h"

#include "lib/annotations/summary.h"
#include "lib/diag/code_table.h"
#include "lib/libtorch_fallback/open_libtorch.h"
#include "lib/lint/find_differences.h"
#include "lib/lint/findings_report.h"

namespace fakeprop::cli {
namespace {

std::string Differ(size_t count) { return std::to_string(count) + (count == 1 ? " differs" : " differ"); }

std::string CountsText(const Crossref& crossref) {
  std::string text = Counted(crossref.compared, "node") + " compared with LibTorch: " + Differ(crossref.differ);
  if (crossref.deviate) text += ", " + Differ(crossref.deviate) + " on purpose";
  std::map<std::string_view, std::pair<size_t, std::string>> by_reason;
  for (const auto& [what, count] : crossref.not_compared) {
    auto& [nodes, operators] = by_reason[what.second];
    nodes += count;
    operators += (operators.empty() ? "" : ", ") + what.first;
  }
  for (const auto& [reason, what] : by_reason)
    text +=
        "; " + std::to_string(what.first) + " not compared, since " + std::string(reason) + " (" + what.second + ")";
  return text;
}

}  // namespace

bool CheckLibTorch(const CommandLineOptions& options, DiagnosticSink& sink) {
  std::string reason;
  if (!options.crossref || OpenLibTorch(reason)) return true;
  sink.Add({.code = kNoLibTorch, .message = "`--crossref` compares with LibTorch, which cannot be opened: " + reason});
  return false;
}

std::vector<Finding> ReportCrossref(
    const Annotations& annotations, const CommandLineOptions& options, const Console& console) {
  if (!options.crossref) return {};
  if (options.verbosity != Verbosity::kQuiet) {
    for (const Finding& finding : FindRuleDifferences(annotations, Severity::kWarning))
      console.err << FindingText(finding, console.ErrPaint(options.color)) << '\n';
    console.err << CountsText(annotations.crossref) << '\n';
  }
  return FindRuleDifferences(annotations, Severity::kError);
}

}  // namespace fakeprop::cli
