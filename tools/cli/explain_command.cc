#include "tools/cli/explain_command.h"

#include "lib/base/suggest.h"
#include "lib/diag/code_explanations.h"

namespace fakeprop::cli {
namespace {

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
  const CodeInfo* info = FindCodeInfo(options.code);
  if (!info) {
    console.Report({UnknownCode(options.code)}, options.color);
    return ExitStatus::kTrouble;
  }
  console.out << ExplanationText(*info);
  return ExitStatus::kOk;
}

}  // namespace fakeprop::cli
