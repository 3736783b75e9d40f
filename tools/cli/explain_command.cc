#include "tools/cli/explain_command.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "lib/base/suggest.h"
#include "lib/diag/code_explanations.h"

namespace fakeprop::cli {
namespace {

// Codes are never used again for something else.
constexpr std::pair<std::string_view, std::string_view> kRetired[] = {
    {"FP7003", "a symbol without a value stays a symbol"},
};

// "FP7003 is no longer used: ...", or nothing.
std::string RetiredText(std::string code) {
  std::ranges::transform(code, code.begin(), [](unsigned char c) { return std::toupper(c); });
  for (const auto& [id, why] : kRetired)
    if (id == code) return code + " is no longer used: " + std::string(why) + "\n";
  return "";
}

void ListCodes(std::ostream& out) {
  for (const CodeInfo& info : AllCodes())
    out << info.code.id << "  " << info.code.class_name << ": " << info.title << '\n';
}

Diagnostic UnknownCode(const std::string& code) {
  std::vector<std::string> known;
  for (const CodeInfo& info : AllCodes()) {
    known.emplace_back(info.code.id);
    known.emplace_back(info.code.class_name);
  }
  Diagnostic d{.code = kBadUsage, .message = "there is no code `" + code + "`"};
  if (const std::string nearest = Nearest(code, known); !nearest.empty()) d.notes.push_back(DidYouMean(nearest));
  d.notes.push_back("`fakeprop explain` lists all codes");
  return d;
}

}  // namespace

ExitStatus RunExplain(const CommandLineOptions& options, const Console& console) {
  if (options.code.empty()) {
    ListCodes(console.out);
    return ExitStatus::kOk;
  }
  if (const std::string retired = RetiredText(options.code); !retired.empty()) {
    console.out << retired;
    return ExitStatus::kOk;
  }
  const CodeInfo* info = FindCodeInfo(options.code);
  if (!info) {
    console.Report({UnknownCode(options.code)}, options.color);
    return ExitStatus::kTrouble;
  }
  console.out << ExplanationText(*info);
  return ExitStatus::kOk;
}

}  // namespace fakeprop::cli
