#include "lib/symbolic/symbol_table.h"

#include <gtest/gtest.h>

#include "lib/symbolic/expression_arena.h"

namespace fakeprop {
namespace {

TEST(SymbolTable, FindsASymbolsEntryByItsIndex) {
  ExpressionArena arena;
  SymbolTable table;
  for (const char* name : {"s0", "s1"}) {
    Sym symbol = arena.Symbol(name, SymType::kInt, 4, table.NextIndex(), 0);
    table.Add({.node = symbol, .range = {2, 9}, .hint = 4, .source = std::string(name) + " of x"});
  }
  EXPECT_EQ(table.NextIndex(), 2);
  for (const SymbolInfo& info : table.all()) EXPECT_EQ(&table.InfoOf(info.node), &info);
  table.InfoOf(table.all()[1].node).keeps_name = true;
  EXPECT_FALSE(table.all()[0].keeps_name);
  EXPECT_TRUE(table.all()[1].keeps_name);
  EXPECT_EQ(table.all()[1].source, "s1 of x");
}

TEST(GraphPlace, IsCalledAsTheDescriberSays) {
  EXPECT_EQ(PlaceText({"", ""}, nullptr), "the inputs");
  EXPECT_EQ(PlaceText({"add", "model.py"}, nullptr), "node `add`");
  const PlaceDescriber describer = [](const GraphPlace& place) { return std::string(place.stack_trace) + ":3"; };
  EXPECT_EQ(PlaceText({"add", "model.py"}, describer), "model.py:3");
  EXPECT_EQ(PlaceText({"", "model.py"}, describer), "the inputs");
}

}  // namespace
}  // namespace fakeprop
