// Behaviours that PyTorch's test_fake_tensor.py asks of FakeTensorMode and that no other test here has; names as there
// (docs/parity.md lists all).
#include <ATen/ATen.h>
#include <ATen/functorch/BatchedTensorImpl.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/forward_grad.h>
#include <torch/torch.h>

#include <thread>

#include "lib/fake/fake_tensor_mode.h"

namespace fakeprop {
namespace {

using Sizes = std::vector<int64_t>;
const at::Device kFakeCuda("cuda:0");

class Scenario : public testing::Test {
 protected:
  at::Tensor Cpu(at::IntArrayRef sizes) { return at::rand(sizes, at::device(at::kCPU)); }
  at::Tensor Cuda(at::IntArrayRef sizes) { return at::rand(sizes, at::device(kFakeCuda)); }
  static void Expect(const at::Tensor& t, const Sizes& sizes, at::Device device) {
    EXPECT_TRUE(IsFakeTensor(t));
    EXPECT_EQ(t.sizes().vec(), sizes);
    EXPECT_EQ(t.device(), device);
  }

  const FakeTensorMode mode;
  const FakeModeGuard on{mode};
};

// ---- converter and memo

TEST_F(Scenario, parameter_view) {
  at::Tensor parameter, view;
  {
    const UnsetFakeTemporarily real;
    parameter = at::rand({4}).requires_grad_();
    view = parameter.view({2, 2});
  }
  const at::Tensor of_view = mode.FromRealTensor(view), of_parameter = mode.FromRealTensor(parameter);
  EXPECT_TRUE(!of_view.is_leaf() && of_view.requires_grad());
  EXPECT_TRUE(of_parameter.is_leaf() && of_parameter.requires_grad());
}

TEST_F(Scenario, dead_fake) {
  at::Tensor real;
  {
    const UnsetFakeTemporarily off;
    real = at::rand({2});
  }
  at::Tensor fake = mode.FromRealTensor(real);
  fake = at::Tensor();
  EXPECT_EQ(mode.memo_size(), 0u);
  fake = mode.FromRealTensor(real);
  real = at::Tensor();
  Expect(fake + fake, {2}, at::kCPU);
}

TEST_F(Scenario, deepcopy) {
  std::vector<at::Tensor> reals;
  {
    const UnsetFakeTemporarily off;
    torch::nn::BatchNorm2d norm(10);
    reals = norm->parameters();
    for (const at::Tensor& buffer : norm->buffers()) reals.push_back(buffer);
  }
  for (const at::Tensor& real : reals) {
    const at::Tensor fake = mode.FromRealTensor(real);
    EXPECT_EQ(fake.sizes(), real.sizes());
    EXPECT_EQ(fake.dtype(), real.dtype());
    EXPECT_EQ(fake.requires_grad(), real.requires_grad());
  }
}

// A module whose tensors are one another, or a view of one another.
struct Tied : torch::nn::Cloneable<Tied> {
  Tied() { reset(); }
  void reset() override {
    a = register_parameter("a", torch::rand({10, 2}));
    b = register_buffer("b", a);
    c = register_buffer("c", a.detach()[0]);
  }
  at::Tensor a, b, c;
};

TEST_F(Scenario, deepcopy_of_tied_tensors) {
  std::vector<at::Tensor> fakes;
  {
    const UnsetFakeTemporarily off;
    const Tied real;
    for (const at::Tensor& t : {real.a, real.b, real.c}) fakes.push_back(mode.FromRealTensor(t));
  }
  EXPECT_TRUE(fakes[0].is_same(fakes[1]));
  EXPECT_TRUE(SharesStorage(fakes[0], fakes[2]));
  Expect(fakes[2], {2}, at::kCPU);
}

TEST_F(Scenario, bits) {
  at::Tensor neg, nested;
  {
    const UnsetFakeTemporarily off;
    neg = at::imag(at::rand({3}, at::kComplexFloat).conj());
    nested = at::_nested_tensor_from_tensor_list({at::rand({2}), at::rand({3})});
  }
  ASSERT_TRUE(neg.is_neg());
  EXPECT_TRUE(mode.FromRealTensor(neg).is_neg());
  EXPECT_THROW(mode.FromRealTensor(nested), UnsupportedFakeTensor);
}

TEST_F(Scenario, batch_tensor) {
  const UnsetFakeTemporarily off;
  const at::Tensor once = at::functorch::makeBatched(at::rand({3, 4, 5}), 0, 1);
  const at::Tensor twice = at::functorch::makeBatched(once, 0, 2);
  for (const at::Tensor& batched : {once, twice}) EXPECT_THROW(mode.FromRealTensor(batched), UnsupportedFakeTensor);
}

// All threads get the same fake of a tensor.
TEST_F(Scenario, threads_convert) {
  const UnsetFakeTemporarily off;
  for (int round = 0; round < 50; ++round) {
    const at::Tensor real = at::rand({4, 4}), row = real[0];
    std::vector<at::Tensor> fakes(4), rows(4);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&, i] {
        rows[i] = mode.FromRealTensor(row);
        fakes[i] = mode.FromRealTensor(real);
      });
    for (std::thread& thread : threads) thread.join();
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(fakes[i].is_same(fakes[0]) && rows[i].is_same(rows[0]));
    EXPECT_TRUE(rows[0]._base().is_same(fakes[0]));
  }
  EXPECT_EQ(mode.memo_size(), 0u);
}

// A million conversions leave nothing behind, dead sources and dead fakes in turn.
TEST_F(Scenario, conversions_do_not_leak) {
  const UnsetFakeTemporarily off;
  const at::Tensor kept = at::rand({2, 3});
  for (int i = 0; i < 500'000; ++i) {
    mode.FromRealTensor(kept);
    mode.FromRealTensor(kept.detach());
  }
  EXPECT_EQ(mode.memo_size(), 0u);
}

// ---- mode

TEST_F(Scenario, repr) {
  EXPECT_EQ(Repr(Cpu({2, 2})), "FakeTensor(size=(2, 2), dtype=Float)");
  EXPECT_EQ(Repr(Cuda({2}).requires_grad_()), "FakeTensor(device='cuda:0', size=(2), dtype=Float, requires_grad=True)");
  EXPECT_EQ(Repr(at::Tensor()), "an undefined tensor");
  const UnsetFakeTemporarily off;
  EXPECT_EQ(Repr(at::rand({2})), "a real tensor");
}

TEST_F(Scenario, detect) {
  const at::Tensor x = Cpu({2});
  c10::Dict<std::string, at::Tensor> named;
  named.insert("x", x);
  const c10::IValue nested = c10::ivalue::Tuple::create({c10::IValue(1), c10::List<at::Tensor>({x}), named});
  const UnsetFakeTemporarily off;
  const FakeTensorMode other;
  const at::Tensor of_other = other.FromRealTensor(at::rand({2}));
  EXPECT_EQ(DetectFakeMode({nested}), mode);
  EXPECT_EQ(DetectFakeMode({at::rand({2}), at::Tensor(), "text"}), std::nullopt);
  EXPECT_THROW((DetectFakeMode({nested, of_other})), NotFake);
}

TEST_F(Scenario, fake_dispatch_keys) {
  const at::Tensor x = Cpu({4});
  for (at::DispatchKey key :
      {at::DispatchKey::ADInplaceOrView, at::DispatchKey::AutogradCPU, at::DispatchKey::AutocastCPU})
    EXPECT_TRUE(x.key_set().has(key)) << key;
  const c10::InferenceMode inference;
  const at::Tensor y = Cpu({4});
  EXPECT_FALSE(y.key_set().has(at::DispatchKey::AutogradCPU));
  EXPECT_TRUE(y.key_set().has(at::DispatchKey::AutocastCPU));
}

TEST_F(Scenario, unset_then_like) {
  const at::Tensor x = Cpu({4});
  const UnsetFakeTemporarily off;
  EXPECT_TRUE(IsFakeTensor(at::zeros_like(x)));  // a fake stays one
  EXPECT_FALSE(IsFakeTensor(at::zeros({4})));
}

// ---- factories and devices

TEST_F(Scenario, module_to) {
  torch::nn::Linear linear(2, 2);
  for (const at::Tensor& p : linear->parameters()) EXPECT_TRUE(p.is_cpu());
  linear->to(at::kCUDA);
  for (const at::Tensor& p : linear->parameters()) EXPECT_EQ(p.device(), kFakeCuda);
}

TEST_F(Scenario, device_normalization) {
  EXPECT_EQ(Cpu({1}).device(), at::Device(at::kCPU));
  EXPECT_EQ(at::empty({1}, at::device(at::Device("mps"))).device(), at::Device("mps:0"));
  EXPECT_EQ(Cpu({1}).to(at::Device("mps")).device(), at::Device("mps:0"));
}

TEST_F(Scenario, sparse_new) {
  const at::Tensor indices = at::zeros({2, 3}, at::kLong);
  try {
    EXPECT_EQ(at::sparse_coo_tensor(indices, Cpu({3}), {4, 4}).dim(), 2);
  } catch (const c10::Error&) {}
}

bool IsTensor(const c10::Argument& argument) { return argument.type()->isSubtypeOf(*c10::TensorType::get()); }

// Every *_like operator, and every constructor that names a device, gives fakes of the device that is asked for.
TEST_F(Scenario, like_ops) {
  size_t count = 0;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    if (!name.name.starts_with("aten::") || !name.name.ends_with("_like") ||
        name.overload_name.find("out") != std::string::npos)
      continue;
    const auto op = c10::Dispatcher::singleton().findSchema(name);
    if (!op || !IsTensor(op->schema().arguments()[0])) continue;
    for (const bool crosses : {false, true}) {
      torch::jit::Stack stack;
      for (const c10::Argument& argument : op->schema().arguments()) {
        if (argument.name() == "self" || argument.name() == "mean") stack.emplace_back(Cpu({4, 4}));
        else if (argument.name() == "device" && crosses) stack.emplace_back(kFakeCuda);
        else if (argument.type()->kind() == c10::TypeKind::OptionalType) stack.emplace_back();
        else if (argument.default_value()) stack.push_back(*argument.default_value());
        else if (argument.type()->kind() == c10::TypeKind::TensorType) stack.emplace_back(mode.Literal(5));
        else stack.emplace_back(argument.name() == "low" ? 0 : 7);
      }
      op->callBoxed(stack);
      Expect(stack.back().toTensor(), {4, 4}, crosses ? kFakeCuda : at::Device(at::kCPU));
    }
    ++count;
  }
  EXPECT_GE(count, 8u);
}

TEST_F(Scenario, constructors_take_a_device) {
  size_t count = 0;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    const auto op = c10::Dispatcher::singleton().findSchema(name);
    if (!op || !name.name.starts_with("aten::") || op->schema().returns().size() != 1 ||
        !IsTensor(op->schema().returns()[0]))
      continue;
    bool has_tensor = false, by_position = false;
    const c10::Argument* device = nullptr;
    for (const c10::Argument& argument : op->schema().arguments()) {
      has_tensor |= argument.type()->str().find("Tensor") != std::string::npos;
      if (argument.name() == "device") device = &argument, by_position = !argument.kwarg_only();
    }
    if (!device || has_tensor) continue;
    EXPECT_FALSE(by_position) << name;
    ++count;
  }
  EXPECT_GE(count, 40u);
}

TEST_F(Scenario, embedding_bag_meta) {
  const at::Tensor table = at::rand({10, 3}, at::kMeta).requires_grad_(), indices = at::zeros({8}, at::kLong);
  Expect(std::get<0>(at::embedding_bag(table, indices, at::zeros({2}, at::kLong))), {2, 3}, at::kMeta);
}

// ---- device rules and errors

TEST_F(Scenario, diagonal_scatter) {
  Expect(at::diagonal_scatter(Cuda({1, 2}), mode.Literal(std::vector<double>{1.0}).to(at::kFloat), 0, 0, 1), {1, 2},
      kFakeCuda);
  Expect(at::diagonal_scatter(Cpu({3, 3, 3}), Cuda({3, 3})), {3, 3, 3}, at::kCPU);
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
  Expect(x.index_put({index}, Cpu({})), {2, 2, 3}, kFakeCuda);
  Expect(x.index_put_({index}, Cpu({})), {2, 2, 3}, kFakeCuda);
}

TEST_F(Scenario, multi_device) {
  Expect(at::copy(Cpu({4}), Cuda({4})), {4}, at::kCPU);
  Expect(at::copy(Cuda({4}), Cpu({4})), {4}, kFakeCuda);
  const at::Tensor i = at::zeros({4}, at::kLong), on_cuda = i.to(kFakeCuda);
  Expect(Cuda({4, 4}).index({i}), {4, 4}, kFakeCuda);
  Expect(Cpu({4, 4}).index_put({on_cuda}, Cpu({4})), {4, 4}, at::kCPU);
  Expect(Cuda({4, 4}).index_put({i}, Cuda({4})), {4, 4}, kFakeCuda);
  at::Tensor cpu = Cpu({4}), cuda_out = Cuda({4, 4});
  Expect(at::copy_out(cpu, Cpu({4}), Cuda({4})), {4}, at::kCPU);
  Expect(at::slice_scatter_out(cuda_out, Cuda({4, 4}), Cpu({2, 4}), 0, 2), {4, 4}, kFakeCuda);
  Expect(at::slice_scatter(Cpu({4, 4}), Cuda({2, 4}), 0, 2), {4, 4}, at::kCPU);
  Expect(at::slice_scatter(Cuda({4, 4}), Cpu({2, 4}), 0, 2), {4, 4}, kFakeCuda);
}

TEST_F(Scenario, cpu_fallback) {
  for (const bool allowed : {false, true}) {
    const FakeTensorMode other({.allow_fallback_kernels = allowed});
    const FakeModeGuard inner(other);
    Expect(at::conv2d(Cuda({1, 4, 5, 5}), Cuda({8, 4, 3, 3}), {}, 1, 1), {1, 8, 5, 5}, kFakeCuda);
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
    Expect(std::get<0>(results), {92, 8, 1024}, kFakeCuda);
    EXPECT_EQ(std::get<1>(results).device(), kFakeCuda);
    EXPECT_EQ(std::get<3>(results).device(), kFakeCuda);
    EXPECT_TRUE(std::get<4>(results).is_same(buffer));
  }
}

// ---- views, aliasing, memory formats

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
  Expect(dual * 4312491, {3}, at::kCPU);
  torch::autograd::ForwardADLevel::release_idx(level);
}

// ---- what a cache must not mix up

TEST_F(Scenario, like_calls_like_results) {
  const at::Tensor x = Cpu({6, 4});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(x.split(2).size(), 3u);
    Expect(x + x, {6, 4}, at::kCPU);
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
  Expect(x.grad(), {3, 5}, at::kCPU);
}

TEST_F(Scenario, composites_in_inference_mode) {
  const c10::InferenceMode inference;
  Expect(at::quantile(Cpu({3, 5}), 0.5, 1), {3}, at::kCPU);
}

TEST_F(Scenario, composites_without_data) {
  for (const at::Device device : {at::Device(at::kCPU), kFakeCuda}) {
    const at::Tensor x = at::rand({3, 5}, at::device(device));
    Expect(at::quantile(x, 0.5, 1), {3}, device);
    Expect(at::nanquantile(x, 0.5, 0, true), {1, 5}, device);
  }
  Expect(at::corrcoef(Cpu({3, 5})), {3, 3}, at::kCPU);
  at::Tensor inverse = at::empty({0});
  Expect(at::linalg_pinv_out(inverse, Cpu({3, 5}), Cpu({})), {5, 3}, at::kCPU);
  EXPECT_EQ(at::_shape_as_tensor(Cpu({3, 4})).sizes().vec(), (Sizes{2}));
  EXPECT_EQ(at::_shape_as_tensor(Cpu({3, 4}))[1].item().toLong(), 4);  // as its rule says
  const UnsetFakeTemporarily off;
  EXPECT_EQ(at::quantile(at::arange(5.0), 0.5).item<float>(), 2);
  EXPECT_THROW(at::quantile(at::arange(5.0), 1.5), c10::Error);
}

}  // namespace
}  // namespace fakeprop
