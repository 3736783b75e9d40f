// The values of lint's --format.
#include <algorithm>
#include <stdexcept>

#include "lib/base/suggest.h"
#include "tools/cli/command_line_options.h"

namespace fakeprop::cli {
namespace {

// In the order of LintFormat.
const std::vector<std::string> kNames = {"text", "json", "sarif", "junit", "github", "gitlab", "markdown"};

LintFormat FormatOf(const std::string& name) {
  const auto it = std::find(kNames.begin(), kNames.end(), name);
  if (it != kNames.end()) return static_cast<LintFormat>(it - kNames.begin());
  std::string all;
  for (const std::string& known : kNames) all += (all.empty() ? "`" : ", `") + known + "`";
  const std::string meant = DidYouMean(Nearest(name, kNames));
  throw std::invalid_argument(
      "`--format` takes one of " + all + ", not `" + name + "`" + (meant.empty() ? "" : "; " + meant));
}

// "sarif=out.sarif"
LintReport ReportOf(const std::string& text) {
  const size_t equals = std::min(text.find('='), text.size());
  LintReport report{FormatOf(text.substr(0, equals)), equals < text.size() ? text.substr(equals + 1) : ""};
  if (equals < text.size() && report.path.empty())
    throw std::invalid_argument("`--format " + text + "` needs a file after `=`");
  if (report.path == "-") report.path.clear();
  return report;
}

}  // namespace

// Only one report can go to the command's output. If all have files of their own, text goes there.
std::vector<LintReport> ParseLintReports(const std::vector<std::string>& texts) {
  std::vector<LintReport> reports;
  for (const std::string& text : texts) reports.push_back(ReportOf(text));
  const auto goes_to_output = [](const LintReport& report) { return report.path.empty(); };
  const auto to_output = std::count_if(reports.begin(), reports.end(), goes_to_output);
  if (to_output > 1)
    throw std::invalid_argument(
        "`--format` is given more than once without a file: `--format sarif=FILE` writes to one");
  if (to_output == 0) reports.insert(reports.begin(), LintReport());
  return reports;
}

}  // namespace fakeprop::cli
