#include "lib/symbolic/node.h"

#include <gtest/gtest.h>

#include <random>

#include "lib/error/error.h"
#include "lib/symbolic/build.h"

namespace fakeprop {
namespace {

class Nodes : public testing::Test {
 protected:
  Nodes() {
    for (const char* name : {"s0", "s1", "s2"}) env_.NewSymbol(name, {2, Range::kNoHigh}, 10, "");
  }
  std::string Canonical(std::string_view text) {
    Sym node = ParseSym(text, env_);
    return node ? ToString(node) : "malformed";
  }
  ShapeEnv env_;
};

TEST_F(Nodes, Canonical) {
  constexpr std::pair<std::string_view, std::string_view> kRows[] = {
      {"1 + 2*s0", "2*s0 + 1"},
      {"s0 + s0 - 2*s0", "0"},
      {"(s0 + 1)*(s0 - 1)", "s0**2 - 1"},
      {"s1*s0*2 - s0*s1", "s0*s1"},
      {"(8*s0 + 3)//4", "2*s0"},
      {"(8*s0 + s1)//4", "2*s0 + (s1//4)"},
      {"(2*s0 + 1)//4", "(s0//2)"},
      {"(6*s0 + 5)//4", "(3*s0//2) + 1"},
      {"((s0 - 1)//2)//2", "((s0 + 3)//4) - 1"},
      {"(64*s0*s1)//s1", "64*s0"},
      {"(s0*s1 + 2*s1)//(s0 + 2)", "s1"},
      {"Mod(8*s0 + 9, 4)", "1"},
      {"PythonMod(-s0, 4)", "Mod(-s0, 4)"},
      {"Mod(2*s0, 4)", "2*Mod(s0, 2)"},
      {"Mod(s0*s1, s1)", "0"},
      {"Max(s0, s0 + 1, 3)", "Max(s0 + 1, 3)"},
      {"Eq(2*s0, 8)", "Eq(s0, 4)"},
      {"Eq(2*s0, 7)", "False"},
      {"s0 > 4", "s0 >= 5"},
      {"2*s0 < 9", "s0 <= 4"},
      {"Ne(s1, s0)", "Ne(s0, s1)"},
      {"And(s0 <= 4, s0 > 4)", "And(s0 >= 5, s0 <= 4)"},
      {"Add(Integer(10), Mul(Integer(-1), Symbol('s0', integer=True)))", "-s0 + 10"},
      {"TruncToInt(Mul(Float('0.5', precision=53), ToFloat(Symbol('s0'))))", "TruncToInt(0.5*ToFloat(s0))"},
      {"s0/2", "s0/2"},
      {"Where(s0 < s1, s0, 7)", "Where(s0 + 1 <= s1, s0, 7)"},
      {"sqrt(s0)", "sqrt(ToFloat(s0))"},
  };
  for (const auto& [text, canonical] : kRows) EXPECT_EQ(Canonical(text), canonical) << text;
}

// A random expression in Python's spelling; every function's domain is kept.
std::string RandomText(std::mt19937& random, int depth) {
  auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  if (depth == 0) return pick(3) ? "s" + std::to_string(pick(3)) : "(" + std::to_string(pick(21) - 10) + ")";
  auto part = [&] { return RandomText(random, depth - 1); };
  const std::string number = "(" + std::to_string(pick(2) ? pick(7) + 1 : -pick(7) - 1) + ")";
  switch (pick(16)) {
    case 0: return "(" + part() + " + " + part() + ")";
    case 1: return "(" + part() + " - " + part() + ")";
    case 2: return "(" + part() + "*" + part() + ")";
    case 3: return "(" + part() + "*" + number + ")";
    case 4: return "(" + part() + "//" + number + ")";
    case 5: return "Mod(" + part() + ", " + number + ")";
    case 6: return "Max(" + part() + ", " + part() + ")";
    case 7: return "Min(" + part() + ", " + part() + ")";
    case 8: return "Where(" + part() + " <= " + part() + ", " + part() + ", " + part() + ")";
    case 9:
      return "Where(Or(Eq(" + part() + ", " + part() + "), Not(" + part() + " < 3)), " + part() + ", " + part() + ")";
    case 10: return "CeilDiv(" + part() + ", " + number + ")";
    case 11: return "PowByNatural(2, Max(0, Min(5, " + part() + ")))";
    case 12: return "Mod(" + part() + ", s" + std::to_string(pick(3)) + ")";
    case 13: return "TruncToInt(Float('0.5')*ToFloat(" + part() + "))";
    case 14: return "ceiling(" + part() + "/4)";
    case 15: return "floor(sqrt(Max(0, " + part() + ")))";
    default: return "FloorDiv(" + part() + ", s" + std::to_string(pick(3)) + ")";
  }
}

std::string ValueOf(Sym node, const SymbolValues& values) {
  // The printed form, read again as a file's.
  std::optional<Expression> expression = ParseExpression(ToString(node));
  std::optional<Number> number = expression ? Evaluate(*expression, values) : std::nullopt;
  return number && number->AsInteger() ? std::to_string(*number->AsInteger()) : "none";
}

// What is known for all integers holds for negative ones, too.
TEST_F(Nodes, SimplifiedExpressionsHaveTheSameValues) {
  std::mt19937 random(1);
  int compared = 0;
  for (int i = 0; i < 6000; ++i) {
    const std::string text = RandomText(random, 1 + i % 4);
    Sym node = nullptr;
    try {
      node = ParseSym(text, env_);
    } catch (const OpError&) {
      continue;  // beyond 64 bits
    }
    ASSERT_TRUE(node) << text;
    EXPECT_EQ(ParseSym(ToString(node), env_), node) << text << " is " << ToString(node);
    for (int point = 0; point < 4; ++point) {
      SymbolValues values;
      for (const char* name : {"s0", "s1", "s2"}) values[name] = static_cast<int64_t>(random() % 60) - 20;
      std::optional<Number> direct = Evaluate(*ParseExpression(text), values);
      if (!direct || !direct->AsInteger()) continue;
      ++compared;
      ASSERT_EQ(ValueOf(node, values), std::to_string(*direct->AsInteger())) << text << " is " << ToString(node);
    }
  }
  EXPECT_GT(compared, 10000);
}

TEST_F(Nodes, RangesHoldTheValues) {
  std::mt19937 random(2);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = RandomText(random, 1 + i % 4);
    ShapeEnv env;
    const int64_t low = static_cast<int64_t>(random() % 5), high = low + static_cast<int64_t>(random() % 30);
    for (const char* name : {"s0", "s1", "s2"}) env.NewSymbol(name, {low, high}, low, "");
    Sym node = nullptr;
    try {
      node = ParseSym(text, env);
    } catch (const OpError&) {
      continue;
    }
    const Range range = env.RangeOf(node);
    for (int point = 0; point < 6; ++point) {
      SymbolValues values;
      for (const char* name : {"s0", "s1", "s2"})
        values[name] = low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
      std::optional<Number> direct = Evaluate(*ParseExpression(text), values);
      if (direct && direct->AsInteger()) {
        ASSERT_TRUE(range.Has(*direct->AsInteger()))
            << text << " = " << *direct->AsInteger() << " in [" << range.low << ", " << range.high << "]";
      }
    }
  }
}

// Each condition at hints of 10: one that does not hold, one that does.
TEST_F(Nodes, HintsOfConditions) {
  Sym wrong = Equal(ParseSym("s0", env_), env_.Integer(3)), right = Equal(ParseSym("s1", env_), env_.Integer(10));
  EXPECT_TRUE(Or(wrong, right)->hint->Truth());
  EXPECT_FALSE(Or(wrong, Not(right))->hint->Truth());
  EXPECT_FALSE(And(wrong, right)->hint->Truth());
  EXPECT_TRUE(And(Not(wrong), right)->hint->Truth());
}

TEST_F(Nodes, HintsAreValues) {
  Sym node = ParseSym("(3*s0 + 1)//4", env_);
  ASSERT_TRUE(node->hint);
  EXPECT_EQ(node->hint->integer, 7);
}

TEST_F(Nodes, HostileExpressionsEnd) {
  Sym power = env_.FindSymbol("s0");
  EXPECT_THROW(
      for (int i = 0; i < 100000; ++i) power = Add(FloorDivide(power, env_.Integer(2)), Modulo(power, env_.Integer(3))),
      OpError);
  Sym sum = Add(Add(env_.FindSymbol("s0"), env_.FindSymbol("s1")), env_.FindSymbol("s2"));
  Sym product = sum;
  for (int i = 0; i < 1000; ++i) product = Multiply(product, sum);
  EXPECT_LT(product->size, 2000u);
  EXPECT_THROW(Multiply(Scale(power, INT64_MAX), env_.Integer(2)), OpError);
  EXPECT_THROW(ParseSym("s0 // 0", env_), OpError);
  EXPECT_EQ(ParseSym("nothing(s0)", env_), nullptr);
  EXPECT_EQ(ParseSym("s9", env_), nullptr);
}

}  // namespace
}  // namespace fakeprop
