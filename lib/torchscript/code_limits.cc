#include "lib/torchscript/code_limits.h"

#include <algorithm>

namespace fakeprop {
namespace {

constexpr size_t kMostBrackets = 1000;
constexpr size_t kMostIndentation = 2 * 400;  // of two spaces each
// In one expression, where each may be nested in the last: a + b + c, not not a, a.b.c, a[0][0].
constexpr size_t kMostOperators = 5000;

bool IsOperator(char c) { return std::string_view("+-*/.<>=%&|^~@[(").find(c) != std::string_view::npos; }

bool IsWordOperator(std::string_view word) {
  for (std::string_view known : {"not", "and", "or", "if", "else", "is", "in"})
    if (word == known) return true;
  return false;
}

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9'); }

class Scanner {
 public:
  explicit Scanner(std::string_view code) : code_(code) {}

  std::string Run() {
    for (at_ = 0; at_ < code_.size() && problem_.empty();) Step();
    return problem_;
  }

 private:
  void Step() {
    const char c = code_[at_];
    if (c == '"' || c == '\'') return SkipString(c);
    if (c == '#') return SkipTo('\n');
    if (IsLetter(c)) return Word();
    ++at_;
    if (c == '\n') return NewLine();
    if (c == '(' || c == '[' || c == '{') ++depth_;
    if ((c == ')' || c == ']' || c == '}') && depth_ > 0) --depth_;
    if (c == ',' || c == ':' || c == ';') operators_ = 0;
    if (IsOperator(c)) ++operators_;
    if (depth_ > kMostBrackets) Report("brackets nested more than " + std::to_string(kMostBrackets) + " deep");
    if (operators_ > kMostOperators)
      Report("more than " + std::to_string(kMostOperators) + " operators in one expression");
  }

  void Word() {
    const size_t begin = at_;
    while (at_ < code_.size() && IsLetter(code_[at_])) ++at_;
    if (IsWordOperator(code_.substr(begin, at_ - begin))) ++operators_;
  }

  void SkipString(char quote) {
    for (++at_; at_ < code_.size() && code_[at_] != quote && code_[at_] != '\n'; ++at_)
      if (code_[at_] == '\\') ++at_;
    at_ = std::min(at_ + 1, code_.size());
  }

  void SkipTo(char end) { at_ = std::min(code_.find(end, at_), code_.size()); }

  void NewLine() {
    ++line_;
    if (depth_ == 0) operators_ = 0;
    const size_t first = std::min(code_.find_first_not_of(' ', at_), code_.size());
    if (first - at_ > kMostIndentation && depth_ == 0)
      Report("blocks nested more than " + std::to_string(kMostIndentation / 2) + " deep");
  }

  void Report(const std::string& what) { problem_ = "line " + std::to_string(line_) + " has " + what; }

  std::string_view code_;
  size_t at_ = 0;
  size_t line_ = 1;
  size_t depth_ = 0;
  size_t operators_ = 0;
  std::string problem_;
};

}  // namespace

std::string FindExcess(std::string_view code) { return Scanner(code).Run(); }

}  // namespace fakeprop
