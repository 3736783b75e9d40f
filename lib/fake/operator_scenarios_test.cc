// Behaviours of operators that PyTorch's test_fake_tensor.py asks of FakeTensorMode and that no other test here has;
// names as there (docs/parity.md lists all).
#include <ATen/ATen.h>
#include <ATen/functorch/BatchedTensorImpl.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/forward_grad.h>
#include <torch/torch.h>

#include "lib/fake/testing/scenario_fixture.h"

namespace fakeprop {
namespace {

using fake_testing::ExpectFake;
using fake_testing::kFakeCuda;
using fake_testing::Sizes;

class Scenario : public fake_testing::ScenarioFixture {};

// ---- device rules and errors

TEST_F(Scenario, diagonal_scatter) {
  ExpectFake(at::diagonal_scatter(Cuda({1, 2}), mode.Literal(std::vector<double>{1.0}).to(at::kFloat), 0, 0, 1), {1, 2},
      kFakeCuda);
  ExpectFake(at::diagonal_scatter(Cpu({3, 3, 3}), Cuda({3, 3})), {3, 3, 3}, at::kCPU);
}

TEST_F(Scenario, throws) {
  EXPECT_THROW(at::lerp(Cpu({}), Cuda({4, 4}), Cpu({4, 4})), FakeTensorDeviceMismatch);
  at::Tensor out = Cuda({4}), cpu = Cpu({4});
  EXPECT_THROW(at::sin_out(out, cpu), FakeTensorDeviceMismatch);
  EXPECT_THROW(cpu.add_(out), FakeTensorDeviceMismatch);
}

TEST_F(Scenario, index_put_error) {
  const at::Tensor index = at::zeros({2}, at::device(kFakeCuda).dtype(at::kLong));
  at::Tensor x = Cuda({2, 2, 3});
  EXPECT_THROW(x.index_put_({index}, Cpu({2, 2, 3})), c10::Error);
  ExpectFake(x.index_put({index}, Cpu({})), {2, 2, 3}, kFakeCuda);
  ExpectFake(x.index_put_({index}, Cpu({})), {2, 2, 3}, kFakeCuda);
}

TEST_F(Scenario, multi_device) {
  ExpectFake(at::copy(Cpu({4}), Cuda({4})), {4}, at::kCPU);
  ExpectFake(at::copy(Cuda({4}), Cpu({4})), {4}, kFakeCuda);
  const at::Tensor i = at::zeros({4}, at::kLong), on_cuda = i.to(kFakeCuda);
  ExpectFake(Cuda({4, 4}).index({i}), {4, 4}, kFakeCuda);
  ExpectFake(Cpu({4, 4}).index_put({on_cuda}, Cpu({4})), {4, 4}, at::kCPU);
  ExpectFake(Cuda({4, 4}).index_put({i}, Cuda({4})), {4, 4}, kFakeCuda);
  at::Tensor cpu = Cpu({4}), cuda_out = Cuda({4, 4});
  ExpectFake(at::copy_out(cpu, Cpu({4}), Cuda({4})), {4}, at::kCPU);
  ExpectFake(at::slice_scatter_out(cuda_out, Cuda({4, 4}), Cpu({2, 4}), 0, 2), {4, 4}, kFakeCuda);
  ExpectFake(at::slice_scatter(Cpu({4, 4}), Cuda({2, 4}), 0, 2), {4, 4}, at::kCPU);
  ExpectFake(at::slice_scatter(Cuda({4, 4}), Cpu({2, 4}), 0, 2), {4, 4}, kFakeCuda);
}

TEST_F(Scenario, cpu_fallback) {
  for (const bool allowed : {false, true}) {
    const FakeTensorMode other({.allow_fallback_kernels = allowed});
    const FakeModeGuard inner(other);
    ExpectFake(at::conv2d(Cuda({1, 4, 5, 5}), Cuda({8, 4, 3, 3}), {}, 1, 1), {1, 8, 5, 5}, kFakeCuda);
    EXPECT_THROW(at::conv2d(Cuda({1, 7, 10, 5}), Cuda({8, 20, 3, 3})), c10::Error);
  }
}

TEST_F(Scenario, cudnn_rnn) {
  for (const bool with_state : {true, false}) {
    std::vector<at::Tensor> weights;
    for (int layer = 0; layer < 4; ++layer) {
      weights.push_back(Cuda({2048, layer < 2 ? 2048 : 1024}));
      weights.push_back(Cuda({2048, 512}));
      weights.push_back(Cuda({2048}));
      weights.push_back(Cuda({2048}));
    }
    const at::Tensor buffer = Cuda({31506432 / 2}), state = Cuda({4, 8, 512});
    const auto results = at::_cudnn_rnn(Cuda({92, 8, 2048}), weights, 4, buffer, state,
        with_state ? std::optional(state) : std::nullopt, /*mode=*/2, 512, 0, 2,
        /*batch_first=*/false, 0., /*train=*/true, /*bidirectional=*/true, {}, std::nullopt);
    ExpectFake(std::get<0>(results), {92, 8, 1024}, kFakeCuda);
    EXPECT_EQ(std::get<1>(results).device(), kFakeCuda);
    EXPECT_EQ(std::get<3>(results).device(), kFakeCuda);
    EXPECT_TRUE(std::get<4>(results).is_same(buffer));
  }
}

// ---- views, aliasing, memory formats

TEST_F(Scenario, lists_without_gradients) {
  const at::Tensor x = Cuda({5, 3, 4}), hx = Cuda({1, 3, 6}), y = Cuda({5, 3, 6});
  const auto gradients = at::_cudnn_rnn_backward(x, {Cuda({24, 4}), Cuda({24, 6})}, 2, Cuda({288}), hx, hx, y, {}, {},
      {}, 2, 6, 0, 1, false, 0.0, true, false, {}, {}, Cuda({0}), {true, true, true, true});
  EXPECT_FALSE(std::get<0>(gradients).defined());
  ASSERT_EQ(std::get<3>(gradients).size(), 2u);
  EXPECT_FALSE(std::get<3>(gradients)[0].defined());
}

TEST_F(Scenario, returns_self) {
  const at::Tensor x = Cpu({4});
  EXPECT_TRUE(x.contiguous().is_same(x));
  EXPECT_TRUE(x.to(at::kFloat).is_same(x));
  const at::Tensor empty = at::empty({0}), piece = empty.split(0)[0];
  EXPECT_FALSE(piece.is_same(empty));
  EXPECT_TRUE(SharesStorage(piece, empty));
}

TEST_F(Scenario, memory_formats) {
  const at::Tensor image = at::empty_strided({1, 3, 427, 640}, {0, 1, 1920, 3}, at::kFloat);
  EXPECT_EQ(image.to(at::kHalf).strides().vec(), (Sizes{0, 1, 1920, 3}));
  EXPECT_EQ(at::nan_to_num(Cpu({5, 10}).t()).strides().vec(), (Sizes{1, 10}));
  EXPECT_EQ(at::nan_to_num(Cpu({5}).to(at::kHalf), 1.0).scalar_type(), at::kHalf);
  const auto last = at::MemoryFormat::ChannelsLast;
  EXPECT_EQ(
      at::conv2d(Cpu({1, 1024, 16, 16}).contiguous(last), Cpu({256, 1024, 4, 4}).contiguous(last)).strides().vec(),
      (Sizes{43264, 1, 3328, 256}));
  EXPECT_TRUE(
      at::_adaptive_avg_pool2d_backward(Cpu({2, 3, 1, 1}), Cpu({2, 3, 4, 4}).contiguous(last)).is_contiguous(last));
}

TEST_F(Scenario, convolution_backward_channels_last) {
  for (const auto format : {at::MemoryFormat::ChannelsLast, at::MemoryFormat::Contiguous}) {
    const auto grads = at::convolution_backward(Cpu({2, 3, 4, 4}).contiguous(format),
        Cpu({2, 3, 4, 4}).contiguous(format), Cpu({3, 3, 3, 3}).contiguous(format), Sizes{3}, {1, 1}, {1, 1}, {1, 1},
        false, {0, 0}, 1, {true, true, false});
    EXPECT_TRUE(std::get<0>(grads).is_contiguous(format));
    EXPECT_TRUE(std::get<1>(grads).is_contiguous(format));
  }
}

TEST_F(Scenario, upsample_bilinear_small_channels) {
  for (const at::Device device : {at::Device(at::kCPU), kFakeCuda}) {
    const at::Tensor image = at::empty_strided({3, 427, 640}, {1, 1920, 3}, at::device(device)).unsqueeze(0);
    EXPECT_TRUE(at::upsample_bilinear2d(image, {800, 1199}, false).is_contiguous()) << device;
  }
}

TEST_F(Scenario, out_forms) {
  at::Tensor out = at::empty({0}, at::kDouble), hfft = Cpu({5, 3, 10});
  at::nanmean_out(out, at::rand({3, 4}, at::kDouble), Sizes{1});
  EXPECT_EQ(out.scalar_type(), at::kDouble);
  at::Tensor a = at::empty({2}), b = at::empty({2});
  std::vector<at::Tensor> outs{a, b};
  at::unbind_copy_out(outs, Cpu({2, 2}));
  EXPECT_EQ(a.sizes().vec(), (Sizes{2}));
  at::fft_hfft2_out(hfft, at::rand({5, 6, 7}, at::kComplexFloat), Sizes{3, 10}, Sizes{1, 2}, "ortho");
  EXPECT_EQ(hfft.sizes().vec(), (Sizes{5, 3, 10}));
}

TEST_F(Scenario, embedding_bag_private) {
  const auto r =
      at::_embedding_bag(Cpu({6, 1}), at::zeros({6}, at::kLong), at::zeros({2}, at::kLong), false, /*mode=*/2);
  EXPECT_EQ(std::get<0>(r).sizes().vec(), (Sizes{2, 1}));
  EXPECT_EQ(std::get<1>(r).sizes().vec(), (Sizes{6}));
  EXPECT_EQ(std::get<2>(r).sizes().vec(), (Sizes{2}));
  EXPECT_EQ(std::get<3>(r).sizes().vec(), (Sizes{2, 1}));
}

TEST_F(Scenario, cross_entropy_loss) {
  for (const std::optional<at::Tensor>& weight : {std::optional<at::Tensor>(), std::optional(Cpu({5}))})
    EXPECT_EQ(at::cross_entropy_loss(Cpu({3, 5}), at::zeros({3}, at::kLong), weight, 1, -100, 0.5).dim(), 0);
}

TEST_F(Scenario, view_op) {
  at::Tensor x = Cpu({4}), copy = x.clone();
  EXPECT_FALSE(copy.mul_(2).is_view());
  EXPECT_TRUE(copy.view(-1).mul_(2).is_view());
  EXPECT_EQ(Cpu({4}).view(at::kDouble).sizes().vec(), (Sizes{2}));
}

// ---- known values and data

TEST_F(Scenario, fake_tensor_in_intlist) {
  const at::Tensor sizes = mode.Literal(Sizes{800, 1216});
  const at::Tensor unknown = at::rand({2}).to(at::kLong);
  EXPECT_THROW((void)at::ones({unknown[0].item<int64_t>()}), DataDependentOutput);
  EXPECT_EQ(at::ones({sizes[0].item<int64_t>()}).size(0), 800);
}

TEST_F(Scenario, shapes_of_data) {
  const at::Tensor lengths = at::zeros({2}, at::kLong);
  EXPECT_THROW(at::_ctc_loss(Cpu({10, 2, 5}), at::zeros({2, 3}, at::kLong), lengths, lengths), DynamicOutputShape);
  EXPECT_THROW((void)at::allclose(Cpu({3}), Cpu({3})), DataDependentOutput);
  const at::Tensor i = at::zeros({3}, at::kLong);
  EXPECT_EQ(Cpu({4, 4, 4}).index({at::indexing::Slice(), i, i}).sizes().vec(), (Sizes{4, 3}));
  EXPECT_THROW(Cpu({4, 4, 4}).index({Cpu({4, 4, 4}) > 0}), DynamicOutputShape);
}

// ---- autograd

TEST_F(Scenario, alias_call) {
  const uint64_t level = torch::autograd::ForwardADLevel::get_next_idx();
  const at::Tensor dual = at::_make_dual(Cpu({3}), Cpu({3}), static_cast<int64_t>(level));
  ExpectFake(dual * 4312491, {3}, at::kCPU);
  torch::autograd::ForwardADLevel::release_idx(level);
}

// ---- what a cache must not mix up

TEST_F(Scenario, like_calls_like_results) {
  const at::Tensor x = Cpu({6, 4});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(x.split(2).size(), 3u);
    ExpectFake(x + x, {6, 4}, at::kCPU);
    EXPECT_EQ(x.to(at::kInt).add(1).scalar_type(), at::kInt);
    EXPECT_EQ(x.to(at::kInt).add(1.0).scalar_type(), at::kFloat);
    EXPECT_EQ(at::any(x, at::OptionalIntArrayRef()).dim(), 0);
    at::Tensor y = Cpu({4});
    EXPECT_TRUE(y.add_(y).is_same(y));
  }
  EXPECT_TRUE((at::rand({2}, at::kComplexFloat).conj() * 1).numel() == 2);
  EXPECT_EQ((x.t() + 1).strides().vec(), (Sizes{1, 4}));
  EXPECT_EQ((x + 1).strides().vec(), (Sizes{4, 1}));
  EXPECT_TRUE((Cpu({2}).requires_grad_() * 2).requires_grad());
  EXPECT_FALSE((Cpu({2}) * 2).requires_grad());
}

// ---- composites that look at data

TEST_F(Scenario, composites_with_history) {
  const at::Tensor x = Cpu({3, 5}).requires_grad_(), median = at::quantile(x, 0.5, 1);
  ASSERT_TRUE(median.requires_grad());
  median.sum().backward();
  ExpectFake(x.grad(), {3, 5}, at::kCPU);
}

TEST_F(Scenario, composites_in_inference_mode) {
  const c10::InferenceMode inference;
  ExpectFake(at::quantile(Cpu({3, 5}), 0.5, 1), {3}, at::kCPU);
}

TEST_F(Scenario, composites_without_data) {
  for (const at::Device device : {at::Device(at::kCPU), kFakeCuda}) {
    const at::Tensor x = at::rand({3, 5}, at::device(device));
    ExpectFake(at::quantile(x, 0.5, 1), {3}, device);
    ExpectFake(at::nanquantile(x, 0.5, 0, true), {1, 5}, device);
  }
  ExpectFake(at::corrcoef(Cpu({3, 5})), {3, 3}, at::kCPU);
  at::Tensor inverse = at::empty({0});
  ExpectFake(at::linalg_pinv_out(inverse, Cpu({3, 5}), Cpu({})), {5, 3}, at::kCPU);
  EXPECT_EQ(at::_shape_as_tensor(Cpu({3, 4})).sizes().vec(), (Sizes{2}));
  EXPECT_EQ(at::_shape_as_tensor(Cpu({3, 4}))[1].item().toLong(), 4);  // as its rule says
  const UnsetFakeTemporarily off;
  EXPECT_EQ(at::quantile(at::arange(5.0), 0.5).item<float>(), 2);
  EXPECT_THROW(at::quantile(at::arange(5.0), 1.5), c10::Error);
}

}  // namespace
}  // namespace fakeprop
