// Source: "Workflow commands for GitHub Actions", and escapeData and escapeProperty of @actions/core.
#include "lib/annotations/summary.h"
#include "lib/lint/formats/finding_list.h"
#include "lib/lint/formats/lint_formats.h"

namespace fakeprop {
namespace {

std::string EscapeOf(char c) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  return {'%', kDigits[c >> 4], kDigits[c & 15]};
}

std::string EscapeAll(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) out += special.find(c) == std::string_view::npos ? std::string(1, c) : EscapeOf(c);
  return out;
}

std::string Command(
    const std::string& kind, const SourcePlace& place, const std::string& title, const std::string& message) {
  const std::string_view special = "%\r\n:,";
  return "::" + kind + " file=" + EscapeAll(place.file, special) + ",line=" + std::to_string(place.line) +
         ",title=" + EscapeAll(title, special) + "::" + EscapeAll(message, "%\r\n") + "\n";
}

std::string TitleOf(const Diagnostic& d) { return std::string(d.code.id) + " " + std::string(d.code.class_name); }

}  // namespace

std::string LintGithub(const std::vector<GraphFindings>& graphs, SourcePlaces& places) {
  std::string out;
  size_t errors = 0, warnings = 0, left_out = 0;
  for (const GraphFindings& graph : graphs) {
    for (const Diagnostic& d : graph.trouble) {
      if (++errors > kMostGithubAnnotations) ++left_out;
      else out += Command("error", {PlainPath(graph.graph)}, TitleOf(d), d.message);
    }
  }
  for (const ListedFinding& listed : ListFindings(graphs, places)) {
    size_t& count = listed.is_error() ? errors : warnings;
    if (++count > kMostGithubAnnotations) ++left_out;
    else
      out += Command(listed.is_error() ? "error" : "warning", listed.place, TitleOf(listed.diagnostic()),
          MessageWithNotes(*listed.finding));
  }
  if (left_out)
    out += "::notice title=fakeprop::" + Counted(left_out, "more message") + ": GitHub shows " +
           std::to_string(kMostGithubAnnotations) + " errors and " + std::to_string(kMostGithubAnnotations) +
           " warnings of a step\n";
  return out;
}

}  // namespace fakeprop
