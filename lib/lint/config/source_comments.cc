#include "lib/lint/config/source_comments.h"

#include <cctype>

#include "lib/base/file.h"
#include "lib/base/take_until.h"

namespace fakeprop {
namespace {

// The words of a text: letters and digits.
std::vector<std::string_view> WordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t start = 0; start < text.size();) {
    size_t end = start;
    while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end]))) ++end;
    if (end > start) words.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

bool IsCode(std::string_view word) {
  return word.size() == 6 && word.starts_with("FP") &&
         word.find_first_not_of("0123456789", 2) == std::string_view::npos;
}

}  // namespace

bool IgnoresCode(std::string_view line, std::string_view code) {
  constexpr std::string_view kMark = "fakeprop: ignore";
  const size_t comment = line.find('#'), mark = line.find(kMark, std::min(comment, line.size()));
  if (mark == std::string_view::npos) return false;
  bool names_some = false;
  for (const std::string_view word : WordsOf(line.substr(mark + kMark.size()))) {
    if (!IsCode(word)) break;  // the reason
    if (word == code) return true;
    names_some = true;
  }
  return !names_some && code.starts_with("FP8");
}

size_t SourceComments::TakeIgnored(std::vector<Finding>& findings) {
  return std::erase_if(findings, [this](const Finding& finding) { return IsIgnored(finding); });
}

bool SourceComments::IsIgnored(const Finding& finding) {
  const SourcePlace place = places_.Of("", finding.diagnostic);
  if (!place.is_python) return false;
  const std::vector<std::string>& lines = LinesOf(place.file);
  return place.line <= static_cast<int>(lines.size()) && IgnoresCode(lines[place.line - 1], finding.diagnostic.code.id);
}

const std::vector<std::string>& SourceComments::LinesOf(const std::string& file) {
  const auto [it, is_new] = lines_.try_emplace(file);
  std::string error;
  if (is_new)
    if (const std::optional<std::string> text = ReadWholeFile(file, error))
      for (std::string_view rest = *text; !rest.empty();) it->second.emplace_back(TakeUntil(rest, '\n'));
  return it->second;
}

}  // namespace fakeprop
