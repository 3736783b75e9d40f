#include "tools/cli/table.h"

#include <gtest/gtest.h>

namespace fakeprop::cli {
namespace {

Table Sample() {
  Table table({{"node", false, 4}, {"shape", false, 6}, {"bytes", true, 5}, {"module", false, 8, Fit::kOptional}});
  table.AddRow(
      {{"conv2d", Color::kName}, std::string("[2, 16, 32, 32]"), std::string("128 KiB"), std::string("stem.0")});
  table.AddRow({std::string("größe"), std::string("[2]"), std::string("8 B")});
  table.AddRow({std::string("bad")}, {"failed for a reason that is long", Color::kError});
  return table;
}

TEST(Table, AlignsColumns) {
  EXPECT_EQ(Sample().Render(0, {}),
      "node    shape              bytes  module\n"
      "conv2d  [2, 16, 32, 32]  128 KiB  stem.0\n"
      "größe   [2]                  8 B\n"
      "bad     failed for a reason that is long\n");
}

TEST(Table, DropsOptionalColumnsThenShrinksTheWidest) {
  EXPECT_EQ(Sample().Render(32, {}),
      "node    shape              bytes\n"
      "conv2d  [2, 16, 32, 32]  128 KiB\n"
      "größe   [2]                  8 B\n"
      "bad     failed for a reason tha…\n");
  EXPECT_EQ(Sample().Render(24, {}),
      "node    shape      bytes\n"
      "conv2d  [2, 16…  128 KiB\n"
      "größe   [2]          8 B\n"
      "bad     failed for a re…\n");
}

TEST(Table, OptionalColumnsThatNobodyUsesAreLeftOut) {
  Table table({{"node"}, {"module", false, 8, Fit::kOptional}});
  table.AddRow({std::string("x"), std::string("")});
  EXPECT_EQ(table.Render(0, {}), "node\nx\n");
}

TEST(Table, WhatIsTheSameInAllRowsGoesBeforeAnythingIsCut) {
  Table table({{"node"}, {"shape", false, 8, Fit::kKeep}, {"device", false, 6, Fit::kOptionalIfSame},
      {"module", false, 8, Fit::kOptional}});
  table.AddRow({std::string("a_long_name"), std::string("[2, 16, 32]"), std::string("cpu"), std::string("stem")});
  table.AddRow({std::string("b"), std::string("[2]"), std::string("cpu"), std::string("head")});
  EXPECT_EQ(table.LeftOut(0), std::vector<std::string>());
  EXPECT_EQ(table.LeftOut(32), std::vector<std::string>{"device (cpu)"});
  EXPECT_EQ(table.Render(32, {}),
      "node         shape        module\na_long_name  [2, 16, 32]  stem\nb            [2]          head\n");
  EXPECT_EQ(table.LeftOut(21), (std::vector<std::string>{"device (cpu)", "module"}));
  EXPECT_EQ(table.Render(21, {}), "node      shape\na_long_…  [2, 16, 32]\nb         [2]\n");
}

TEST(Table, ColoursDoNotCount) {
  EXPECT_EQ(Sample().Render(0, {true}).find("\x1b[1mnode\x1b[0m    \x1b[1mshape\x1b[0m"), 0u);
}

}  // namespace
}  // namespace fakeprop::cli
