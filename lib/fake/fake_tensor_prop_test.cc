// FakeTensorProp over fakes of a mode. Source of the cases: FakeTensorPropTest in PyTorch's test_fake_tensor.py.
#include "lib/fake/fake_tensor_prop.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "lib/readers/reader.h"

namespace fakeprop {
namespace {

using Sizes = std::vector<int64_t>;

class Prop : public testing::Test {
 protected:
  void SetUp() override {
    DiagnosticSink sink;
    graph_ = ReadGraph("graphs/resnet_small/graph.json", sink);
    ASSERT_TRUE(graph_) << (sink.diagnostics().empty() ? "" : sink.diagnostics()[0].message);
    const auto inputs = ResolveInputs(*graph_, "", "", sink);
    ASSERT_TRUE(inputs);
    for (const Node& node : graph_->nodes) {
      if (node.op != NodeOp::kPlaceholder) continue;
      const TensorMeta& meta = (*inputs)[real_.size()].meta;
      std::vector<int64_t> sizes;
      for (Dim d : meta.sizes) sizes.push_back(*d.TryNumber());
      real_.push_back(at::zeros(sizes, meta.dtype));
      names_.push_back(node.name);
    }
  }

  std::optional<Graph> graph_;
  std::vector<c10::IValue> real_;
  std::vector<std::string> names_;
  FakeTensorMode mode;
};

TEST_F(Prop, ConvertsRealInputs) {
  FakeTensorProp prop(*graph_, mode);
  const c10::IValue output = prop.Propagate(real_);
  ASSERT_TRUE(output.isTuple());
  const at::Tensor logits = output.toTupleRef().elements().back().toTensor();
  EXPECT_EQ(FakeTensorMode::Of(logits), mode);
  EXPECT_TRUE(prop.annotations().diagnostics.empty());
  const at::Tensor first = prop.ValueOf(names_[0]).toTensor();
  EXPECT_TRUE(SharesStorage(first, mode.FromRealTensor(real_[0].toTensor())));
  EXPECT_FALSE(IsFakeTensor(real_[0].toTensor()));
  EXPECT_THROW(prop.ValueOf("nobody"), c10::ValueError);
}

TEST_F(Prop, FakesOfTheModeAlone) {
  FakeTensorProp prop(*graph_, mode);
  EXPECT_THROW(prop.PropagateDontConvertInputs(real_), NotFake);
  const FakeTensorMode other;
  std::vector<c10::IValue> fakes, of_other;
  for (const c10::IValue& real : real_) {
    fakes.push_back(mode.FromRealTensor(real.toTensor()));
    of_other.push_back(other.FromRealTensor(real.toTensor()));
  }
  EXPECT_THROW(prop.PropagateDontConvertInputs(of_other), NotFake);
  const c10::IValue once = prop.PropagateDontConvertInputs(fakes), again = prop.PropagateDontConvertInputs(fakes);
  const auto last = [](const c10::IValue& v) { return v.toTupleRef().elements().back().toTensor(); };
  EXPECT_EQ(last(once).sizes(), last(again).sizes());
  EXPECT_TRUE(last(prop.Propagate(of_other)).sizes() == last(once).sizes());
  fakes.pop_back();
  EXPECT_THROW(prop.PropagateDontConvertInputs(fakes), c10::ValueError);
}

TEST_F(Prop, ErrorsNameTheNode) {
  std::vector<c10::IValue> bad = real_;
  bad.back() = at::zeros({1, 7, 8, 8});
  FakeTensorProp prop(*graph_, mode);
  try {
    prop.Propagate(bad);
    ADD_FAILURE() << "no error";
  } catch (const FakeTensorError& e) {
    EXPECT_FALSE(e.op().empty());
  }
  FakeTensorProp going_on(*graph_, mode, {.keep_going = true});
  going_on.Propagate(bad);
  EXPECT_FALSE(going_on.annotations().diagnostics.empty());
}

}  // namespace
}  // namespace fakeprop
