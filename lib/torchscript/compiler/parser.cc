// Source: torch/csrc/jit/frontend/parser.cpp, and SourceImporterImpl::parseSourceIfNeeded of
// torch/csrc/jit/serialization/import_source.cpp (torch 2.15).
#include "lib/torchscript/compiler/parser.h"

#include <algorithm>

#include "lib/torchscript/compiler/expression_parser.h"

namespace fakeprop::script {
namespace {

constexpr int kMostBlocks = 100;

const Syntax kNothing = {SyntaxKind::kNone, 0, "", {}};

class CodeParser : private ExpressionParser {
 public:
  using ExpressionParser::ExpressionParser;

  Syntax ParseFunction() {
    lexer_.Next();
    const uint32_t offset = lexer_.current().offset;
    Syntax out = {SyntaxKind::kFunction, offset, ExpectName(), {}};
    Syntax parameters = {SyntaxKind::kBlock, lexer_.current().offset, "", {}};
    Expect("(");
    bool is_keyword_only = false;
    while (!Accept(")")) {
      if (Accept("*")) is_keyword_only = true;
      else parameters.of.push_back(ParseParameter(is_keyword_only));
      if (!lexer_.current().Is(")")) Expect(",");
    }
    out.of.push_back(Accept("->") ? ParseExpression() : kNothing);
    out.of.push_back(std::move(parameters));
    out.of.push_back(ParseBlock());
    return out;
  }

  Syntax ParseClass(const SourceFile& file) {
    lexer_.Next();
    const uint32_t offset = lexer_.current().offset;
    Syntax out = {SyntaxKind::kClass, offset, ExpectName(), {}};
    Syntax base = kNothing;
    if (Accept("(")) {
      base = ParseExpression();
      Expect(")");
    }
    out.of.push_back(std::move(base));
    OpenBlock();
    while (lexer_.current().kind != TokenKind::kDedent && lexer_.current().kind != TokenKind::kEnd) {
      if (lexer_.current().Is("def")) out.of.push_back(SkipFunction(file));
      else out.of.push_back(ParseStatement());
    }
    return out;
  }

 private:
  void ExpectNewLine() {
    if (lexer_.current().kind != TokenKind::kNewLine) lexer_.Refuse("more on a line than one statement");
    lexer_.Next();
  }

  // Goes on at the next line that is no further to the right.
  Syntax SkipFunction(const SourceFile& file) {
    const size_t begin = lexer_.Next().offset;
    Syntax out = {SyntaxKind::kFunction, static_cast<uint32_t>(begin), ExpectName(), {}};
    const size_t indent = begin - (file.text.rfind('\n', begin) + 1);
    size_t line = begin, first = begin;
    do {
      line = std::min(file.text.find('\n', line), file.text.size() - 1) + 1;
      first = std::min(file.text.find_first_not_of(' ', line), file.text.size());
    } while (first < file.text.size() && (file.text[first] == '\n' || first - line > indent));
    lexer_ = Lexer(file, first - line == indent ? first : file.text.size());
    return out;
  }

  Syntax ParseParameter(bool is_keyword_only) {
    Syntax out = {SyntaxKind::kParameter, lexer_.current().offset, ExpectName(), {}, is_keyword_only};
    out.of.push_back(Accept(":") ? ParseExpression() : kNothing);
    if (Accept("=")) out.of.push_back(ParseExpression());
    return out;
  }

  uint32_t OpenBlock() {
    Expect(":");
    if (lexer_.current().kind == TokenKind::kNewLine) lexer_.Next();
    if (lexer_.current().kind != TokenKind::kIndent) lexer_.Refuse("a block without statements");
    return lexer_.Next().offset;
  }

  Syntax ParseBlock() {
    if (++blocks_ > kMostBlocks) lexer_.Refuse("blocks nested more than " + std::to_string(kMostBlocks) + " deep");
    Syntax block = {SyntaxKind::kBlock, OpenBlock(), "", {}};
    while (lexer_.current().kind != TokenKind::kDedent && lexer_.current().kind != TokenKind::kEnd)
      block.of.push_back(ParseStatement());
    if (lexer_.current().kind == TokenKind::kDedent) lexer_.Next();
    --blocks_;
    return block;
  }

  Syntax ParseStatement() {
    const Token& token = lexer_.current();
    if (token.Is("if")) return ParseIf();
    if (token.Is("while")) return ParseWhile();
    if (token.Is("for")) return ParseFor();
    if (token.Is("with")) return ParseWith();
    if (token.Is("return")) return ParseReturn();
    if (token.Is("pass")) {
      const uint32_t offset = lexer_.Next().offset;
      ExpectNewLine();
      return {SyntaxKind::kPass, offset, "", {}};
    }
    for (std::string_view other : {"raise", "assert", "break", "continue", "del", "global", "import", "def", "class"})
      if (token.Is(other) && !lexer_.IsNamed()) lexer_.Refuse("a `" + std::string(other) + "` statement");
    return ParseSimple();
  }

  // `x = value`, `x : type`, `x : type = value`, or an expression.
  Syntax ParseSimple() {
    Syntax first = ParseExpressions();
    const uint32_t offset = first.offset;
    Syntax out = {SyntaxKind::kExpression, offset, "", {std::move(first)}};
    if (Accept(":")) {
      out.kind = SyntaxKind::kDeclare;
      out.of.push_back(ParseExpression());
      if (Accept("=")) out.of.push_back(ParseExpressions());
    } else if (Accept("=")) {
      out.kind = SyntaxKind::kAssign;
      out.of.push_back(ParseExpressions());
    }
    if (lexer_.current().Is("=")) lexer_.Refuse("several targets of one assignment");
    ExpectNewLine();
    return out;
  }

  Syntax ParseReturn() {
    Syntax out = {SyntaxKind::kReturn, lexer_.Next().offset, "", {}};
    if (lexer_.current().kind == TokenKind::kNewLine) out.of.push_back({SyntaxKind::kNone, out.offset, "None", {}});
    else out.of.push_back(ParseExpressions());
    ExpectNewLine();
    return out;
  }

  Syntax ParseIf() {
    Syntax out = {SyntaxKind::kIf, lexer_.Next().offset, "", {}};
    out.of.push_back(ParseExpression());
    out.of.push_back(ParseBlock());
    if (lexer_.current().Is("elif")) lexer_.Refuse("an `elif`");
    if (Accept("else")) out.of.push_back(ParseBlock());
    else out.of.push_back({SyntaxKind::kBlock, lexer_.current().offset, "", {}});
    return out;
  }

  Syntax ParseWhile() {
    Syntax out = {SyntaxKind::kWhile, lexer_.Next().offset, "", {}};
    out.of.push_back(ParseExpression());
    out.of.push_back(ParseBlock());
    return out;
  }

  Syntax ParseFor() {
    Syntax out = {SyntaxKind::kFor, lexer_.Next().offset, "", {}};
    const uint32_t offset = lexer_.current().offset;
    out.of.push_back({SyntaxKind::kName, offset, ExpectName(), {}});
    Expect("in");
    out.of.push_back(ParseExpression());
    out.of.push_back(ParseBlock());
    return out;
  }

  Syntax ParseWith() {
    Syntax out = {SyntaxKind::kWith, lexer_.Next().offset, "", {}};
    out.of.push_back(ParseExpression());
    out.of.push_back(Accept("as") ? ParseExpression() : kNothing);
    out.of.push_back(ParseBlock());
    return out;
  }

  int blocks_ = 0;
};

}  // namespace

std::map<std::string, size_t> FindDefinitions(const SourceFile& file) {
  std::map<std::string, size_t> found;
  const std::string_view text = file.text;
  for (size_t line = 0; line < text.size(); line = std::min(text.find('\n', line), text.size() - 1) + 1) {
    const std::string_view rest = text.substr(line);
    const size_t keyword = rest.starts_with("def ") ? 4 : rest.starts_with("class ") ? 6 : 0;
    if (keyword == 0) continue;
    const std::string_view name = rest.substr(keyword);
    found.try_emplace(std::string(name.substr(0, name.find_first_of("(: \n"))), line);
  }
  return found;
}

Syntax ParseFunctionAt(const SourceFile& file, size_t begin) { return CodeParser(file, begin).ParseFunction(); }

Syntax ParseClassAt(const SourceFile& file, size_t begin) { return CodeParser(file, begin).ParseClass(file); }

}  // namespace fakeprop::script
