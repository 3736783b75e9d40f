#include "lib/diff/align_nodes.h"

#include <gtest/gtest.h>

#include <deque>
#include <sstream>

namespace fakeprop {
namespace {

// Nodes as words: "name:operator:value#layout@module".
class Nodes {
 public:
  explicit Nodes(const std::string& text) {
    std::istringstream stream(text);
    for (std::string word; stream >> word;) Add(word);
  }
  const std::vector<NodeTraits>& traits() const { return traits_; }

 private:
  void Add(const std::string& word) {
    const size_t first = word.find(':'), second = word.find(':', first + 1), at = std::min(word.find('@'), word.size());
    const std::string& name = Keep(word.substr(0, first));
    const std::string& op = Keep(word.substr(first + 1, second - first - 1));
    const std::string& module = Keep(at < word.size() ? word.substr(at + 1) : "");
    const bool is_input = op == "placeholder";
    const std::string value = word.substr(second + 1, at - second - 1);
    const size_t hash = std::min(value.find('#'), value.size());
    traits_.push_back({name, is_input ? "placeholder" : "call_function", Keep(is_input ? name : "torch.ops.aten." + op),
        module, "", value.substr(0, hash), value.substr(hash)});
  }
  const std::string& Keep(std::string text) { return texts_.emplace_back(std::move(text)); }

  std::deque<std::string> texts_;
  std::vector<NodeTraits> traits_;
};

// "add=add_1 relu=relu": what each node of `a` became, "-" for nothing.
std::string Aligned(const std::string& a, const std::string& b) {
  const Nodes from(a), to(b);
  const std::vector<int32_t> to_of = AlignNodes(from.traits(), to.traits());
  std::string text;
  for (size_t i = 0; i < to_of.size(); ++i)
    text += (i ? " " : "") + std::string(from.traits()[i].name) + "=" +
            (to_of[i] == kNoNode ? "-" : std::string(to.traits()[static_cast<size_t>(to_of[i])].name));
  return text;
}

TEST(AlignNodes, NamesCountWhereBothHaveTheSame) {
  // By value alone, relu_1 would have become relu.
  EXPECT_EQ(Aligned("relu:relu.default:8 relu_1:relu.default:4 relu_2:relu.default:2",
                "relu:relu.default:4 relu_1:relu.default:2 relu_2:relu.default:1"),
      "relu=relu relu_1=relu_1 relu_2=relu_2");
}

TEST(AlignNodes, ANodeMoreMovesTheNumbersOfTheOthers) {
  EXPECT_EQ(Aligned("add:add.Tensor:1 mul:mul.Tensor:1 add_1:add.Tensor:2 add_2:add.Tensor:3",
                "add:add.Tensor:9 add_1:add.Tensor:1 mul:mul.Tensor:1 add_2:add.Tensor:2 add_3:add.Tensor:3"),
      "add=add_1 mul=mul add_1=add_2 add_2=add_3");
  EXPECT_EQ(Aligned("add:add.Tensor:1 add_1:add.Tensor:1", "add:add.Tensor:1 add_1:add.Tensor:1 add_2:add.Tensor:1"),
      "add=add add_1=add_1");
}

TEST(AlignNodes, AnotherTracerGivesEveryNodeAnotherName) {
  EXPECT_EQ(Aligned("a:relu.default:1@net.0 b:add.Tensor:1@net.1 c:relu.default:1@net.2",
                "x:relu.default:5@net.0 y:add.Tensor:5@net.1 z:relu.default:5@net.2"),
      "a=x b=y c=z");
}

TEST(AlignNodes, ModulesMayMove) {
  EXPECT_EQ(Aligned("relu:relu.default:1@layers.0.act mul:mul.Tensor:1@layers.0",
                "r:relu.default:1@model.layers.0.act m:mul.Tensor:1@model.layers.0"),
      "relu=r mul=m");
}

TEST(AlignNodes, OnlyNodesOfOneOperatorCorrespond) {
  EXPECT_EQ(Aligned("relu:relu.default:1", "gelu:gelu.default:1"), "relu=-");
  EXPECT_EQ(Aligned("relu_:relu_.default:1", "relu:relu.default:1"), "relu_=relu");
  EXPECT_EQ(Aligned("add:add.Tensor:1", "add:add.Scalar:1"), "add=add");
}

TEST(AlignNodes, InputsKeepTheirNames) {
  EXPECT_EQ(Aligned("x:placeholder:1 y:placeholder:2", "y:placeholder:1 x:placeholder:2"), "x=x y=y");
  EXPECT_EQ(Aligned("x:placeholder:1", "z:placeholder:1"), "x=z");
  EXPECT_EQ(Aligned("x:placeholder:1", "z:placeholder:2"), "x=-");
}

TEST(AlignNodes, NodesThatMovedAreFound) {
  EXPECT_EQ(Aligned("sin:sin.default:1 cos:cos.default:1 tan:tan.default:1",
                "cos:cos.default:1 tan:tan.default:1 sin:sin.default:1"),
      "sin=sin cos=cos tan=tan");
}

TEST(AlignNodes, SlicesOfOneTensorAreToldApartByTheirLayout) {
  EXPECT_EQ(Aligned("slice_1:slice.Tensor:4#0 slice_2:slice.Tensor:4#4 slice_3:slice.Tensor:4#8",
                "slice_1:slice.Tensor:4#4 slice_2:slice.Tensor:4#8"),
      "slice_1=- slice_2=slice_1 slice_3=slice_2");
}

TEST(AlignNodes, NothingAndLargeStretches) {
  EXPECT_EQ(Aligned("", "add:add.Tensor:1"), "");
  EXPECT_EQ(Aligned("add:add.Tensor:1", ""), "add=-");
  // A block of its own in the middle, and no name or module to go by.
  std::string a, b, expected;
  for (int i = 0; i < 3000; ++i) {
    const std::string op = i % 3 ? ":mul.Tensor:" : ":add.Tensor:";
    a += "a" + std::to_string(i) + op + std::to_string(i % 7) + " ";
    if (i == 1500)
      for (int k = 0; k < 400; ++k) b += "n" + std::to_string(k) + ":exp.default:1 ";
    b += "b" + std::to_string(i) + op + std::to_string(i % 7) + " ";
    expected += (i ? " a" : "a") + std::to_string(i) + "=b" + std::to_string(i);
  }
  EXPECT_EQ(Aligned(a, b), expected);
}

}  // namespace
}  // namespace fakeprop
