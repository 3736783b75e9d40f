// Source: torch/csrc/jit/frontend/parser.cpp and parse_string_literal.h (torch 2.15).
#include "lib/torchscript/compiler/expression_parser.h"

#include <algorithm>

namespace fakeprop::script {
namespace {

constexpr int kMostLevels = 300;

// Words that are no names.
bool IsReserved(std::string_view word) {
  for (std::string_view reserved : {"if", "else", "for", "in", "and", "or", "not", "is", "lambda"})
    if (word == reserved) return true;
  return false;
}

// Operators between expressions; torch.jit.save writes calls in their place.
bool IsBinary(const Token& token) {
  for (std::string_view word : {"+", "-", "*", "/", "//", "%", "**", "@", "<", ">", "<=", ">=", "==", "!=", "&", "|",
           "^", "<<", ">>", "if", "for", "and", "or", "not", "is", "in"})
    if (token.Is(word)) return true;
  return false;
}

// Three digits from 0 to 7. -1 if they are something else.
int OctalAt(std::string_view text) {
  if (text.size() < 3) return -1;
  int value = 0;
  for (char c : text.substr(0, 3)) {
    if (c < '0' || c > '7') return -1;
    value = value * 8 + (c - '0');
  }
  return value < 256 ? value : -1;
}

// What a string literal says. Returns false if an escape is unknown.
bool Unescape(std::string_view literal, std::string& out) {
  constexpr std::string_view kEscapes = "abfnvt\\'\"", kMeanings = "\a\b\f\n\v\t\\'\"";
  literal = literal.substr(1, literal.size() - 2);
  for (size_t i = 0; i < literal.size(); ++i) {
    if (literal[i] != '\\') {
      out += literal[i];
      continue;
    }
    const size_t known = kEscapes.find(literal[++i]);
    const int octal = OctalAt(literal.substr(i));
    if (known == std::string_view::npos && octal < 0) return false;
    out += known != std::string_view::npos ? kMeanings[known] : static_cast<char>(octal);
    if (known == std::string_view::npos) i += 2;
  }
  return true;
}

}  // namespace

bool ExpressionParser::Accept(std::string_view symbol) {
  if (!lexer_.current().Is(symbol)) return false;
  lexer_.Next();
  return true;
}

void ExpressionParser::Expect(std::string_view symbol) {
  if (!Accept(symbol))
    lexer_.Refuse("`" + std::string(lexer_.current().text) + "` where `" + std::string(symbol) + "` should be");
}

std::string ExpressionParser::ExpectName() {
  if (lexer_.current().kind != TokenKind::kName) lexer_.Refuse("something that is no name where a name should be");
  return std::string(lexer_.Next().text);
}

Syntax ExpressionParser::ParseExpression() {
  if (++depth_ > kMostLevels) lexer_.Refuse("expressions nested more than " + std::to_string(kMostLevels) + " deep");
  Syntax out = ParseUnary();
  if (IsBinary(lexer_.current())) out = ParseComplex(std::move(out));
  --depth_;
  return out;
}

// "1.5-2.j", as torch.jit.save writes a complex number: a sum, for torch's parser.
Syntax ExpressionParser::ParseComplex(Syntax real) {
  const Token sign = lexer_.Next();
  const Token& part = lexer_.current();
  const bool is_sum = real.kind == SyntaxKind::kNumber && (sign.Is("+") || sign.Is("-"));
  if (!is_sum || part.kind != TokenKind::kNumber || !part.text.ends_with('j'))
    lexer_.Refuse("the operator `" + std::string(sign.text) + "`");
  Syntax imaginary = ParseAtom();
  return {SyntaxKind::kOperator, sign.offset, std::string(sign.text), {std::move(real), std::move(imaginary)}};
}

Syntax ExpressionParser::ParseExpressions() {
  Syntax first = ParseExpression();
  if (!lexer_.current().Is(",")) return first;
  Syntax tuple = {SyntaxKind::kTuple, first.offset, "", {std::move(first)}};
  while (Accept(",")) {
    const Token& next = lexer_.current();
    if (next.kind == TokenKind::kNewLine || next.Is("=") || next.Is(")")) break;
    tuple.of.push_back(ParseExpression());
  }
  return tuple;
}

Syntax ExpressionParser::ParseUnary() {
  const Token& token = lexer_.current();
  if (token.Is("-")) return ParseNegative();
  if (token.Is("not") || token.Is("~") || token.Is("*") || token.Is("+"))
    lexer_.Refuse("the operator `" + std::string(token.text) + "`");
  return ParsePrimary();
}

// Torch's parser counts a minus as part of the number, which starts at its digits.
Syntax ExpressionParser::ParseNegative() {
  const uint32_t offset = lexer_.Next().offset;
  Syntax number = ParsePrimary();
  if (number.kind != SyntaxKind::kNumber) return {SyntaxKind::kOperator, offset, "-", {std::move(number)}};
  number.text = "-" + number.text;
  return number;
}

Syntax ExpressionParser::ParsePrimary() {
  Syntax out = ParseAtom();
  for (int level = 0;; ++level) {
    if (level > kMostLevels) lexer_.Refuse("a chain of more than " + std::to_string(kMostLevels) + " accesses");
    if (Accept(".")) {
      std::string name = ExpectName();
      const uint32_t offset = out.offset;
      out = {SyntaxKind::kSelect, offset, std::move(name), {std::move(out)}};
    } else if (lexer_.current().Is("(")) {
      out = ParseApply(std::move(out));
    } else if (lexer_.current().Is("[")) {
      out = ParseSubscript(std::move(out));
    } else {
      return out;
    }
  }
}

Syntax ExpressionParser::ParseAtom() {
  const Token token = lexer_.current();
  if (token.kind == TokenKind::kString) return ParseStrings();
  if (token.Is("(")) return ParseParenthesized();
  if (token.Is("{")) return ParseDict();
  if (token.Is("[")) {
    Syntax list = {SyntaxKind::kList, token.offset, "", {}};
    lexer_.Next();
    ParseUntil("]", list.of);
    return list;
  }
  if (token.kind != TokenKind::kNumber && (token.kind != TokenKind::kName || IsReserved(token.text)))
    lexer_.Refuse("`" + std::string(token.text) + "` where an expression should be");
  lexer_.Next();
  if (token.kind == TokenKind::kNumber) return {SyntaxKind::kNumber, token.offset, std::string(token.text), {}};
  SyntaxKind kind = SyntaxKind::kName;
  if (token.text == "True") kind = SyntaxKind::kTrue;
  if (token.text == "False") kind = SyntaxKind::kFalse;
  if (token.text == "None") kind = SyntaxKind::kNone;
  if (token.text == "NoneType") kind = SyntaxKind::kNoneType;
  return {kind, token.offset, std::string(token.text), {}};
}

void ExpressionParser::ParseUntil(std::string_view end, std::vector<Syntax>& items) {
  while (!Accept(end)) {
    items.push_back(ParseExpression());
    if (!lexer_.current().Is(end)) Expect(",");
  }
}

// An empty tuple stands, for torch's parser, after its brackets.
Syntax ExpressionParser::ParseParenthesized() {
  lexer_.Next();
  if (Accept(")")) return {SyntaxKind::kTuple, lexer_.current().offset, "", {}};
  Syntax out = ParseExpressions();
  Expect(")");
  return out;
}

Syntax ExpressionParser::ParseDict() {
  lexer_.Next();
  Syntax dict = {SyntaxKind::kDict, lexer_.current().offset, "", {}};
  while (!Accept("}")) {
    dict.of.push_back(ParseExpression());
    Expect(":");
    dict.of.push_back(ParseExpression());
    if (!lexer_.current().Is("}")) Expect(",");
  }
  return dict;
}

Syntax ExpressionParser::ParseStrings() {
  Syntax out = {SyntaxKind::kString, lexer_.current().offset, "", {}};
  while (lexer_.current().kind == TokenKind::kString) {
    if (!Unescape(lexer_.current().text, out.text)) lexer_.Refuse("an escape in a string");
    lexer_.Next();
  }
  return out;
}

Syntax ExpressionParser::ParseApply(Syntax callee) {
  const uint32_t offset = callee.offset;
  Syntax apply = {SyntaxKind::kApply, offset, "", {std::move(callee)}};
  Expect("(");
  while (!Accept(")")) {
    if (lexer_.current().kind == TokenKind::kName && lexer_.IsNamed()) {
      const Token name = lexer_.Next();
      Expect("=");
      Syntax value = ParseExpression();
      apply.of.push_back({SyntaxKind::kKeyword, name.offset, std::string(name.text), {std::move(value)}});
    } else {
      apply.of.push_back(ParseExpression());
    }
    if (!lexer_.current().Is(")")) Expect(",");
  }
  return apply;
}

Syntax ExpressionParser::ParseSubscript(Syntax value) {
  const uint32_t offset = value.offset;
  Syntax subscript = {SyntaxKind::kSubscript, offset, "", {std::move(value)}};
  Expect("[");
  if (lexer_.current().Is(":")) lexer_.Refuse("a slice");
  ParseUntil("]", subscript.of);
  return subscript;
}

}  // namespace fakeprop::script
