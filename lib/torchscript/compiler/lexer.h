// Splits the code of an archive into tokens.
#pragma once

#include <string_view>

#include "lib/torchscript/compiler/syntax.h"

namespace fakeprop::script {

enum class TokenKind { kEnd, kNewLine, kIndent, kDedent, kName, kNumber, kString, kSymbol };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
  uint32_t offset = 0;

  bool Is(std::string_view word) const {
    return (kind == TokenKind::kSymbol || kind == TokenKind::kName) && text == word;
  }
};

class Lexer {
 public:
  // Begins at a token, as if its line were the outermost block.
  Lexer(const SourceFile& file, size_t begin);

  const Token& current() const { return current_; }
  // Whether `=` follows the current token.
  bool IsNamed() const;
  Token Next();
  [[noreturn]] void Refuse(const std::string& what) const;

 private:
  Token Lex();
  Token LexLineStart();
  void SkipBlanks();
  Token Make(TokenKind kind, size_t length);

  const SourceFile* file_;
  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;  // of brackets, in which lines do not end
  bool is_line_start_ = false;
  int dedents_ = 0;
  std::vector<size_t> indents_;
  Token current_;
};

}  // namespace fakeprop::script
