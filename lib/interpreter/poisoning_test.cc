#include "lib/interpreter/poisoning.h"

#include <gtest/gtest.h>

#include "lib/interpreter/testing/written_graph.h"

namespace fakeprop {
namespace {

using testing::ReadWrittenGraph;
using testing::WrittenGraph;

// The state of a graph where each node gave a tensor of its own.
class PoisoningTest : public ::testing::Test {
 protected:
  Frame& NewFrame(std::string_view text) {
    written_ = ReadWrittenGraph(text);
    frame_.emplace(Frame{written_.graph, resolved_.Of(written_.graph, written_.graph)});
    frame_->failed_by.assign(written_.graph.nodes.size(), -1);
    for (size_t i = 0; i < written_.graph.nodes.size(); ++i) frame_->values.push_back(NewTensor());
    return *frame_;
  }

  Tensor* NewTensor() { return objects_.NewTensor(TensorMeta(), objects_.NewStorage(4, Device(DeviceType::CPU))); }
  Tensor* TensorOf(std::string_view node) { return frame_->values[written_.IndexOf(node)].TryTensor(); }

  void Fail(std::string_view node) {
    const int32_t index = written_.IndexOf(node);
    frame_->failed_by[index] = frame_->first_failure = index;
    Poison(*frame_, index);
  }

  // The name of the failed node that this one depends on.
  std::string CauseOf(std::string_view node) {
    const int32_t cause = FailedDependency(*frame_, written_.IndexOf(node));
    return cause < 0 ? "" : written_.graph.nodes[cause].name;
  }

  WrittenGraph written_;
  std::optional<Frame> frame_;

 private:
  ObjectTable objects_;
  ResolvedGraphs resolved_;
};

TEST_F(PoisoningTest, NothingFailsWithoutACause) {
  NewFrame("x: f32[2]\ny = relu(x)\nreturn y");
  EXPECT_EQ(CauseOf("y"), "");
}

TEST_F(PoisoningTest, AFailedNodeIsFoundInEveryContainer) {
  for (const char* argument : {"y", "[x, y]", "(y,)", "[[y]]", "{\"key\": y}", "{\"key\": [y]}", "slice(None, y, None)",
           "(x, slice(y, None, None))"}) {
    NewFrame("x: f32[2]\ny = relu(x)\nz = _operator.getitem(x, " + std::string(argument) + ")\nreturn z");
    Fail("y");
    EXPECT_EQ(CauseOf("z"), "y") << argument;
    EXPECT_EQ(CauseOf("y"), "") << argument;
  }
}

TEST_F(PoisoningTest, TheFirstCauseCounts) {
  NewFrame("x: f32[2]\na = relu(x)\nb = relu(x)\nz = add.Tensor(b, a)\nreturn z");
  Fail("a");
  Fail("b");
  EXPECT_EQ(CauseOf("z"), "b");
}

TEST_F(PoisoningTest, WhatAFailedNodeChangesIsUnknown) {
  NewFrame("x: f32[2]\nw: f32[2]\na = resize_as_(x, w)\nb = relu(x)\nc = relu(w)\nreturn b, c");
  Fail("a");
  EXPECT_EQ(CauseOf("b"), "a");
  EXPECT_EQ(CauseOf("c"), "");
  EXPECT_EQ(PoisonedBy(*frame_, TensorOf("x")), written_.IndexOf("a"));
}

TEST_F(PoisoningTest, WhatAFailedNodeOnlyWritesToKeepsItsSizes) {
  NewFrame("x: f32[2]\na = add_.Tensor(x, x)\nb = relu(x)\nreturn b");
  Fail("a");
  EXPECT_EQ(CauseOf("b"), "");
}

TEST_F(PoisoningTest, ListsThatAFailedNodeWritesToKeepTheirSizesButNotTheirElements) {
  NewFrame("x: f32[2]\ny: f32[2]\na = _foreach_add_.Scalar([x, y], 1)\nb = relu(y)\nreturn b");
  const uint32_t version = TensorOf("y")->storage->version;
  Fail("a");
  EXPECT_EQ(CauseOf("b"), "");
  EXPECT_GT(TensorOf("y")->storage->version, version);
}

TEST_F(PoisoningTest, AutogradCountsNoWriteThatFailed) {
  NewFrame("x: f32[2]\na = _foreach_add_.Scalar([x], 1)\nreturn x");
  TensorOf("x")->own_requires_grad = true;
  const uint32_t version = TensorOf("x")->storage->version;
  Fail("a");
  EXPECT_EQ(TensorOf("x")->storage->version, version);
}

TEST_F(PoisoningTest, AnOperatorReadsAllItemsOfAListButGetitemDoesNot) {
  NewFrame("x: f32[2]\nl: f32[2]\na = resize_as_(x, x)\nb = cat(l)\nc = _operator.getitem(l, 0)\nreturn b, c");
  frame_->values[written_.IndexOf("l")] = List{{TensorOf("x")}};
  Fail("a");
  EXPECT_EQ(CauseOf("b"), "a");
  EXPECT_EQ(CauseOf("c"), "");
}

TEST_F(PoisoningTest, WhatFailsInASubgraphIsUnknownBecauseOfItsCaller) {
  NewFrame("x: f32[2]\ny = relu(x)\nz = neg(x)\nreturn z");
  Frame inner = *frame_;
  inner.poisoned = {{TensorOf("x"), 7}};
  PoisonCaller(*frame_, written_.IndexOf("y"), inner);
  EXPECT_EQ(CauseOf("z"), "y");
}

}  // namespace
}  // namespace fakeprop
