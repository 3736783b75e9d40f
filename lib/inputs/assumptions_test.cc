// What a spec takes for granted about sizes, and the hints that are chosen to fit.
#include <gtest/gtest.h>

#include "lib/inputs/inputs.h"
#include "lib/inputs/testing/resolve_text.h"
#include "lib/readers/testing/graph_text.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

struct Row {
  const char* symbols;
  const char* inputs;
  const char* assume;
  const char* expected;  // the hints of the symbols, then what is declared; or diagnostics
};

// The graph recorded x [s77, 3] at 4, mask [s77, s53] at [4, 5], y [2*s77] and the number n.
std::string Resolve(const Row& row) {
  const Graph graph = testing::ReadInputGraph("dynamic");
  const std::string spec = std::string(R"({"format": "fakeprop.inputs/1", "symbols": {)") + row.symbols +
                           "}, \"inputs\": {" + row.inputs + "}, \"assume\": " + row.assume + "}";
  DiagnosticSink sink;
  ShapeEnv env;
  if (!ResolveInputs(graph, spec, "spec.json", sink, &env)) return testing::DiagnosticsText(sink);
  std::string text;
  for (const SymbolInfo& s : env.symbols())
    text += s.node->name + (s.hint ? " = " + std::to_string(*s.hint) : "") + "; ";
  for (const GuardRecord& g : env.guards()) text += ToString(g.expression) + "; ";
  return text;
}

constexpr const char* kShape = R"("x": {"shape": ["b", 3]}, "mask": {"shape": ["b", "c"]})";

TEST(Assumptions, BecomeFacts) {
  constexpr Row kRows[] = {
      {"", "", "[]", "s77 = 4; s53 = 5; s86 = 5; s77 <= 50; "},
      {"", "", R"(["s77 % 2 == 0"])", "s77 = 4; s53 = 5; s86 = 5; s77 <= 50; Eq(Mod(s77, 2), 0); "},
      {"", "", R"(["s53 == s77 + 1", "2 <= s77 < 8"])",
          "s77 = 4; s53 = 5; s86 = 5; s77 <= 50; Eq(s77 + 1, s53); And(s77 >= 2, s77 <= 7); "},
      {"", "", R"(["s53 == s77 + 1", "s53 >= 5"])",
          "s77 = 4; s53 = 5; s86 = 5; s77 <= 50; Eq(s77 + 1, s53); s53 >= 5; "},
      // What is known already is not said again.
      {"", "", R"(["s77 >= 2", "s53 > 3"])", "s77 = 4; s53 = 5; s86 = 5; s77 <= 50; "},
      {"", R"("x": {"shape": [6, 3]})", R"(["s77 % 2 == 0"])", "s53 = 5; s86 = 5; "},
  };
  for (const Row& row : kRows) EXPECT_EQ(Resolve(row), row.expected) << row.assume;
}

TEST(Assumptions, HintsFitThem) {
  constexpr Row kRows[] = {
      {"", "", R"(["s77 % 3 == 0"])", "s77 = 6; s53 = 5; s86 = 5; s77 <= 50; Eq(Mod(s77, 3), 0); "},
      {R"("b": {}, "c": {})", kShape, R"(["c % 128 == 0"])", "b = 4; c = 128; s86 = 5; b <= 50; Eq(Mod(c, 128), 0); "},
      {R"("b": {"hint": 6}, "c": {})", kShape, R"(["b == c"])", "b = 6; c = 6; s86 = 5; b <= 50; Eq(b, c); "},
      {R"("b": {}, "c": {"hint": null})", kShape, R"(["c >= 2*b"])", "b = 4; c; s86 = 5; b <= 50; 2*b <= c; "},
  };
  for (const Row& row : kRows) EXPECT_EQ(Resolve(row), row.expected) << row.assume;
}

TEST(Assumptions, Mistakes) {
  constexpr Row kRows[] = {
      {"", "", R"("s77 % 2 == 0")", "FP2001 /assume: expected an array but found the string `s77 % 2 == 0`\n"},
      {"", "", "[3]", "FP2001 /assume/0: expected a string but found 3\n"},
      {"", "", R"(["s77 = 4"])", "FP2001 /assume/0: `s77 = 4` is no condition over symbols\n"},
      {"", "", R"(["s77"])",
          "FP2004 /assume/0: `s77` is a number: an assumption is a condition, such as `batch % 2 == 0`\n"},
      {"", "", R"(["s78 % 2 == 0"])",
          "FP2002 /assume/0: `s78 % 2 == 0` names a symbol or a function that is not known here\n"},
      {"", "", R"(["s77 // 0 == 1"])", "FP2004 /assume/0: `s77 // 0 == 1` has no value: division of s77 by zero\n"},
      {"", "", R"(["s53 > 3", "s77 < 2"])",
          "FP2007 /assume/1: `s77 < 2` cannot hold for the sizes and ranges of the graph and the spec\n"},
      {"", "", R"(["s77 % 2 == 0", "s77 % 2 == 1"])",
          "FP2007 /assume/1: `s77 % 2 == 1` cannot hold for the sizes and ranges of the graph and the spec\n"},
      {R"("b": {"hint": 3})", R"("x": {"shape": ["b", 3]})", R"(["b % 2 == 0"])",
          "FP2007 /assume/0: `b % 2 == 0` does not hold for the hints: b = 3\n"},
      {"", R"("x": {"shape": [5, 3]})", R"(["s77 % 2 == 0"])",
          "FP2007 /assume/0: `s77 % 2 == 0` cannot hold for the sizes and ranges of the graph and the spec\n"},
  };
  for (const Row& row : kRows) EXPECT_EQ(Resolve(row), row.expected) << row.assume;
}

}  // namespace
}  // namespace fakeprop
