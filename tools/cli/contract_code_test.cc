// The code that `fakeprop contract --format cpp` writes compiles and finds broken demands.
#include <gtest/gtest.h>

#include "tools/cli/hostile_names_contract.h"
#include "tools/cli/product_contract.h"

namespace {

using contract_of_product_json::Check;
using contract_of_product_json::Input;

Input Floats(std::vector<std::int64_t> sizes) { return Input::Tensor("float32", "cpu", std::move(sizes)); }

std::string Broken(const std::vector<Input>& inputs) {
  std::string text;
  for (const std::string& demand : Check(inputs)) text += demand + "\n";
  return text;
}

TEST(ContractCode, TakesWhatThePropagationTakes) {
  EXPECT_EQ(Broken({Floats({8, 16}), Floats({16, 16})}), "");
  EXPECT_EQ(Broken({Floats({1, 2}), Floats({2, 2})}), "");
}

TEST(ContractCode, NamesTheInputAndTheDemand) {
  EXPECT_EQ(Broken({Floats({8, 16})}), "there are 1 inputs, there have to be 2\n");
  EXPECT_EQ(Broken({Floats({8, 16, 1}), Input::Integer(3)}),
      "input x is of 3 dimensions, has to be 2\ninput y is no tensor, has to be one\n");
  EXPECT_EQ(Broken({Input::Tensor("float16", "cuda", {8, 16}), Floats({16, 16})}),
      "input x is of dtype float16, has to be float32\ninput x is on device cuda, has to be cpu\n");
  EXPECT_EQ(Broken({Floats({65, 16}), Floats({16, 16})}), "batch (x.size(0)) is 65, has to be at most 64\n");
  EXPECT_NE(
      Broken({Floats({8, 16}), Floats({8, 16})}).find("the sizes violate Eq(width, height) where "), std::string::npos);
}

TEST(ContractCode, HostileNamesAreTexts) {
  EXPECT_EQ(contract_of_hostile_names_json::kNames.at(0), "x\"); evil(\" \?\?/\\ \n*/ \u202e");
  EXPECT_EQ(contract_of_hostile_names_json::Check({}).size(), 1u);
}

}  // namespace
