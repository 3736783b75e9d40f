// The text of an expression (python_expression.h) and a position in it. The parser takes the text piece by piece.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lib/meta/value.h"

namespace fakeprop {

bool IsNameStart(char c);

// Blanks before a token or a name are skipped. A string or a number must begin at the position. Throws ExpressionError
// with the place of a mistake.
class ExpressionText {
 public:
  explicit ExpressionText(std::string_view text) : text_(text) {}

  size_t at() const { return at_; }
  void GoTo(size_t at) { at_ = at; }
  std::string_view rest() const { return text_.substr(at_); }
  void Skip();
  bool AtEnd();

  bool Peek(std::string_view token);
  bool Take(std::string_view token);
  void Expect(std::string_view token);
  bool TakeWord(std::string_view word);  // a whole word, not the beginning of a longer one

  std::string TakeName();
  std::string TakeKeyword();  // `name=`, else nothing
  std::string TakeString();   // in quotes of either kind
  Value TakeNumber();

  // The name that a comprehension binds. In `[each for name in values]` it is used before it is named. Empty if the
  // list at the position is not a comprehension.
  std::string LoopName() const;

  [[noreturn]] void FailAt(std::string message) const;
  [[noreturn]] void FailFrom(size_t start, std::string message);

 private:
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace fakeprop
