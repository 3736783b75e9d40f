// Symbols and expressions that a spec gives, beside those that the graph recorded.
#include <gtest/gtest.h>

#include "lib/inputs/inputs.h"
#include "lib/inputs/testing/resolve_text.h"
#include "lib/readers/testing/graph_text.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

using testing::DiagnosticsText;
using testing::ReadInputGraph;

struct Row {
  const char* fields;  // of the spec, before inputs
  const char* inputs;
  const char* expected;  // sizes of x and mask, n, the symbols that there are, and what is declared; or diagnostics
};

std::string ShapeOf(const InputValue& value) {
  return value.is_tensor ? ToString(value.meta.size_span()) : ToString(*value.value.TryPlain());
}

std::string Resolve(const Graph& graph, const Row& row) {
  DiagnosticSink sink;
  ShapeEnv env;
  const std::string spec =
      "{\"format\": \"fakeprop.inputs/1\"" + std::string(row.fields) + ", \"inputs\": {" + row.inputs + "}}";
  auto values = ResolveInputs(graph, spec, "spec.json", sink, &env);
  if (!values) return DiagnosticsText(sink);
  std::string text;
  for (size_t i = 0; i < values->size(); ++i)
    if (const std::string& name = graph.nodes[graph.inputs[i].node].name;
        name == "x" || name == "mask" || name == "y" || name == "n")
      text += name + " " + ShapeOf((*values)[i]) + "; ";
  for (const SymbolInfo& s : env.symbols())
    text += s.node->name + (s.range.low == Range::kNoLow ? "" : " from " + std::to_string(s.range.low)) + " hint " +
            std::to_string(*s.hint) + " of " + s.source + "; ";
  for (const GuardRecord& g : env.guards()) text += ToString(g.expression) + "; ";
  return text;
}

TEST(SpecSymbols, TheGraphsOwnStayInResults) {
  const Graph graph = ReadInputGraph("dynamic");
  DiagnosticSink sink;
  ShapeEnv env;
  const char* spec =
      R"({"format": "fakeprop.inputs/1", "symbols": {"n": {"hint": 5}}, "inputs": {"mask": {"shape": ["s77", "n"]}}})";
  ASSERT_TRUE(ResolveInputs(graph, spec, "spec.json", sink, &env)) << DiagnosticsText(sink);
  Sym s77 = env.FindSymbol("s77"), n = env.FindSymbol("n");
  EXPECT_TRUE(env.Guard(Equal(s77, env.Integer(4))));
  EXPECT_TRUE(env.Guard(Equal(n, env.Integer(5))));
  EXPECT_EQ(ToString(env.Simplify(Add(s77, n))), "s77 + 5");
}

// The graph recorded x [s77, 3], mask [s77, s53], y [2*s77] and the number n.
TEST(SpecSymbols, AreWhatShapesSay) {
  const Graph graph = ReadInputGraph("dynamic");
  constexpr Row kRows[] = {
      {"", "",
          "x [s77, 3]; mask [s77, s53]; y [2*s77]; n s86; s77 from 2 hint 4 of x.size(0); s53 from 4 hint 5 of "
          "mask.size(1); s86 hint 5 of n; s77 <= 50; "},
      {R"(, "symbols": {"b": {}})", R"("x": {"shape": ["b", 3]})",
          "x [b, 3]; mask [b, s53]; y [2*b]; n s86; b from 2 hint 4 of x.size(0); s53 from 4 hint 5 of mask.size(1); "
          "s86 hint 5 of n; b <= 50; "},
      {R"(, "symbols": {"b": {"min": 1, "hint": 5}})", R"("x": {"shape": ["2*b + 1", 3]})",
          "x [2*b + 1, 3]; mask [2*b + 1, s53]; y [4*b + 2]; n s86; b from 1 hint 5 of ; s53 from 4 hint 5 of "
          "mask.size(1); s86 hint 5 of n; b <= 31; b <= 24; "},
      {R"(, "symbols": {"b": {"multiple_of": 8}})", R"("y": {"shape": ["b"]})",
          "x [(b//2), 3]; mask [(b//2), s53]; y [b]; n s86; b from 2 hint 8 of y.size(0); s53 from 4 hint 5 of "
          "mask.size(1); s86 hint 5 of n; (b//2) <= 64; (b//2) <= 50; "},
      {R"(, "symbols": {"b": {}})", R"("y": {"shape": ["b"]})",
          "x [(b//2), 3]; mask [(b//2), s53]; y [b]; n s86; b from 2 hint 8 of y.size(0); s53 from 4 hint 5 of "
          "mask.size(1); s86 hint 5 of n; Eq(Mod(b, 2), 0); (b//2) <= 64; (b//2) >= 2; (b//2) <= 50; "},
      {R"(, "symbols": {"b": {}})", R"("y": {"shape": ["2*b"]})",
          "x [b, 3]; mask [b, s53]; y [2*b]; n s86; b from 2 hint 4 of ; s53 from 4 hint 5 of mask.size(1); s86 hint 5 "
          "of n; b <= 64; b <= 50; "},
      {R"(, "symbols": {"b": {}, "c": {}})", R"("x": {"shape": ["b", 3]}, "mask": {"shape": ["c", 7]})",
          "x [b, 3]; mask [c, 7]; y [2*b]; n s86; b from 2 hint 4 of x.size(0); c from 2 hint 4 of mask.size(0); s86 "
          "hint 5 of n; Eq(b, c); b <= 50; "},
      {R"(, "symbols": {"b": {}, "c": {"min": 9}})", R"("x": {"shape": ["b", 3]}, "y": {"shape": ["c"]})",
          "FP2007 /inputs/y/shape/0: dimension 0 of `y` is `c` but the graph recorded `2*s77`, and `s77` is `b` by "
          "dimension 0 of `x`: `Eq(2*b, c)` does not hold for the hints of its symbols\n"},
      {R"(, "symbols": {"b": {"min": 6}})", R"("x": {"shape": ["b", 3]}, "mask": {"shape": [5, 7]})",
          "FP2007 /inputs/x/shape/0: dimension 0 of `x` is `b` but the graph recorded `s77`, and `s77` is 5 by the "
          "spec's numbers: `Eq(b, 5)` cannot hold\n"},
      {R"(, "symbols": {"b": {"hint": 6}})", R"("x": {"shape": ["b", 3]}, "y": {"shape": ["b"]})",
          "FP2007 /inputs/y/shape/0: dimension 0 of `y` is `b` but the graph recorded `2*s77`, and `s77` is `b` by "
          "dimension 0 of `x`: `Eq(b, 0)` cannot hold\n"},
      {R"(, "symbols": {"s77": {"min": 4, "max": 9}})", "",
          "x [s77, 3]; mask [s77, s53]; y [2*s77]; n s86; s77 from 4 hint 4 of ; s53 from 4 hint 5 of mask.size(1); "
          "s86 hint 5 of n; "},
      {R"(, "specialize_zero_one": false)", "",
          "x [s77, 3]; mask [s77, s53]; y [2*s77]; n s86; s77 from 2 hint 4 of x.size(0); s53 from 4 hint 5 of "
          "mask.size(1); s86 hint 5 of n; s77 <= 50; "},
      {R"(, "specialize_zero_one": false, "symbols": {"b": {}})", R"("x": {"shape": ["b", 3]})",
          "x [b, 3]; mask [b, s53]; y [2*b]; n s86; b from 0 hint 4 of x.size(0); s53 from 4 hint 5 of mask.size(1); "
          "s86 hint 5 of n; b >= 2; b <= 50; "},
      {R"(, "duck_shape": true, "symbols": {"b": {"hint": 6}, "c": {"hint": 6, "min": 5}})",
          R"("x": {"shape": ["b", 3]}, "mask": {"shape": ["b", "c"]})",
          "x [b, 3]; mask [b, b]; y [2*b]; n s86; b from 2 hint 6 of x.size(0); s86 hint 5 of n; b >= 5; b <= "
          "50; "},
      {R"(, "symbols": {"c": {"hint": 6, "min": 3}})", R"("mask": {"shape": [4, "c"]})",
          "FP2007 /symbols/c/min: `c` stands for `s53`, dimension 1 of `mask`, and the graph takes at least 4 there, "
          "not 3\n"},
      {R"(, "symbols": {"b": {}})", R"("n": {"value": "b + 1"})",
          "x [s77, 3]; mask [s77, s53]; y [2*s77]; n b + 1; b from 2 hint 13 of ; s77 from 2 hint 4 of x.size(0); s53 "
          "from 4 hint 5 of mask.size(1); s77 <= 50; "},
      {"", R"("x": {"shape": ["c", 3]})",
          "FP2002 /inputs/x/shape/0: `c` names a symbol that is neither in `symbols` nor in the graph\n"},
      {R"(, "symbols": {"b": {}})", R"("x": {"shape": ["b//0", 3]})",
          "FP2004 /inputs/x/shape/0: `b//0` is no size: division of b by zero\n"},
  };
  for (const Row& row : kRows) EXPECT_EQ(Resolve(graph, row), row.expected) << row.fields << row.inputs;
}

}  // namespace
}  // namespace fakeprop
