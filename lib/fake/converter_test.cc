// Conversion, the memo, copies of modules, and autograd on fakes.
#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <thread>

#include "fakeprop/fake_tensor_mode.h"
#include "lib/fake/mode_state.h"

namespace fakeprop {
namespace {

using Sizes = std::vector<int64_t>;

TEST(Converter, SameTensorSameFake) {
  const FakeTensorMode mode;
  const torch::Tensor real = torch::rand({2, 2, 2});
  const torch::Tensor fake = mode.FromRealTensor(real);
  EXPECT_TRUE(fake.is_same(mode.FromRealTensor(real)));
  EXPECT_TRUE(fake.is_same(mode.FromRealTensor(fake)));
  EXPECT_EQ(fake.sizes(), real.sizes());
  EXPECT_EQ(fake.storage().nbytes(), 32u);
  EXPECT_EQ((fake + mode.FromRealTensor(torch::rand({4, 2, 2, 2}))).sizes().vec(), (Sizes{4, 2, 2, 2}));
}

TEST(Converter, FromMeta) {
  const FakeTensorMode mode;
  const torch::Tensor meta = torch::rand({2, 2}, torch::kMeta);
  const torch::Tensor fake = mode.FromMetaAndDevice(meta, torch::kCPU);
  EXPECT_EQ(fake.device(), torch::kCPU);
  EXPECT_TRUE(fake.is_same(mode.FromMetaAndDevice(meta, torch::kCUDA)));
  EXPECT_EQ(mode.FromMetaAndDevice(torch::rand({2}, torch::kMeta), torch::kCUDA).device(), torch::Device("cuda:0"));
  EXPECT_THROW(mode.FromMetaAndDevice(torch::rand({2}), torch::kCPU), UnsupportedFakeTensor);
}

TEST(Converter, SharedStorageStaysShared) {
  const FakeTensorMode mode;
  const torch::Tensor x = torch::rand({2, 2, 2}), detached = x.detach();
  const torch::Tensor fake = mode.FromRealTensor(x), first = mode.FromRealTensor(x[0]);
  EXPECT_TRUE(SharesStorage(fake, first));
  EXPECT_TRUE(SharesStorage(fake, mode.FromRealTensor(detached)));
  EXPECT_FALSE(SharesStorage(fake, mode.FromRealTensor(torch::rand({2}))));
  EXPECT_TRUE(first.is_view());
  EXPECT_TRUE(first._base().is_same(fake));
}

TEST(Converter, EntriesDieWithTheirFakes) {
  const FakeTensorMode mode;
  torch::Tensor real = torch::rand({2});
  {
    torch::Tensor fake = mode.FromRealTensor(real);
    EXPECT_EQ(mode.memo_size(), 1u);
    real = torch::Tensor();
    EXPECT_EQ((fake + fake).sizes().vec(), (Sizes{2}));
  }
  EXPECT_EQ(mode.memo_size(), 0u);
  real = torch::rand({3});
  for (int i = 0; i < 1000; ++i) {
    mode.FromRealTensor(real);
    EXPECT_EQ(mode.memo_size(), 0u);
  }
}

TEST(Converter, ModeDiesWithItsLastFake) {
  const torch::Tensor real = torch::rand({2});
  std::weak_ptr<const void> alive;
  {
    const FakeTensorMode mode;
    alive = fake::StateOf(mode);
    const torch::Tensor fake = mode.FromRealTensor(real);
    EXPECT_FALSE(alive.expired());
  }
  EXPECT_TRUE(alive.expired());
  torch::Tensor fake;
  {
    const FakeTensorMode mode;
    alive = fake::StateOf(mode);
    fake = mode.FromRealTensor(real);
  }
  EXPECT_FALSE(alive.expired());
  fake = fake + fake;
  EXPECT_FALSE(alive.expired());
  fake = torch::Tensor();
  EXPECT_TRUE(alive.expired());
}

TEST(Converter, Autograd) {
  const FakeTensorMode mode;
  torch::Tensor leaf = torch::rand({4, 4}, torch::requires_grad());
  leaf.mutable_grad() = torch::rand({4, 4});
  const torch::Tensor fake = mode.FromRealTensor(leaf);
  EXPECT_TRUE(fake.requires_grad() && fake.is_leaf());
  EXPECT_TRUE(IsFakeTensor(fake.grad()));
  const torch::Tensor result = mode.FromRealTensor(leaf * 2);
  EXPECT_TRUE(result.requires_grad() && !result.is_leaf());
  EXPECT_THROW(result.sum().backward(), c10::Error);
  const torch::Tensor other = torch::rand({4, 4}, torch::requires_grad());
  const torch::Tensor view = mode.FromRealTensor(other[0]);
  EXPECT_TRUE(view.requires_grad() && !view.is_leaf());
  EXPECT_TRUE(mode.FromRealTensor(other).is_leaf());
}

TEST(Converter, BitsAndKinds) {
  const FakeTensorMode mode;
  const torch::Tensor conj = torch::rand({3}, torch::kComplexFloat).conj();
  EXPECT_TRUE(mode.FromRealTensor(conj).is_conj());
  {
    const c10::InferenceMode inference;
    EXPECT_TRUE(mode.FromRealTensor(torch::rand({3})).is_inference());
  }
  torch::Tensor written = torch::rand({3});
  written.add_(1);
  EXPECT_EQ(mode.FromRealTensor(written)._version(), written._version());
  EXPECT_THROW(
      mode.FromRealTensor(torch::quantize_per_tensor(torch::rand({3}), 0.1, 0, torch::kQInt8)), UnsupportedFakeTensor);
}

TEST(Converter, FakeOfAFake) {
  const FakeTensorMode a, b;
  torch::Tensor of_a;
  {
    const FakeModeGuard on(a);
    of_a = torch::rand({1, 3}, torch::kCUDA);
  }
  const torch::Tensor of_b = b.FromRealTensor(of_a);
  EXPECT_EQ(FakeTensorMode::Of(of_b), b);
  EXPECT_EQ(of_b.device(), torch::Device("cuda:0"));
}

TEST(Converter, StaleSource) {
  const FakeTensorMode mode;
  torch::Tensor real = torch::rand({2, 3});
  const torch::Tensor fake = mode.FromRealTensor(real);
  real.t_();
  real.requires_grad_();
  EXPECT_TRUE(fake.is_same(mode.FromRealTensor(real)));
  EXPECT_EQ(fake.sizes().vec(), (Sizes{2, 3}));
  EXPECT_FALSE(fake.requires_grad());
}

struct Net : torch::nn::Cloneable<Net> {
  Net() { reset(); }
  void reset() override {
    conv = register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 8, 3).padding(1)));
    norm = register_module("norm", torch::nn::BatchNorm2d(8));
    head = register_module("head", torch::nn::Linear(8, 10));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(norm(conv(x)));
    return head(torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }
  torch::nn::Conv2d conv{nullptr};
  torch::nn::BatchNorm2d norm{nullptr};
  torch::nn::Linear head{nullptr};
};

class ModuleOn : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Devices, ModuleOn, testing::Values("cpu", "cuda:0", "cuda:1"),
    [](const auto& info) { return "device" + std::to_string(info.index); });

TEST_P(ModuleOn, ForwardAndBackward) {
  const torch::Device device(GetParam());
  const FakeTensorMode mode;
  const FakeModeGuard on(mode);
  Net net;
  net.to(device);
  const torch::Tensor x = torch::rand({4, 3, 32, 32}, device);
  const torch::Tensor y = net.forward(x);
  EXPECT_EQ(y.sizes().vec(), (Sizes{4, 10}));
  EXPECT_EQ(y.device(), device);
  torch::nn::functional::cross_entropy(y, torch::zeros({4}, torch::device(device).dtype(torch::kLong))).backward();
  for (const auto& parameter : net.named_parameters()) {
    const torch::Tensor& grad = parameter.value().grad();
    ASSERT_TRUE(grad.defined()) << parameter.key();
    EXPECT_TRUE(IsFakeTensor(grad)) << parameter.key();
    EXPECT_EQ(grad.sizes(), parameter.value().sizes());
    EXPECT_EQ(grad.device(), device);
  }
}

TEST_P(ModuleOn, Optimizers) {
  const torch::Device device(GetParam());
  const FakeTensorMode mode;
  const FakeModeGuard on(mode);
  torch::nn::Linear net(4, 2);
  net->to(device);
  torch::optim::SGD sgd(net->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
  torch::optim::AdamW adam(net->parameters(), torch::optim::AdamWOptions(0.1));
  for (int step = 0; step < 2; ++step) {
    sgd.zero_grad();
    net(torch::rand({8, 4}, device)).square().sum().backward();
    sgd.step();
    adam.step();
  }
  EXPECT_TRUE(IsFakeTensor(net->weight));
}

TEST(Autograd, AfterTheModeIsLeft) {
  torch::Tensor p, loss;
  {
    const FakeTensorMode mode;
    const FakeModeGuard on(mode);
    p = torch::rand({4, 2}, torch::requires_grad());
    loss = torch::rand({8, 4}).mm(p).square().sum();
  }
  loss.backward();
  EXPECT_TRUE(IsFakeTensor(p.grad()));
  EXPECT_EQ(p.grad().sizes().vec(), (Sizes{4, 2}));
}

TEST(Autograd, ErrorsAndHooks) {
  for (const char* name : {"cpu", "cuda:0"}) {
    const FakeTensorMode mode;
    const FakeModeGuard on(mode);
    torch::Tensor x = torch::rand({3}, torch::TensorOptions(torch::Device(name)).requires_grad(true));
    EXPECT_THROW(x.add_(1), c10::Error);
    EXPECT_THROW((x * 2).backward(), c10::Error);
    int hooks = 0;
    x.register_hook([&](const torch::Tensor& grad) {
      ++hooks;
      EXPECT_TRUE(IsFakeTensor(grad));
    });
    const torch::Tensor grad = torch::autograd::grad({x.pow(3).sum()}, {x}, {}, true, true)[0];
    EXPECT_EQ(grad.device(), x.device());
    torch::autograd::grad({grad.sum()}, {x});
    EXPECT_EQ(hooks, 2);
    const torch::NoGradGuard no_grad;
    EXPECT_FALSE((x * 2).requires_grad());
  }
}

// A custom Function whose backward calls factories: on autograd's threads the mode is the one it was begun under.
struct Doubled : torch::autograd::Function<Doubled> {
  static torch::Tensor forward(torch::autograd::AutogradContext*, const torch::Tensor& x) { return x * 2; }
  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext*, torch::autograd::tensor_list grads) {
    const torch::Tensor made = torch::full({}, 2.0, grads[0].options());
    EXPECT_TRUE(IsFakeTensor(made));
    EXPECT_TRUE(FakeTensorMode::Current());
    return {grads[0] * made};
  }
};

TEST(Autograd, FactoriesInBackward) {
  for (const char* name : {"cpu", "cuda:0", "cuda:1"}) {
    const FakeTensorMode mode;
    const FakeModeGuard on(mode);
    const torch::Tensor x = torch::rand({3}, torch::TensorOptions(torch::Device(name)).requires_grad(true));
    Doubled::apply(x).sum().backward();
    EXPECT_TRUE(IsFakeTensor(x.grad()));
  }
}

TEST(Autograd, Recurrent) {
  for (const char* name : {"cpu", "cuda:0"}) {
    const torch::Device device(name);
    const FakeTensorMode mode;
    const FakeModeGuard on(mode);
    torch::nn::LSTM lstm(torch::nn::LSTMOptions(2, 3).num_layers(2).proj_size(2));
    lstm->to(device);
    const auto [output, state] = lstm(torch::rand({4, 5, 2}, device));
    EXPECT_EQ(output.sizes().vec(), (Sizes{4, 5, 2}));
    EXPECT_EQ(std::get<0>(state).sizes().vec(), (Sizes{2, 5, 2}));
    EXPECT_EQ(std::get<1>(state).sizes().vec(), (Sizes{2, 5, 3}));
    output.sum().backward();
    for (const torch::Tensor& weight : lstm->parameters()) EXPECT_TRUE(weight.grad().defined());
  }
}

// torch::nn asks whether query, key and value are equal, to multiply them at once.
TEST(Autograd, Attention) {
  for (const char* name : {"cpu", "cuda:0"}) {
    const torch::Device device(name);
    const FakeTensorMode mode;
    const FakeModeGuard on(mode);
    torch::nn::Transformer net(torch::nn::TransformerOptions(64, 4).num_encoder_layers(2).num_decoder_layers(2));
    net->to(device);
    const torch::Tensor y = net(torch::rand({5, 2, 64}, device), torch::rand({7, 2, 64}, device));
    EXPECT_EQ(y.sizes().vec(), (Sizes{7, 2, 64}));
    EXPECT_EQ(y.device(), device);
    y.sum().backward();
    for (const torch::Tensor& weight : net->parameters()) EXPECT_TRUE(weight.grad().defined());
  }
}

TEST(Copies, OfModules) {
  Net net;
  const FakeTensorMode mode;
  std::shared_ptr<torch::nn::Module> copy;
  {
    const FakeCopyMode copying(mode);
    copy = net.clone();
  }
  for (const torch::Tensor& t : net.parameters()) EXPECT_FALSE(IsFakeTensor(t));
  for (const torch::Tensor& t : copy->parameters()) EXPECT_TRUE(IsFakeTensor(t) && t.requires_grad() && t.is_leaf());
  for (const torch::Tensor& t : copy->buffers()) EXPECT_TRUE(IsFakeTensor(t));
  const FakeModeGuard on(mode);
  EXPECT_EQ(std::dynamic_pointer_cast<Net>(copy)->forward(torch::rand({4, 3, 8, 8})).sizes().vec(), (Sizes{4, 10}));
}

TEST(NonFake, RealModuleAllowed) {
  Net net;
  const FakeTensorMode mode({.allow_non_fake_inputs = true});
  const FakeModeGuard on(mode);
  EXPECT_TRUE(IsFakeTensor(net.forward(torch::rand({4, 3, 8, 8}))));
  for (const torch::Tensor& t : net.parameters()) EXPECT_FALSE(IsFakeTensor(t));
}

TEST(Autocast, CastsFakes) {
  for (const char* name : {"cpu", "cuda:0"}) {
    const torch::Device device(name);
    const FakeTensorMode mode;
    const FakeModeGuard on(mode);
    const torch::Tensor x = torch::rand({4, 4}, device);
    at::autocast::set_autocast_enabled(device.type(), true);
    const torch::Tensor y = x.mm(x);
    at::autocast::set_autocast_enabled(device.type(), false);
    at::autocast::clear_cache();
    EXPECT_EQ(y.scalar_type(), at::autocast::get_autocast_dtype(device.type())) << name;
    EXPECT_EQ(x.mm(x).scalar_type(), torch::kFloat);
  }
}

TEST(Hooks, WhatAsksForCudaStillWorks) {
  const FakeTensorMode mode;
  torch::manual_seed(3);
  const torch::Tensor drawn = torch::rand({2});
  torch::manual_seed(3);
  torch::cuda::manual_seed(4);
  EXPECT_TRUE(torch::equal(torch::rand({2}), drawn));
  EXPECT_TRUE(torch::cuda::is_available());
  torch::cuda::synchronize();
  EXPECT_FALSE(torch::rand({2}).is_pinned());
  EXPECT_THROW(torch::rand({2}).pin_memory(), c10::Error);
  EXPECT_THROW(torch::rand({2}, torch::kCUDA), c10::Error);
}

}  // namespace
}  // namespace fakeprop
