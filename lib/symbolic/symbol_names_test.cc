#include "lib/symbolic/symbol_names.h"

#include <gtest/gtest.h>

#include "lib/symbolic/expression_arena.h"

namespace fakeprop {
namespace {

class Names : public testing::Test {
 protected:
  Sym Add(const std::string& name) {
    Sym symbol = arena_.Symbol(name, SymType::kInt, std::nullopt, next_++, 0);
    names_.Add(name, symbol);
    return symbol;
  }
  ExpressionArena arena_;
  SymbolNames names_;
  int64_t next_ = 0;
};

TEST_F(Names, FindTheFirstSymbolOfAName) {
  EXPECT_EQ(names_.Find("s0"), nullptr);
  Sym first = Add("s0");
  Add("s0");
  EXPECT_EQ(names_.Find("s0"), first);
}

TEST_F(Names, AreCountedForEachType) {
  EXPECT_EQ(names_.Fresh(SymType::kInt, {}), "u0");
  EXPECT_EQ(names_.Fresh(SymType::kBool, {}), "u1");
  EXPECT_EQ(names_.Fresh(SymType::kFloat, {}), "zuf0");
  Add("u2");
  EXPECT_EQ(names_.Fresh(SymType::kInt, {}), "u3");
}

TEST_F(Names, AreTheFirstFreeWishOfTheType) {
  Add("u5");
  EXPECT_EQ(names_.Fresh(SymType::kInt, {"u5", "zuf1", "u6", "u7"}), "u6");
  EXPECT_EQ(names_.Fresh(SymType::kFloat, {"u6", "zuf1"}), "zuf1");
  EXPECT_EQ(names_.Fresh(SymType::kInt, {"u5"}), "u0");
}

}  // namespace
}  // namespace fakeprop
