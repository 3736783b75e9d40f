#include "lib/inputs/symbol_meanings.h"

#include <algorithm>

#include "lib/base/suggest.h"

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

std::string SuggestSymbol(const Expression& expression, const SymbolMeanings& meanings, const ShapeEnv& env) {
  std::vector<std::string> known;
  for (const auto& [name, number] : meanings.numbers) known.push_back(name);
  for (const auto& [name, node] : meanings.expressions) known.push_back(name);
  for (const SymbolInfo& symbol : env.symbols()) known.push_back(symbol.node->name);
  for (const std::string& name : UnknownSymbols(expression, {}))
    if (std::find(known.begin(), known.end(), name) == known.end()) return DidYouMean(Nearest(name, known));
  return {};
}

}  // namespace fakeprop
