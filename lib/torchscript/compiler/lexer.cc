#include "lib/torchscript/compiler/lexer.h"

#include <algorithm>

#include "lib/torchscript/compiler/decline.h"

namespace fakeprop::script {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

size_t LengthOfName(std::string_view text) {
  size_t n = 0;
  while (n < text.size() && (IsLetter(text[n]) || IsDigit(text[n]))) ++n;
  return n;
}

size_t LengthOfDigits(std::string_view text, size_t n) {
  while (n < text.size() && IsDigit(text[n])) ++n;
  return n;
}

// "12", "1.", ".5", "1e-05", "1j".
size_t LengthOfNumber(std::string_view text) {
  size_t n = LengthOfDigits(text, 0);
  if (n < text.size() && text[n] == '.') n = LengthOfDigits(text, n + 1);
  if (n < text.size() && (text[n] == 'e' || text[n] == 'E')) {
    const size_t sign = n + 1 < text.size() && (text[n + 1] == '-' || text[n + 1] == '+') ? 1 : 0;
    const size_t end = LengthOfDigits(text, n + 1 + sign);
    if (end > n + 1 + sign) n = end;
  }
  return n < text.size() && text[n] == 'j' ? n + 1 : n;
}

// Of a string in quotes of one character; 0 if it does not end.
size_t LengthOfString(std::string_view text) {
  for (size_t n = 1; n < text.size() && text[n] != '\n'; ++n) {
    if (text[n] == text[0]) return n + 1;
    if (text[n] == '\\') ++n;
  }
  return 0;
}

size_t LengthOfSymbol(std::string_view text) {
  for (std::string_view symbol : {"...", "**=", "<<=", ">>=", "->", "==", "!=", "<=", ">=", "//", "**", "<<", ">>",
           "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^="})
    if (text.starts_with(symbol)) return symbol.size();
  return 1;
}

}  // namespace

Lexer::Lexer(const SourceFile& file, size_t begin) : file_(&file), text_(file.text), at_(begin) {
  const size_t line = begin == 0 ? 0 : text_.rfind('\n', begin - 1) + 1;
  indents_ = {begin - line};
  current_ = Lex();
}

void Lexer::Refuse(const std::string& what) const { Decline(what, {file_, current_.offset}); }

bool Lexer::IsNamed() const {
  const size_t next = std::min(text_.find_first_not_of(' ', at_), text_.size());
  return text_.substr(next, 1) == "=" && text_.substr(next, 2) != "==";
}

Token Lexer::Next() {
  const Token token = current_;
  current_ = Lex();
  return token;
}

Token Lexer::Make(TokenKind kind, size_t length) {
  const Token token = {kind, text_.substr(at_, length), static_cast<uint32_t>(at_)};
  at_ += length;
  return token;
}

void Lexer::SkipBlanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '#') at_ = std::min(text_.find('\n', at_), text_.size());
    else if (c == ' ' || c == '\t' || c == '\r' || (c == '\n' && depth_ > 0)) ++at_;
    else break;
  }
}

// Empty lines count for nothing. A line that stands further to the right opens a block.
Token Lexer::LexLineStart() {
  size_t begin = at_;
  SkipBlanks();
  while (at_ < text_.size() && text_[at_] == '\n') {
    begin = ++at_;
    SkipBlanks();
  }
  is_line_start_ = false;
  const size_t indent = at_ >= text_.size() ? 0 : at_ - begin;
  if (indent > indents_.back()) {
    indents_.push_back(indent);
    return Make(TokenKind::kIndent, 0);
  }
  while (indents_.size() > 1 && indent < indents_.back()) {
    indents_.pop_back();
    ++dedents_;
  }
  if (indent < indents_.back()) return Make(TokenKind::kEnd, 0);
  if (indent != indents_.back()) Decline("a line that belongs to no block", {file_, static_cast<uint32_t>(at_)});
  return Lex();
}

Token Lexer::Lex() {
  if (is_line_start_) return LexLineStart();
  if (dedents_ > 0) {
    --dedents_;
    return Make(TokenKind::kDedent, 0);
  }
  SkipBlanks();
  if (at_ >= text_.size()) return Make(TokenKind::kEnd, 0);
  const std::string_view rest = text_.substr(at_);
  const char c = rest[0];
  if (c == '\n') {
    is_line_start_ = true;
    return Make(TokenKind::kNewLine, 1);
  }
  if (c == '"' || c == '\'') {
    const size_t length = rest.substr(0, 3) == std::string(3, c) ? 0 : LengthOfString(rest);
    if (length == 0) Decline("a string that does not end on its line", {file_, static_cast<uint32_t>(at_)});
    return Make(TokenKind::kString, length);
  }
  if (IsLetter(c)) return Make(TokenKind::kName, LengthOfName(rest));
  if (IsDigit(c) || (c == '.' && rest.size() > 1 && IsDigit(rest[1])))
    return Make(TokenKind::kNumber, LengthOfNumber(rest));
  if (c == '(' || c == '[' || c == '{') ++depth_;
  if ((c == ')' || c == ']' || c == '}') && depth_ > 0) --depth_;
  return Make(TokenKind::kSymbol, LengthOfSymbol(rest));
}

}  // namespace fakeprop::script
