#include "lib/inputs/symbol_meanings.h"

namespace fakeprop {

Expression PutInNumbers(Expression expression, const SymbolValues& numbers) {
  if (auto value = numbers.find(expression.name); expression.IsSymbol() && value != numbers.end()) {
    Expression number;
    number.number = Number::Of(value->second);
    return number;
  }
  for (Expression& argument : expression.arguments) argument = PutInNumbers(std::move(argument), numbers);
  return expression;
}

Sym BuildSize(std::string_view spelling, const SymbolMeanings& meanings, ShapeEnv& env) {
  std::optional<Expression> expression = ParseExpression(spelling);
  if (!expression) return nullptr;
  return Build(PutInNumbers(std::move(*expression), meanings.numbers), env, meanings.expressions);
}

}  // namespace fakeprop
