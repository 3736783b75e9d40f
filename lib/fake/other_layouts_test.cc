// Fakes of sparse layouts and of oneDNN's, as programs make and use them.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "fakeprop/live_bytes.h"
#include "lib/fake/testing/scenario_fixture.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

using fake_testing::ExpectFake;
using fake_testing::kFakeCuda;
using fake_testing::Sizes;

class OtherLayouts : public fake_testing::ScenarioFixture {
 protected:
  at::Tensor Longs(at::IntArrayRef sizes) { return at::zeros(sizes, at::kLong); }
  at::Tensor Coo() { return at::sparse_coo_tensor(Longs({2, 3}), Cpu({3}), {4, 5}); }
};

void ExpectParts(const at::Tensor& sparse, const Sizes& indices, const Sizes& values) {
  ExpectFake(sparse._indices(), indices, sparse.device());
  ExpectFake(sparse._values(), values, sparse.device());
}

TEST_F(OtherLayouts, CoordinatesAreMadeOfIndicesAndValues) {
  const at::Tensor coo = Coo();
  ExpectFake(coo, {4, 5}, at::kCPU);
  EXPECT_TRUE(coo.is_sparse());
  EXPECT_EQ(coo.sparse_dim(), 2);
  EXPECT_EQ(coo._nnz(), 3);
  EXPECT_FALSE(coo.is_coalesced());
  ExpectParts(coo, {2, 3}, {3});
  EXPECT_EQ(Repr(coo), "FakeTensor(size=(4, 5), dtype=Float, layout=sparse_coo, nnz=3)");
}

TEST_F(OtherLayouts, DenseTensorsBecomeSparseAndDenseAgain) {
  const at::Tensor dense = Cuda({4, 6});
  ExpectFake(dense.to_sparse(), {4, 6}, kFakeCuda);
  EXPECT_EQ(dense.to_sparse()._nnz(), 24);  // at most
  ExpectFake(dense.to_sparse().to_dense(), {4, 6}, kFakeCuda);
  EXPECT_EQ(dense.to_sparse_csr().layout(), at::kSparseCsr);
  ExpectFake(dense.to_sparse_csr().crow_indices(), {5}, kFakeCuda);
  ExpectFake(dense.to_sparse_csc().ccol_indices(), {7}, kFakeCuda);
  ExpectFake(dense.to_sparse_bsr({2, 3}).values(), {4, 2, 3}, kFakeCuda);
  ExpectFake(dense.to_sparse_bsc({2, 3}).to_dense(), {4, 6}, kFakeCuda);
}

TEST_F(OtherLayouts, CompressedTensorsAreMadeOfTheirParts) {
  const at::Tensor csr = at::sparse_compressed_tensor(
      Longs({5}), Longs({3}), Cpu({3}), {4, 6}, at::dtype(at::kFloat).layout(at::kSparseCsr));
  ExpectFake(csr, {4, 6}, at::kCPU);
  ExpectFake(csr.values(), {3}, at::kCPU);
  EXPECT_EQ(csr._nnz(), 3);
  ExpectFake(csr.matmul(Cpu({6, 2})), {4, 2}, at::kCPU);
  EXPECT_EQ(Repr(csr), "FakeTensor(size=(4, 6), dtype=Float, layout=sparse_csr, nnz=3)");
}

TEST_F(OtherLayouts, SparseTensorsAreMultipliedAndAdded) {
  ExpectFake(at::_sparse_mm(Coo(), Cpu({5, 2})), {4, 2}, at::kCPU);
  ExpectFake(Coo().mm(Cpu({5, 2})), {4, 2}, at::kCPU);
  EXPECT_EQ((Coo() + Coo())._nnz(), 6);  // at most
  at::Tensor dense = Cpu({4, 5});
  dense.add_(Coo(), -0.1);
  ExpectFake(dense, {4, 5}, at::kCPU);
}

TEST_F(OtherLayouts, CoalescingKnowsTheMostElements) {
  const at::Tensor coalesced = Coo().coalesce();
  EXPECT_TRUE(coalesced.is_coalesced());
  EXPECT_EQ(coalesced._nnz(), 3);
  ExpectFake(coalesced.values(), {3}, at::kCPU);
  EXPECT_TRUE(SharesStorage(coalesced.values(), coalesced));
}

TEST_F(OtherLayouts, OneDnnsTensorsAreLayersInputs) {
  const at::Tensor image = Cpu({2, 3, 8, 8}).to_mkldnn();
  ExpectFake(image, {2, 3, 8, 8}, at::kCPU);
  EXPECT_TRUE(image.is_mkldnn());
  const at::Tensor made = at::conv2d(image, Cpu({4, 3, 3, 3}).to_mkldnn()).relu();
  EXPECT_TRUE(made.is_mkldnn());
  ExpectFake(made.to_dense(), {2, 4, 6, 6}, at::kCPU);
  EXPECT_EQ(Repr(made), "FakeTensor(size=(2, 4, 6, 6), dtype=Float, layout=_mkldnn)");
}

TEST_F(OtherLayouts, BytesAreThoseOfTheParts) {
  const int64_t before = LiveBytes(mode, at::kCPU);
  at::Tensor coo = Coo();
  EXPECT_EQ(LiveBytes(mode, at::kCPU) - before, 2 * 3 * 8 + 3 * 4);
  coo.reset();
  EXPECT_EQ(LiveBytes(mode, at::kCPU), before);
}

// ---- gradients

template <typename Layer>
void ExpectSparseGradient(Layer& layer, const at::Tensor& loss, int64_t nnz) {
  loss.backward();
  const at::Tensor grad = layer->weight.grad();
  ASSERT_TRUE(grad.defined());
  EXPECT_TRUE(grad.is_sparse());
  EXPECT_EQ(grad.sizes(), layer->weight.sizes());
  ExpectParts(grad, {1, nnz}, {nnz, layer->weight.size(1)});
}

TEST_F(OtherLayouts, EmbeddingsHaveSparseGradients) {
  torch::nn::Embedding layer(torch::nn::EmbeddingOptions(1000, 16).sparse(true));
  layer->to(kFakeCuda);
  const at::Tensor ids = Longs({4, 7}).to(kFakeCuda);
  ExpectSparseGradient(layer, layer(ids).sum(), 28);
  layer(ids).sum().backward();  // accumulates
  ExpectParts(layer->weight.grad(), {1, 56}, {56, 16});
  EXPECT_EQ(layer->weight.grad().device(), kFakeCuda);
}

TEST_F(OtherLayouts, EmbeddingBagsHaveSparseGradients) {
  for (const auto& bag : {torch::nn::EmbeddingBagMode(torch::kSum), torch::nn::EmbeddingBagMode(torch::kMean)}) {
    torch::nn::EmbeddingBag layer(torch::nn::EmbeddingBagOptions(1000, 16).sparse(true).mode(bag));
    ExpectSparseGradient(layer, layer(Longs({4, 7})).sum(), 28);
  }
}

TEST_F(OtherLayouts, RowsOfPaddingHaveNoGradient) {
  torch::nn::Embedding layer(torch::nn::EmbeddingOptions(1000, 16).sparse(true).padding_idx(3));
  ExpectSparseGradient(layer, layer(Longs({4, 7})).sum(), 28);  // at most
  torch::nn::EmbeddingBag bag(torch::nn::EmbeddingBagOptions(1000, 16).sparse(true).mode(torch::kSum).padding_idx(3));
  ExpectSparseGradient(bag, bag(Longs({4, 7})).sum(), 28);
}

template <typename Optimizer, typename Options>
void Train(const Options& options) {
  for (const at::Device device : {at::Device(at::kCPU), kFakeCuda}) {
    torch::nn::Embedding layer(torch::nn::EmbeddingOptions(100, 8).sparse(true));
    layer->to(device);
    Optimizer optimizer(layer->parameters(), options);
    for (int step = 0; step < 3; ++step) {
      optimizer.zero_grad();
      layer(at::zeros({3, 5}, at::device(device).dtype(at::kLong))).pow(2).sum().backward();
      optimizer.step();
    }
    ExpectFake(layer->weight, {100, 8}, device);
  }
}

TEST_F(OtherLayouts, CopiesOfTheDataStayOnTheirDevice) {
  const at::Tensor coo = Coo().to(kFakeCuda), compressed = Cuda({4, 6}).to_sparse_csr();
  for (const at::Tensor& sparse : {coo, compressed}) {
    EXPECT_EQ(sparse.data().device(), kFakeCuda);
    EXPECT_EQ(sparse.detach().layout(), sparse.layout());
    EXPECT_EQ(sparse.detach().to_dense().device(), kFakeCuda);
  }
}

TEST_F(OtherLayouts, OptimizersTakeSparseGradients) {
  Train<torch::optim::SGD>(torch::optim::SGDOptions(0.1));
  Train<torch::optim::SGD>(torch::optim::SGDOptions(0.1).momentum(0.9));
  Train<torch::optim::Adagrad>(torch::optim::AdagradOptions(0.1));
}

TEST_F(OtherLayouts, AdamRefusesSparseGradientsAsInEager) {
  EXPECT_THROW(Train<torch::optim::Adam>(torch::optim::AdamOptions(0.1)), c10::Error);
}

TEST_F(OtherLayouts, GradientsOfTheValuesOfASparseProductAreSparse) {
  const at::Tensor coo = Coo().requires_grad_(true), dense = Cpu({5, 2}).requires_grad_(true);
  coo.mm(dense).sum().backward();
  ExpectFake(dense.grad(), {5, 2}, at::kCPU);
  EXPECT_EQ(coo.grad().sizes().vec(), Sizes({4, 5}));
}

// ---- real tensors

TEST(OtherLayoutsFromReal, EveryLayoutIsTakenIn) {
  const at::Tensor dense = at::eye(4);
  const FakeTensorMode mode;
  for (const at::Tensor& real : {dense.to_sparse(), dense.to_sparse_csr(), dense.to_sparse_csc(),
           dense.to_sparse_bsr({2, 2}), dense.to_sparse_bsc({2, 2}), dense.to_mkldnn()}) {
    const at::Tensor fake = mode.FromRealTensor(real);
    EXPECT_TRUE(IsFakeTensor(fake));
    EXPECT_EQ(fake.layout(), real.layout());
    EXPECT_EQ(fake.sizes(), real.sizes());
    EXPECT_TRUE(mode.FromRealTensor(real).is_same(fake));
    EXPECT_EQ(fake.to_dense().sizes(), dense.sizes());
    if (real.is_mkldnn()) continue;
    EXPECT_EQ(fake._nnz(), real._nnz()) << real.layout();
  }
}

TEST(OtherLayoutsFromReal, PartsAreTheFakesOfTheParts) {
  const at::Tensor real = at::eye(4).to_sparse();
  const FakeTensorMode mode;
  const at::Tensor fake = mode.FromRealTensor(real);
  EXPECT_TRUE(fake.is_coalesced());
  EXPECT_TRUE(SharesStorage(mode.FromRealTensor(real._values()), fake));
}

TEST(OtherLayoutsFromReal, LeavesHaveSparseGradients) {
  at::Tensor weight = at::rand({4, 3}).requires_grad_(true);
  weight.mutable_grad() = at::eye(4).narrow(1, 0, 3).to_sparse();
  const FakeTensorMode mode;
  const at::Tensor fake = mode.FromRealTensor(weight);
  EXPECT_TRUE(fake.grad().is_sparse());
  EXPECT_EQ(fake.grad()._nnz(), 3);
}

TEST(OtherLayoutsFromReal, SizesBecomeSymbols) {
  const auto env = std::make_shared<ShapeEnv>();
  const FakeTensorMode mode({.shape_env = env});
  const at::Tensor fake = mode.FromRealTensor(at::eye(4).narrow(1, 0, 3).to_sparse());
  EXPECT_EQ(Repr(fake), "FakeTensor(size=(s0, s1), dtype=Float, layout=sparse_coo, nnz=s2)");
  EXPECT_EQ(Repr(fake.to_dense()), "FakeTensor(size=(s0, s1), dtype=Float)");
  const at::Tensor csr = mode.FromRealTensor(at::eye(4).to_sparse_csr());
  EXPECT_EQ(Repr(csr.crow_indices()), "FakeTensor(size=(s0 + 1), dtype=Long)");
  EXPECT_EQ(Repr(mode.FromRealTensor(at::rand({4, 3}).to_mkldnn())),
      "FakeTensor(size=(s0, s1), dtype=Float, layout=_mkldnn)");
}

TEST(OtherLayoutsFromReal, UnknownNumbersOfElementsAreSymbols) {
  const FakeTensorMode mode({.shape_env = std::make_shared<ShapeEnv>()});
  const FakeModeGuard on(mode);
  EXPECT_EQ(Repr(at::rand({4, 3}).to_sparse()), "FakeTensor(size=(4, 3), dtype=Float, layout=sparse_coo, nnz=u0)");
}

// ---- what is not served

TEST_F(OtherLayouts, OperatorsWithoutARuleNameTheLayout) {
  try {
    at::cumsum(Coo(), 0);
    FAIL();
  } catch (const UnsupportedOperator& e) {
    EXPECT_NE(std::string(e.msg()).find("sparse_coo"), std::string::npos) << e.msg();
  }
}

}  // namespace
}  // namespace fakeprop
