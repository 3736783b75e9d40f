#include "lib/symbolic/expression.h"

#include <algorithm>
#include <cmath>

namespace fakeprop {
namespace {

void CollectUnknown(const Expression& expression, const SymbolValues& values, std::vector<std::string>& unknown) {
  if (expression.IsSymbol() && !values.contains(expression.name) &&
      std::find(unknown.begin(), unknown.end(), expression.name) == unknown.end())
    unknown.push_back(expression.name);
  for (const Expression& argument : expression.arguments) CollectUnknown(argument, values, unknown);
}

// The operator between the arguments of a call, if it is written with one, and how tightly it binds.
struct InfixOperator {
  const char* text = nullptr;
  int strength = 4;
};

InfixOperator OperatorOf(const Expression& call) {
  bool binary = call.arguments.size() == 2;
  if (call.name == "Add") return {" + ", 1};
  if (call.name == "Mul") return {"*", 2};
  if (!binary) return {};
  if (call.name == "FloorDiv") return {"//", 2};
  if (call.name == "PythonMod" || call.name == "Mod") return {" % ", 2};
  if (call.name == "Pow" || call.name == "PowByNatural") return {"**", 3};
  if (call.name == "LessThan") return {" <= ", 0};
  if (call.name == "GreaterThan") return {" >= ", 0};
  if (call.name == "StrictLessThan") return {" < ", 0};
  if (call.name == "StrictGreaterThan") return {" > ", 0};
  if (call.name == "Equality") return {" == ", 0};
  if (call.name == "Unequality") return {" != ", 0};
  return {};
}

std::string Print(const Expression& expression, int strength) {
  if (expression.kind == Expression::Kind::kNumber)
    return expression.number.is_integer ? std::to_string(expression.number.integer)
                                        : std::to_string(expression.number.real);
  if (expression.IsSymbol()) return expression.name;
  InfixOperator op = OperatorOf(expression);
  std::string text;
  for (const Expression& argument : expression.arguments)
    text += (&argument == &expression.arguments[0] ? ""
                : op.text                          ? op.text
                                                   : ", ") +
            Print(argument, op.text ? op.strength + (&argument == &expression.arguments[0] ? 0 : 1) : 0);
  if (!op.text) return expression.name + "(" + text + ")";
  return op.strength < strength ? "(" + text + ")" : text;
}

}  // namespace

std::optional<int64_t> Number::AsInteger() const {
  if (is_integer) return integer;
  constexpr double kExact = 9007199254740992.0;  // 2**53
  if (real != std::floor(real) || std::abs(real) > kExact) return std::nullopt;
  return static_cast<int64_t>(real);
}

std::vector<std::string> UnknownSymbols(const Expression& expression, const SymbolValues& values) {
  std::vector<std::string> unknown;
  CollectUnknown(expression, values, unknown);
  return unknown;
}

std::string ToString(const Expression& expression) { return Print(expression, 0); }

}  // namespace fakeprop
