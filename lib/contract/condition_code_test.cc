#include "lib/contract/condition_code.h"

#include <gtest/gtest.h>

#include "lib/symbolic/build.h"

namespace fakeprop {
namespace {

TEST(ConditionCode, ConditionsInBothLanguages) {
  ShapeEnv env;
  for (const char* name : {"n", "m"}) env.NewSymbol(name, Range{}, 4, "");
  const std::map<std::string, size_t> positions = {{"n", 0}, {"m", 1}};
  const auto code = [&](CodeLanguage language, const char* text) {
    return CodeOf(language, ParseSym(text, env), positions).value_or("none");
  };
  EXPECT_EQ(code(CodeLanguage::kPython, "Eq(Mod(n, 8), 0)"), "is_zero(mod(s[0], 8))");
  EXPECT_EQ(code(CodeLanguage::kCpp, "Eq(Mod(n, 8), 0)"), "is_zero(mod(s[0], Int(8)))");
  EXPECT_EQ(code(CodeLanguage::kPython, "2*n + 1"), "(1 + 2 * s[0])");
  EXPECT_EQ(code(CodeLanguage::kCpp, "Ne(n, m)"), "negated(is_zero((Int(0) + Int(1) * s[0] + Int(-1) * s[1])))");
  EXPECT_EQ(code(CodeLanguage::kPython, "Min(n, m)"), "least(s[0], s[1])");
  EXPECT_EQ(code(CodeLanguage::kPython, "n/2"), "none");
}

TEST(ConditionCode, HostileTextsStayLiterals) {
  EXPECT_EQ(CodeLiteral(CodeLanguage::kCpp, "a\"\\\n??/1"), R"("a\042\134\012\077\077/1")");
  EXPECT_EQ(CodeLiteral(CodeLanguage::kPython, "a\"\\\n\x01"), R"("a\U00000022\U0000005c\U0000000a\U00000001")");
  EXPECT_EQ(CodeLiteral(CodeLanguage::kPython, "\u202e"), R"("\U0000202e")");
  EXPECT_EQ(CodeLiteral(CodeLanguage::kCpp, "\xc3\xa9"), R"("\303\251")");
}

TEST(ConditionCode, NumbersAtTheEnds) {
  EXPECT_EQ(CodeInteger(CodeLanguage::kCpp, INT64_MIN), "Int(INT64_MIN)");
  EXPECT_EQ(CodeInteger(CodeLanguage::kPython, -3), "(-3)");
}

}  // namespace
}  // namespace fakeprop
