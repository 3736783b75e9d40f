#include "lib/torchscript/compiler/parser.h"

#include <gtest/gtest.h>

#include "lib/torchscript/compiler/decline.h"

namespace fakeprop::script {
namespace {

// "(apply torch.f x)": kinds by their marks, names as they are.
std::string TextOf(const Syntax& syntax) {
  std::string text = syntax.text;
  if (syntax.of.empty()) return text.empty() ? "_" : text;
  text += "(";
  for (const Syntax& part : syntax.of) text += (text.back() == '(' ? "" : " ") + TextOf(part);
  return text + ")";
}

Syntax Statement(const SourceFile& file) { return ParseFunctionAt(file, 0).of[2].of[0]; }

std::string Parse(const std::string& statement) {
  const SourceFile file = {"code/f.py", "def f(x: Tensor) -> Tensor:\n  " + statement + "\n"};
  return TextOf(Statement(file));
}

std::string Refused(const std::string& statement) {
  try {
    Parse(statement);
  } catch (const Declined& declined) {
    return declined.what;
  }
  return "";
}

TEST(Parser, Expressions) {
  EXPECT_EQ(Parse("y = torch.add(x, -1, alpha=2)"), "(y (add(torch) x -1 alpha(2)))");
  EXPECT_EQ(Parse("a, b, = (self).f(x, )"), "((a b) (f(self) x))");
  EXPECT_EQ(Parse("return [x, {\"k\": x[0]}, ()]"), "((x (k (x 0)) _))");
  EXPECT_EQ(Parse("return \"a\\n\\\"\\101\""), "(a\n\"A)");
}

TEST(Parser, PlacesAreThoseOfTorch) {
  const SourceFile file = {"code/f.py", "def f(x: Tensor) -> Tensor:\n  y = (x).g(-1, )\n"};
  const Syntax statement = Statement(file);
  const Syntax& apply = statement.of[1];
  EXPECT_EQ(file.text.substr(statement.offset, 1), "y");
  EXPECT_EQ(file.text.substr(apply.offset, 2), "x)");
  EXPECT_EQ(file.text.substr(apply.of[1].offset, 1), "1");  // behind the minus
}

TEST(Parser, Blocks) {
  const SourceFile file = {
      "code/f.py", "def f(x: Tensor, *, n: int=3) -> Tensor:\n  if x:\n    pass\n  else:\n    return x\n  return x\n"};
  const Syntax function = ParseFunctionAt(file, 0);
  EXPECT_EQ(function.of[1].of.size(), 2u);
  EXPECT_TRUE(function.of[1].of[1].is_keyword_only);
  EXPECT_EQ(function.of[2].of.size(), 2u);
  EXPECT_EQ(function.of[2].of[0].kind, SyntaxKind::kIf);
}

TEST(Parser, ClassesKnowWhereTheirMethodsAre) {
  const SourceFile file = {"code/m.py",
      "class A(Module):\n  w : Tensor\n  def f(self: A,\n    x: int) -> int:\n    return x\n  def g(self: A) -> int:\n"
      "    return 1\nclass B(Module):\n  pass\n"};
  const auto found = FindDefinitions(file);
  ASSERT_EQ(found.size(), 2u);
  const Syntax cls = ParseClassAt(file, found.at("A"));
  ASSERT_EQ(cls.of.size(), 4u);
  EXPECT_EQ(cls.of[2].text, "f");
  EXPECT_EQ(ParseFunctionAt(file, cls.of[3].offset).text, "g");
}

TEST(Parser, WhatIsUnknownIsNamed) {
  EXPECT_EQ(Refused("y = x + 1"), "the operator `+`");
  EXPECT_EQ(Refused("y = lambda"), "`lambda` where an expression should be");
  EXPECT_EQ(Refused("del x"), "a `del` statement");
  EXPECT_EQ(Refused("y = x[1:2]"), "`:` where `,` should be");
  EXPECT_EQ(Refused("y = \"a"), "a string that does not end on its line");
  EXPECT_EQ(Refused("y = " + std::string(500, '(') + "x"), "expressions nested more than 300 deep");
}

}  // namespace
}  // namespace fakeprop::script
