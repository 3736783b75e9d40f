#include "lib/inputs/input_option.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace fakeprop {
namespace {

Graph GraphOf(std::initializer_list<std::pair<const char*, InputType>> inputs) {
  Graph graph;
  for (const auto& [name, type] : inputs) {
    graph.inputs.push_back({.type = type, .node = static_cast<int32_t>(graph.nodes.size())});
    graph.nodes.push_back({.name = name, .op = NodeOp::kPlaceholder});
  }
  return graph;
}

std::string Spec(std::initializer_list<const char*> texts) {
  Graph graph = GraphOf({{"x", InputType::kTensor}, {"n", InputType::kInt}, {"f", InputType::kFloat},
      {"b", InputType::kBool}, {"s", InputType::kString}, {"recorded", InputType::kTensor}});
  graph.recorded["recorded"] = RecordedTensor{.sizes = {{.expression = "s77", .hint = 4}}};
  std::vector<InputOption> options;
  for (const char* text : texts) options.push_back(ParseInputOption(text));
  return SpecOf(options, graph);
}

std::string Document(const std::string& inputs, const std::string& symbols = "") {
  return R"({"format": "fakeprop.inputs/1", "symbols": {)" + symbols + R"(}, "inputs": {)" + inputs + "}}";
}

TEST(InputOption, TensorsByTheirParts) {
  EXPECT_EQ(
      Spec({"x=4x16:int64@cuda:0"}), Document(R"("x": {"shape": [4, 16], "dtype": "int64", "device": "cuda:0"})"));
  EXPECT_EQ(Spec({"x=4,16"}), Document(R"("x": {"shape": [4, 16]})"));
  EXPECT_EQ(Spec({"x=[4, 16]"}), Document(R"("x": {"shape": [4, 16]})"));
  EXPECT_EQ(Spec({"x=(4, 16)"}), Document(R"("x": {"shape": [4, 16]})"));
  EXPECT_EQ(Spec({"x=(4,)"}), Document(R"("x": {"shape": [4]})"));
  EXPECT_EQ(Spec({"x=7"}), Document(R"("x": {"shape": [7]})"));
  EXPECT_EQ(Spec({"x=[]"}), Document(R"("x": {"shape": []})"));
  EXPECT_EQ(Spec({"x=:bfloat16"}), Document(R"("x": {"dtype": "bfloat16"})"));
  EXPECT_EQ(Spec({"x=@meta"}), Document(R"("x": {"device": "meta"})"));
}

TEST(InputOption, SymbolsThatTheGraphLacksAreDeclared) {
  EXPECT_EQ(Spec({"x=batchx16"}), Document(R"("x": {"shape": ["batch", 16]})", R"("batch": {})"));
  EXPECT_EQ(Spec({"x=max,2*max + 1", "recorded=s77"}),
      Document(R"("x": {"shape": ["max", "2*max + 1"]}, "recorded": {"shape": ["s77"]})", R"("max": {})"));
}

TEST(InputOption, NumbersAndTextsByTheirValue) {
  EXPECT_EQ(Spec({"n=5", "f=0.5", "b=true", "s=mean"}),
      Document(R"("n": {"value": 5}, "f": {"value": 0.5}, "b": {"value": true}, "s": {"value": "mean"})"));
  EXPECT_EQ(Spec({"f=1e3"}), Document(R"("f": {"value": 1000.0})"));
}

TEST(InputOption, WrongTextsSayWhatIsWrong) {
  const std::pair<const char*, const char*> kWrong[] = {{"x", "it has no `NAME=`"}, {"=4", "it has no `NAME=`"},
      {"x=", "nothing follows the `=`"}, {"x=4@", "no device follows the `@`"}, {"x=4:", "no dtype follows the `:`"},
      {"x=4xx5", "a size is missing"}, {"x=4,,5", "a size is missing"}, {"x=maxx4", "a size is missing"},
      {"x=4x)", "`)` is no size"}, {"x=float32", "`float32` is a dtype, which follows a `:`"},
      {"x=4x7:int64:cuda", "a device follows an `@`"}};
  for (const auto& [text, why] : kWrong) {
    try {
      ParseInputOption(text);
      FAIL() << text;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace fakeprop
