#include "lib/python/expression_text.h"

#include <cctype>
#include <charconv>

#include "lib/python/python_expression.h"

namespace fakeprop {
namespace {

bool IsNameCharacter(char c) { return IsNameStart(c) || std::isdigit(static_cast<unsigned char>(c)); }

}  // namespace

bool IsNameStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }

void ExpressionText::Skip() {
  while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
}

bool ExpressionText::AtEnd() {
  Skip();
  return at_ >= text_.size();
}

bool ExpressionText::Peek(std::string_view token) {
  Skip();
  return text_.substr(at_).starts_with(token);
}

bool ExpressionText::Take(std::string_view token) {
  if (!Peek(token)) return false;
  at_ += token.size();
  return true;
}

void ExpressionText::Expect(std::string_view token) {
  if (!Take(token)) FailAt("expected `" + std::string(token) + "`");
}

bool ExpressionText::TakeWord(std::string_view word) {
  if (!Peek(word)) return false;
  const size_t end = at_ + word.size();
  if (end < text_.size() && IsNameCharacter(text_[end])) return false;
  at_ = end;
  return true;
}

std::string ExpressionText::TakeName() {
  if (AtEnd() || !IsNameStart(text_[at_])) FailAt("expected a name");
  const size_t start = at_;
  while (at_ < text_.size() && IsNameCharacter(text_[at_])) ++at_;
  return std::string(text_.substr(start, at_ - start));
}

std::string ExpressionText::TakeKeyword() {
  Skip();
  const size_t start = at_;
  if (at_ < text_.size() && IsNameStart(text_[at_])) {
    std::string name = TakeName();
    if (Peek("=") && !Peek("==") && Take("=")) return name;
  }
  at_ = start;
  return "";
}

std::string ExpressionText::TakeString() {
  const size_t end = text_.find(text_[at_], at_ + 1);
  if (end == std::string_view::npos) FailAt("the string does not end");
  const std::string_view content = text_.substr(at_ + 1, end - at_ - 1);
  at_ = end + 1;
  return std::string(content);
}

Value ExpressionText::TakeNumber() {
  const char *begin = text_.data() + at_, *end = text_.data() + text_.size();
  int64_t integer = 0;
  double real = 0;
  const auto as_integer = std::from_chars(begin, end, integer);
  const auto as_real = std::from_chars(begin, end, real);
  const bool is_integer = as_integer.ptr == as_real.ptr;
  const auto& parsed = is_integer ? as_integer : as_real;
  if (parsed.ec != std::errc() || (parsed.ptr < end && IsNameCharacter(*parsed.ptr))) FailAt("this is no number");
  at_ += static_cast<size_t>(parsed.ptr - begin);
  return is_integer ? Value(integer) : Value(real);
}

std::string ExpressionText::LoopName() const {
  int depth = 0;
  for (size_t i = at_; i < text_.size() && depth >= 0; ++i) {
    const char c = text_[i];
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (depth == 0 && text_.substr(i).starts_with(" for ")) return ExpressionText(text_.substr(i + 5)).TakeName();
  }
  return "";
}

void ExpressionText::FailAt(std::string message) const { throw ExpressionError{at_, std::move(message)}; }

void ExpressionText::FailFrom(size_t start, std::string message) {
  at_ = start;
  FailAt(std::move(message));
}

}  // namespace fakeprop
