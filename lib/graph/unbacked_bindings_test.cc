#include "lib/graph/unbacked_bindings.h"

#include <gtest/gtest.h>

#include "lib/graph/graph.h"
#include "lib/symbolic/build.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

// Where u0, u1 stand among numbers: "u0 [0]; u1 [1].__floordiv__(3)".
std::string Bindings(const std::vector<std::string>& numbers) {
  ShapeEnv env;
  env.NewSymbol("s0", {2, Range::kNoHigh}, 16, "x.size(0)");
  for (int i = 0; i < 2; ++i) env.NewUnbacked(SymType::kInt, {0, Range::kNoHigh});
  List list;
  for (const std::string& text : numbers) list.items.push_back(Value::Of(ParseSym(text, env)));
  std::string out;
  for (const UnbackedBinding& binding : FindBindings(env, 1, list))
    out += (out.empty() ? "" : "; ") + binding.symbol->name + " " + binding.place;
  return out;
}

TEST(Unbacked, BindsSymbolsWhereTheyStand) {
  EXPECT_EQ(Bindings({"u0", "u1"}), "u0 [0]; u1 [1]");
  EXPECT_EQ(Bindings({"s0", "Eq(u0, 1)"}), "u0 [1].__int__()");
  EXPECT_EQ(Bindings({"u0 + 1", "u0*u1", "5"}), "");
}

TEST(Unbacked, BindsFactors) {
  EXPECT_EQ(Bindings({"3*u0", "u0"}), "u0 [0].__floordiv__(3)");
  EXPECT_EQ(Bindings({"s0*u1"}), "u1 [0].__floordiv__(s0)");
  EXPECT_EQ(Bindings({"3*u0 + 1", "2*s0*u1", "u0**2"}), "");
}

}  // namespace
}  // namespace fakeprop
