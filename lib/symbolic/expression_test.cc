#include "lib/symbolic/expression.h"

#include <gtest/gtest.h>

namespace fakeprop {
namespace {

const SymbolValues kValues = {{"s0", 7}, {"s1", 3}, {"u0", 0}};

// The value with s0 = 7, s1 = 3, u0 = 0.
std::string ValueOf(std::string_view text) {
  std::optional<Expression> expression = ParseExpression(text);
  if (!expression) return "malformed";
  std::optional<Number> number = Evaluate(*expression, kValues);
  if (!number) return "none";
  return number->is_integer ? std::to_string(number->integer) : std::to_string(number->real);
}

TEST(Expression, FunctionsOfRealNumbers) {
  constexpr std::pair<std::string_view, std::string_view> kRows[] = {
      {"Abs(Mul(Integer(-1), Symbol('s0')))", "7"},
      {"Abs(Float('-1.5'))", "1.500000"},
      {"TruncToFloat(Float('2.5'))", "2.000000"},
  };
  for (const auto& [text, value] : kRows) EXPECT_EQ(ValueOf(text), value) << text;
}

// Neighbours beyond 2**53 are the same float.
TEST(Expression, LargeIntegersAreExact) {
  constexpr std::pair<std::string_view, std::string_view> kRows[] = {
      {"Equality(Integer(9007199254740993), Integer(9007199254740992))", "0"},
      {"StrictLessThan(Integer(9007199254740992), Integer(9007199254740993))", "1"},
      {"Max(Integer(9007199254740992), Integer(9007199254740993))", "9007199254740993"},
      {"Min(Integer(9007199254740993), Integer(9007199254740992))", "9007199254740992"},
      {"Equality(Float('7.0'), Symbol('s0'))", "1"},
      {"PythonMod(Integer(-9000000000000000000), Integer(8000000000000000000))", "7000000000000000000"},
      {"CeilDiv(Integer(-9000000000000000000), Integer(8000000000000000000))", "-1"},
  };
  for (const auto& [text, value] : kRows) EXPECT_EQ(ValueOf(text), value) << text;
}

// As guards in a file are written.
TEST(Expression, ValuesInPython) {
  constexpr std::pair<std::string_view, std::string_view> kRows[] = {
      {"max(1, s0 - 3) + min(4, 2)", "6"},
      {"math.floor(s0 / 2)", "3"},
      {"2 <= s0 <= 7", "1"},
      {"2 <= s0 < 7", "0"},
      {"not s0 == 7 or s0 > 6 and True", "1"},
      {"math.pi", "malformed"},
  };
  for (const auto& [text, value] : kRows) EXPECT_EQ(ValueOf(text), value) << text;
}

TEST(Expression, Values) {
  constexpr std::pair<std::string_view, std::string_view> kRows[] = {
      {"Symbol('s0', positive=True, integer=True)", "7"},
      {"Mul(Integer(-8), Symbol('s0'))", "-56"},
      {"Add(Integer(10), Mul(Integer(-1), Symbol(\"u0\", integer=True)))", "10"},
      {"Pow(Symbol('s0'), Integer(2))", "49"},
      {"Pow(Symbol('s0'), Integer(-1))", "0.142857"},
      {"Pow(Integer(-1), Integer(1000000000001))", "-1"},
      {"PowByNatural(Integer(2), Integer(62))", "4611686018427387904"},
      {"FloorDiv(Add(Symbol('s0'), Integer(-8)), Integer(2))", "-1"},
      {"CeilDiv(Symbol('s0'), Integer(2))", "4"},
      {"CleanDiv(Integer(6), Symbol('s1'))", "2"},
      {"PythonMod(Mul(Integer(-1), Symbol('s0')), Integer(4))", "1"},
      {"Mod(Symbol('s0'), Integer(4))", "3"},
      {"ModularIndexing(Symbol('s0'), Integer(2), Integer(2))", "1"},
      {"Max(Integer(1), Symbol('u0'))", "1"},
      {"Min(Integer(1), Symbol('u0'), Integer(-2))", "-2"},
      {"Mul(Float('0.5', precision=53), ToFloat(Symbol('s0')))", "3.500000"},
      {"TruncToInt(Mul(Float('-0.5', precision=53), ToFloat(Symbol('s0'))))", "-3"},
      {"Mul(Rational(1, 2), Integer(4))", "2.000000"},
      {"IntTrueDiv(Symbol('s0'), Integer(2))", "3.500000"},
      {"CeilToInt(Float('1.25'))", "2"},
      {"FloorToInt(Float('-1.25'))", "-2"},
      {"RoundToInt(Float('2.5'))", "2"},
      {"GreaterThan(Symbol('u0'), Integer(0))", "1"},
      {"StrictLessThan(Symbol('s0'), Symbol('s1'))", "0"},
      {"Where(Equality(Symbol('u0'), Integer(0)), Symbol('s0'), Symbol('s1'))", "7"},
      {"Identity(Symbol('s0'))", "7"},
      {"true", "1"},
      {"8*s0", "56"},
      {"s0 + 2*s1 - 1", "12"},
      {"-s0**2", "-49"},
      {"(s0 - 1)//2 % 2", "1"},
      {"s0/2", "3.500000"},
      {"Max(1, u0) <= 1", "1"},
      {"s2", "none"},
      {"Unheard(s0)", "none"},
      {"FloorDiv(s0, u0)", "none"},
      {"9223372036854775807 + 1", "none"},
      {"4611686018427387904*2", "none"},
      {"", "malformed"},
      {"s0 s1", "malformed"},
      {"(s0", "malformed"},
      {"Add(s0,", "malformed"},
      {"Symbol('s0'", "malformed"},
      {"Symbol()", "malformed"},
      {"s0 +", "malformed"},
      {"1..2", "malformed"},
  };
  for (const auto& [text, value] : kRows) EXPECT_EQ(ValueOf(text), value) << text;
  EXPECT_EQ(ValueOf(std::string(100'000, '(')), "malformed");
  EXPECT_EQ(ValueOf(std::string(100'000, '-') + "1"), "malformed");
  std::string sum = "s0", quotients = "s0";
  for (int i = 0; i < 100'000; ++i) sum += i % 2 ? "+1" : "-s1", quotients += "//2";
  EXPECT_EQ(ValueOf(sum), "-99993");
  EXPECT_EQ(ValueOf(quotients), "malformed");
  EXPECT_EQ(ValueOf("s0*s1//2*s1//4 - 1 - 2 + s0"), "11");
}

TEST(Expression, IsPrintedAsPythonWritesIt) {
  constexpr std::pair<std::string_view, std::string_view> kRows[] = {
      {"Symbol('s0', positive=True, integer=True)", "s0"},
      {"Mul(Integer(2), Add(Symbol('s0'), Integer(1)))", "2*(s0 + 1)"},
      {"FloorDiv(Mul(Integer(2), Symbol('s0')), Integer(3))", "2*s0//3"},
      {"Pow(Add(Symbol('s0'), Integer(1)), Integer(2))", "(s0 + 1)**2"},
      {"Max(Integer(1), Symbol('s0'))", "Max(1, s0)"},
      {"GreaterThan(Symbol('u0'), Integer(0))", "u0 >= 0"},
  };
  for (const auto& [text, printed] : kRows) EXPECT_EQ(ToString(*ParseExpression(text)), printed);
}

TEST(Expression, UnknownSymbols) {
  Expression expression = *ParseExpression("Add(Symbol('b'), Symbol('a'), Symbol('s0'), Symbol('b'))");
  EXPECT_EQ(UnknownSymbols(expression, kValues), (std::vector<std::string>{"b", "a"}));
}

}  // namespace
}  // namespace fakeprop
