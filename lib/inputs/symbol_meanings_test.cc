#include "lib/inputs/symbol_meanings.h"

#include <gtest/gtest.h>

namespace fakeprop {
namespace {

TEST(SymbolMeanings, TakeThePlaceOfRecordedSymbols) {
  ShapeEnv env;
  Sym batch = env.NewSymbol("batch", {2, Range::kNoHigh}, 6, "x.size(0)");
  env.NewSymbol("s9", {2, Range::kNoHigh}, 3, "y.size(0)");
  const SymbolMeanings meanings{.numbers = {{"s53", 9}}, .expressions = {{"s77", Scale(batch, 2)}}};
  EXPECT_TRUE(meanings.Has("s53"));
  EXPECT_TRUE(meanings.Has("s77"));
  EXPECT_FALSE(meanings.Has("s9"));
  EXPECT_EQ(ToString(BuildSize("s77*s53 + s9", meanings, env)), "18*batch + s9");
  EXPECT_TRUE(BuildSize("2*s53", meanings, env)->IsInteger(18));
  EXPECT_EQ(BuildSize("s1", meanings, env), nullptr);
  EXPECT_EQ(BuildSize("2*", meanings, env), nullptr);
}

}  // namespace
}  // namespace fakeprop
