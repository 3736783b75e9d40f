// Reads expressions.
#pragma once

#include "lib/torchscript/compiler/lexer.h"

namespace fakeprop::script {

class ExpressionParser {
 public:
  ExpressionParser(const SourceFile& file, size_t begin) : lexer_(file, begin) {}

  Syntax ParseExpression();
  // Several with commas between them are a tuple.
  Syntax ParseExpressions();

 protected:
  bool Accept(std::string_view symbol);
  void Expect(std::string_view symbol);
  std::string ExpectName();

  Lexer lexer_;

 private:
  Syntax ParseComplex(Syntax real);
  Syntax ParseUnary();
  Syntax ParsePrimary();
  Syntax ParseAtom();
  Syntax ParseNegative();
  Syntax ParseParenthesized();
  Syntax ParseDict();
  Syntax ParseStrings();
  Syntax ParseApply(Syntax callee);
  Syntax ParseSubscript(Syntax value);
  void ParseUntil(std::string_view end, std::vector<Syntax>& items);

  int depth_ = 0;
};

}  // namespace fakeprop::script
