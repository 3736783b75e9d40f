#include "lib/diag/code_explanations.h"

#include "lib/base/take_until.h"

namespace fakeprop {
namespace {

constexpr std::string_view kPage =
#include "lib/diag/diagnostics_page.inc"
    ;

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of('\n');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of('\n') + 1 - first);
}

// "[formats.md](formats.md#graphs)" becomes "formats.md".
std::string WithoutLinks(std::string_view line) {
  std::string out;
  while (!line.empty()) {
    const size_t open = line.find('['), middle = line.find("](", open), close = line.find(')', middle);
    if (close == std::string_view::npos) break;
    out += line.substr(0, open);
    out += line.substr(open + 1, middle - open - 1);
    line.remove_prefix(close + 1);
  }
  return out + std::string(line);
}

}  // namespace

std::string_view ExplanationMarkdown(const CodeInfo& info) {
  const size_t heading = kPage.find("\n### " + std::string(info.code.id) + " ");
  if (heading == std::string_view::npos) return {};
  const size_t start = kPage.find('\n', heading + 1);
  std::string_view section = kPage.substr(start);
  section = section.substr(0, section.find("\n### "));
  return Trim(section.substr(0, section.find("\n## ")));
}

std::string ExplanationText(const CodeInfo& info) {
  std::string text =
      std::string(info.code.id) + " " + std::string(info.code.class_name) + ": " + std::string(info.title) + "\n";
  std::string_view rest = ExplanationMarkdown(info);
  if (!rest.empty()) text += '\n';
  bool is_code = false;
  while (!rest.empty()) {
    const std::string_view line = TakeUntil(rest, '\n');
    if (line.starts_with("```")) is_code = !is_code;
    else if (is_code) text += (line.empty() ? "" : "    ") + std::string(line) + "\n";
    else text += WithoutLinks(line) + "\n";
  }
  return text;
}

}  // namespace fakeprop
