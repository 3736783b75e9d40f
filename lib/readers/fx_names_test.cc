#include "lib/readers/fx_names.h"

#include <gtest/gtest.h>

namespace fakeprop {
namespace {

TEST(FxNames, AsTorchFxGivesThem) {
  // Candidates in order, and what torch.fx.graph._Namespace made of them (torch 2.13).
  constexpr std::pair<std::string_view, std::string_view> kRows[] = {
      {"x", "x"},
      {"x", "x_1"},
      {"x", "x_2"},
      {"x_1", "x_3"},
      {"x_7", "x_7"},
      {"x", "x_8"},
      {"x_007", "x_007"},
      {"x_7", "x_9"},
      {"input", "input_1"},
      {"input", "input_2"},
      {"input_5", "input_5"},
      {"None", "None"},
      {"for", "for_1"},
      {"torch", "torch_1"},
      {"add.Tensor", "add_Tensor"},
      {"a..b--c", "a_b_c"},
      {"3d", "_3d"},
      {"", "_unnamed"},
      {"é", "_"},
      {"_1", "_1"},
      {"_1", "_1_1"},
      {"__1", "__1"},
      {"__1", "__2"},
      {"a_1_2", "a_1_2"},
      {"a_1", "a_1"},
      {"a_1", "a_2"},
      {"a_1_2", "a_1_3"},
  };
  FxNamespace names;
  for (const auto& [candidate, name] : kRows) EXPECT_EQ(names.CreateName(candidate), name) << candidate;
}

TEST(FxNames, OfTargets) {
  EXPECT_EQ(NameOfTarget("torch.ops.aten.add.Tensor"), "add.tensor");
  EXPECT_EQ(NameOfTarget("torch.ops.aten.native_batch_norm.default"), "native_batch_norm.default");
  EXPECT_EQ(NameOfTarget("torch.ops.higher_order.cond"), "cond");
  EXPECT_EQ(NameOfTarget("_operator.getitem"), "getitem");
  EXPECT_EQ(NameOfTarget("torch.sym_max"), "sym_max");
  EXPECT_EQ(NameOfTarget("strange"), "strange");
  EXPECT_EQ(NameOfAttribute("someInput"), "some_input");
  EXPECT_EQ(NameOfAttribute("ABCDef"), "abcdef");
  EXPECT_EQ(NameOfAttribute("__call__"), "call");
}

}  // namespace
}  // namespace fakeprop
