// FakeTensorProp over fakes of a mode. Source of the cases: FakeTensorPropTest in PyTorch's test_fake_tensor.py.
#include "fakeprop/fake_tensor_prop.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace fakeprop {
namespace {

using Sizes = std::vector<int64_t>;

class Prop : public testing::Test {
 protected:
  void SetUp() override {
    DiagnosticSink sink;
    graph_ = ReadGraph("graphs/resnet_small/graph.json", sink);
    ASSERT_TRUE(graph_) << ToString(sink);
    inputs_ = ResolveInputs(*graph_, sink);
    ASSERT_TRUE(inputs_) << ToString(sink);
    const AnnotatedGraph annotated = fakeprop::Propagate(*graph_, *inputs_);
    for (const GraphInput& input : graph_->inputs()) {
      const TensorMetadata tensor = annotated.Find(input.name)->value().tensor;
      std::vector<int64_t> sizes;
      for (const SizeExpr& size : tensor.shape) sizes.push_back(size.number.value());
      real_.push_back(at::zeros(sizes, tensor.dtype == "int64" ? at::kLong : at::kFloat));
      names_.push_back(input.name);
    }
  }

  std::optional<LoadedGraph> graph_;
  std::optional<Inputs> inputs_;
  std::vector<c10::IValue> real_;
  std::vector<std::string> names_;
  FakeTensorMode mode;
};

TEST_F(Prop, ConvertsRealInputs) {
  FakeTensorProp prop(*graph_, mode);
  EXPECT_THROW(prop.annotations(), c10::ValueError);
  EXPECT_THROW(prop.ValueOf(names_[0]), c10::ValueError);
  const c10::IValue output = prop.Propagate(real_);
  ASSERT_TRUE(output.isTuple());
  const at::Tensor logits = output.toTupleRef().elements().back().toTensor();
  EXPECT_EQ(FakeTensorMode::Of(logits), mode);
  EXPECT_TRUE(prop.annotations().ok());
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

TEST_F(Prop, MakesTheInputs) {
  FakeTensorProp prop(*graph_, mode);
  const std::vector<c10::IValue> made = prop.MakeInputs(*inputs_);
  ASSERT_EQ(made.size(), real_.size());
  for (size_t i = 0; i < made.size(); ++i) {
    EXPECT_EQ(FakeTensorMode::Of(made[i].toTensor()), mode);
    EXPECT_EQ(made[i].toTensor().sizes(), real_[i].toTensor().sizes());
  }
  EXPECT_TRUE(made[0].toTensor().requires_grad());  // a parameter
  const c10::IValue output = prop.PropagateDontConvertInputs(made);
  EXPECT_EQ(output.toTupleRef().elements().back().toTensor().sizes(),
      prop.Propagate(real_).toTupleRef().elements().back().toTensor().sizes());
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
  EXPECT_FALSE(going_on.annotations().ok());
}

// A copy, and its elements as a strided tensor.
constexpr const char* kOfLayouts = R"({"format": "fakeprop.fx/1", "nodes": [
  {"name": "x", "op": "placeholder", "target": "x"},
  {"name": "copy", "op": "call_function", "target": "torch.ops.aten.clone.default", "args": [{"node": "x"}]},
  {"name": "dense", "op": "call_function", "target": "torch.ops.aten.to_dense.default", "args": [{"node": "copy"}]},
  {"name": "output", "op": "output", "target": "output", "args": [{"node": "dense"}]}]})";

class PropOfLayouts : public testing::Test {
 protected:
  // The node `copy` of a run on this tensor.
  at::Tensor Copy(const at::Tensor& x) {
    DiagnosticSink sink;
    const std::optional<LoadedGraph> graph = ReadGraphFromMemory(kOfLayouts, "written.json", sink);
    FakeTensorProp prop(graph.value(), mode_);
    const at::Tensor dense = prop.Propagate({x}).toTensor();
    EXPECT_EQ(dense.layout(), at::kStrided);
    EXPECT_EQ(dense.sizes(), x.sizes());
    EXPECT_EQ(prop.ValueOf("x").toTensor().layout(), x.layout());
    return prop.ValueOf("copy").toTensor();
  }

  FakeTensorMode mode_;
};

TEST_F(PropOfLayouts, CoordinatesAreTakenIn) {
  const at::Tensor x = at::eye(4).to_sparse().coalesce(), copy = Copy(x);
  EXPECT_EQ(FakeTensorMode::Of(copy), mode_);
  EXPECT_EQ(copy.layout(), at::kSparse);
  EXPECT_TRUE(copy.is_coalesced());
  EXPECT_EQ(copy._nnz(), 4);
}

TEST_F(PropOfLayouts, PartsShareTheInputsStorages) {
  const at::Tensor x = mode_.FromRealTensor(at::eye(4).to_sparse());
  DiagnosticSink sink;
  const std::optional<LoadedGraph> graph = ReadGraphFromMemory(kOfLayouts, "written.json", sink);
  FakeTensorProp prop(graph.value(), mode_);
  prop.PropagateDontConvertInputs({x});
  const at::Tensor again = prop.ValueOf("x").toTensor();
  EXPECT_TRUE(SharesStorage(again._values(), x._values()));
  EXPECT_TRUE(SharesStorage(again._indices(), x._indices()));
}

TEST_F(PropOfLayouts, CompressedMatricesKeepTheirIndices) {
  const at::Tensor narrow = at::sparse_csr_tensor(at::tensor({0, 1, 3}, at::kInt), at::tensor({0, 1, 2}, at::kInt),
      at::ones({3}), {2, 3}, at::TensorOptions().layout(at::kSparseCsr));
  EXPECT_EQ(Copy(narrow).crow_indices().scalar_type(), at::kInt);
  EXPECT_EQ(Copy(narrow)._nnz(), 3);
  const at::Tensor blocks = Copy(at::eye(4).to_sparse_bsr({2, 2}));
  EXPECT_EQ(blocks.values().sizes(), Sizes({2, 2, 2}));
}

TEST_F(PropOfLayouts, OneDnnsTensorsAreTakenIn) { EXPECT_EQ(Copy(at::eye(4).to_mkldnn()).layout(), at::kMkldnn); }

// nonzero(x), beside a number and a list of views.
constexpr const char* kOfData = R"({"format": "fakeprop.fx/1", "nodes": [
  {"name": "x", "op": "placeholder", "target": "x"},
  {"name": "twice", "op": "call_function", "target": "torch.ops.aten.mul.Tensor", "args": [{"node": "x"}, 2]},
  {"name": "size", "op": "call_function", "target": "torch.ops.aten.sym_size.int", "args": [{"node": "x"}, 0]},
  {"name": "halves", "op": "call_function", "target": "torch.ops.aten.unbind.int", "args": [{"node": "twice"}, 1]},
  {"name": "nonzero", "op": "call_function", "target": "torch.ops.aten.nonzero.default", "args": [{"node": "twice"}]},
  {"name": "output", "op": "output", "target": "output", "args": [{"node": "nonzero"}]}]})";

std::optional<LoadedGraph> Read(const char* text) {
  DiagnosticSink sink;
  return ReadGraphFromMemory(text, "written.json", sink);
}

TEST(OptionalArguments, AreNone) {
  const auto graph = Read(R"({"format": "fakeprop.fx/1", "nodes": [
    {"name": "x", "op": "placeholder", "target": "x"},
    {"name": "bias", "op": "placeholder", "target": "bias"},
    {"name": "w", "op": "placeholder", "target": "w"},
    {"name": "linear", "op": "call_function", "target": "torch.ops.aten.linear.default",
     "args": [{"node": "x"}, {"node": "w"}, {"node": "bias"}]},
    {"name": "output", "op": "output", "target": "output", "args": [{"node": "linear"}]}]})");
  ASSERT_TRUE(graph);
  for (const char* device : {"cpu", "cuda:0"}) {
    const FakeTensorMode mode;
    const FakeModeGuard on(mode);
    const at::Tensor x = at::rand({2, 3}, at::Device(device)), w = at::rand({5, 3}, at::Device(device));
    FakeTensorProp prop(*graph, mode);
    const at::Tensor y = prop.Propagate({x, c10::IValue(), w}).toTensor();
    EXPECT_EQ(y.sizes().vec(), (Sizes{2, 5}));
    EXPECT_EQ(y.device(), at::Device(device));
    EXPECT_THROW(prop.Propagate({x, at::rand({4}, at::Device(device)), w}), FakeTensorError);
    EXPECT_THROW(prop.Propagate({x, c10::IValue(), at::rand({5, 3}, at::Device("xpu:0"))}), FakeTensorDeviceMismatch);
  }
}

class SymbolicProp : public testing::Test {
 protected:
  void SetUp() override {
    graph_ = Read(kOfData);
    ASSERT_TRUE(graph_);
  }

  std::optional<LoadedGraph> graph_;
};

TEST_F(SymbolicProp, WithoutAShapeEnvDataDecidesNothing) {
  const FakeTensorMode mode;
  FakeTensorProp prop(*graph_, mode);
  EXPECT_THROW(prop.Propagate({at::zeros({5, 2})}), DynamicOutputShape);
  EXPECT_EQ(prop.ValueOf("size").toInt(), 5);
}

TEST_F(SymbolicProp, TheModesShapeEnvIsTheRuns) {
  const std::shared_ptr<ShapeEnv> env = NewShapeEnv();
  const FakeTensorMode mode({.shape_env = env});
  const at::Tensor real = at::zeros({5, 2});
  const at::Tensor x = mode.FromRealTensor(real, {.dims = {DimDynamic::kDynamic, DimDynamic::kStatic}});
  FakeTensorProp prop(*graph_, mode);
  const at::Tensor nonzero = prop.PropagateDontConvertInputs({x}).toTensor();
  EXPECT_FALSE(nonzero.sym_size(0).maybe_as_int());
  EXPECT_EQ(nonzero.sym_size(1), 2);
  EXPECT_EQ(FakeTensorMode::Of(nonzero), mode);
  EXPECT_EQ(prop.annotations().symbols().size(), ListSymbols(*env).size());
  EXPECT_EQ(prop.annotations().symbols().back().name, "u0");
  EXPECT_EQ(prop.ValueOf("size").toSymInt().toSymNode()->str(), x.sym_size(0).toSymNode()->str());
  const at::Tensor half = prop.ValueOf("halves").toTensorVector().at(1);
  EXPECT_TRUE(SharesStorage(half, prop.ValueOf("twice").toTensor()));
  EXPECT_EQ(half.sym_size(0).toSymNode()->str(), x.sym_size(0).toSymNode()->str());
  // What comes out goes on by operators; a second run has symbols of its own.
  EXPECT_EQ((nonzero + 1).sym_size(0).toSymNode()->str(), nonzero.sym_size(0).toSymNode()->str());
  const at::Tensor again = prop.Propagate({real}).toTensor();
  EXPECT_NE(again.sym_size(0).toSymNode()->str(), nonzero.sym_size(0).toSymNode()->str());
}

const std::string kSquare = R"({"format": "fakeprop.inputs/1", "symbols": {"n": {"min": 2, "hint": 4}},
  "inputs": {"x": {"dtype": "float32", "shape": ["n", "n"]}}})";

TEST_F(SymbolicProp, MakesInputsWithTheModesSymbols) {
  const std::shared_ptr<ShapeEnv> env = NewShapeEnv();
  const FakeTensorMode mode({.shape_env = env});
  FakeTensorProp prop(*graph_, mode);
  DiagnosticSink sink;
  const auto of_another = ResolveInputs(*graph_, sink, {.spec = kSquare});
  const auto of_mode = ResolveInputs(*graph_, sink, {.spec = kSquare, .shape_env = env});
  const auto in_numbers = ResolveInputs(*graph_, sink, {.spec = kSquare, .symbolic = false});
  ASSERT_TRUE(of_another && of_mode && in_numbers) << ToString(sink);
  EXPECT_THROW(prop.MakeInputs(*of_another), c10::ValueError);
  const at::Tensor x = prop.MakeInputs(*of_mode)[0].toTensor();
  EXPECT_EQ(x.sym_size(0).toSymNode()->str(), "n");
  EXPECT_EQ(prop.PropagateDontConvertInputs({x}).toTensor().sym_size(1), 2);
  EXPECT_EQ(prop.ValueOf("size").toSymInt().toSymNode()->str(), "4");  // unbind fixed n
  EXPECT_EQ(prop.MakeInputs(*in_numbers)[0].toTensor().sizes().vec(), (Sizes{4, 4}));
}

TEST_F(SymbolicProp, GuardsOutliveTheGraph) {
  const std::shared_ptr<ShapeEnv> env = NewShapeEnv();
  {
    const auto graph = Read(R"({"format": "fakeprop.fx/1", "nodes": [
      {"name": "x", "op": "placeholder", "target": "x"},
      {"name": "product_of_rows", "op": "call_function", "target": "torch.ops.aten.mm.default",
       "args": [{"node": "x"}, {"node": "x"}]},
      {"name": "output", "op": "output", "target": "output", "args": [{"node": "product_of_rows"}]}]})");
    const FromRealOptions dynamic{.dims = {DimDynamic::kDynamic, DimDynamic::kDynamic}};
    const FakeTensorMode mode({.shape_env = env});
    FakeTensorProp prop(*graph, mode);
    prop.PropagateDontConvertInputs({mode.FromRealTensor(at::zeros({5, 5}), dynamic)});
  }
  ASSERT_EQ(ListGuards(*env).size(), 1u);
  EXPECT_EQ(ListGuards(*env)[0].node, "product_of_rows");
}

TEST(FakeTensorProp, AGraphWithoutNodesHasNoOutput) {
  const auto graph = Read(R"({"format": "fakeprop.fx/1", "nodes": []})");
  ASSERT_TRUE(graph);
  EXPECT_TRUE(FakeTensorProp(*graph, FakeTensorMode()).Propagate({}).isNone());
}

TEST_F(SymbolicProp, InputsOfAnotherGraphAreRefused) {
  DiagnosticSink sink;
  const auto other = Read(kOfData);
  const auto inputs = ResolveInputs(*other, sink, {.spec = kSquare, .symbolic = false});
  ASSERT_TRUE(inputs) << ToString(sink);
  EXPECT_THROW(FakeTensorProp(*graph_, FakeTensorMode()).MakeInputs(*inputs), c10::ValueError);
}

}  // namespace
}  // namespace fakeprop
