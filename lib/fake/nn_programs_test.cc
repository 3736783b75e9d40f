// Programs with torch::nn as users write them: inference mode, modules moved between devices, training on every device.
#include <gtest/gtest.h>
#include <torch/script.h>
#include <torch/torch.h>

#include "lib/fake/testing/scenario_fixture.h"

namespace fakeprop {
namespace {

using fake_testing::ExpectFake;
using fake_testing::ScenarioFixture;
using fake_testing::Sizes;
namespace nn = torch::nn;

// ---- inference mode

class InInferenceMode : public ScenarioFixture {};

TEST_F(InInferenceMode, ModelsThatWereBuiltBeforeRun) {
  nn::Linear net(4, 2);
  const at::Tensor outside = Cpu({3, 4});
  const c10::InferenceMode inference;
  const at::Tensor y = net(torch::rand({3, 4}));
  ExpectFake(y, {3, 2}, at::kCPU);
  EXPECT_TRUE(y.is_inference());
  EXPECT_TRUE(net(outside).is_inference());
}

TEST_F(InInferenceMode, AViewOfANormalTensorIsNormal) {
  const at::Tensor x = Cpu({4, 6});
  const c10::InferenceMode inference;
  for (const at::Tensor& view : {x.view({6, 4}), x.t(), x.slice(0, 0, 2), x.select(1, 0), x.split(2)[1],
           x.unsqueeze(0).expand({5, 4, 6}), x.detach(), x.chunk(2, 1)[0], x.permute({1, 0}), x.as_strided({2}, {1})}) {
    EXPECT_FALSE(view.is_inference()) << view.sizes();
    EXPECT_EQ(view._version(), x._version());
    EXPECT_TRUE(SharesStorage(view, x));
  }
  // LibTorch runs these by the views that they consist of.
  for (const at::Tensor& view : {x.view_as(x), x.reshape({6, 4}), x.swapaxes(0, 1), x.flatten(), x.chunk(2)[1]}) {
    EXPECT_TRUE(view.is_view() && !view.is_inference()) << view.sizes();
  }
  EXPECT_TRUE((x + 1).is_inference());
  EXPECT_TRUE((x + 1).view(-1).is_inference());
  x.view(-1).add_(1);
  EXPECT_EQ(x._version(), 1u);
}

TEST_F(InInferenceMode, AViewOfAnInferenceTensorIsOneOutsideToo) {
  at::Tensor x;
  {
    const c10::InferenceMode inference;
    x = Cpu({4, 6});
  }
  EXPECT_TRUE(x.view(-1).is_inference());
  EXPECT_FALSE((x + 1).is_inference());
}

// ---- parameters that become fake

class RealModule : public ::testing::TestWithParam<const char*> {
 protected:
  at::Device device() const { return at::Device(GetParam()); }
  // A mode that takes in real tensors, and a module that was built before it.
  FakeTensorMode mode{{.allow_non_fake_inputs = true}};
};
INSTANTIATE_TEST_SUITE_P(Devices, RealModule, testing::Values("cuda:0", "cuda:1", "cpu", "xpu:0", "mps:0"),
    [](const auto& info) { return std::to_string(info.index); });

TEST_P(RealModule, ParametersAreOnTheirDeviceAtOnce) {
  nn::Linear net(4, 2);
  {
    const FakeModeGuard on(mode);
    net->to(device());
    if (!device().is_cpu()) {
      EXPECT_EQ(net->weight.device(), device());
      EXPECT_TRUE(IsFakeTensor(net->weight));
      ExpectFake(torch::empty({3}, net->weight.options()), {3}, device());
      ExpectFake(net->weight.data(), {2, 4}, device());
    }
    const at::Tensor x = torch::rand({3, 4}, device());
    net(x).sum().backward();
    ExpectFake(net->weight.grad(), {2, 4}, device());
    ExpectFake(net->bias.grad(), {2}, device());
  }
  if (!device().is_cpu()) EXPECT_EQ(net->weight.device(), device());
}

TEST_P(RealModule, RecurrentNetworksTrain) {
  nn::LSTM net(nn::LSTMOptions(4, 5).num_layers(2));
  const FakeModeGuard on(mode);
  net->to(device());
  torch::optim::Adam optimizer(net->parameters());
  for (int step = 0; step < 2; ++step) {
    optimizer.zero_grad();
    const auto [output, state] = net(torch::rand({7, 3, 4}, device()));
    ExpectFake(output, {7, 3, 5}, device());
    output.sum().backward();
    optimizer.step();
  }
  for (const at::Tensor& p : net->parameters()) ExpectFake(p.grad(), p.sizes().vec(), device());
}

TEST_P(RealModule, TorchScriptModulesRunAndTrain) {
  torch::jit::Module net("net");
  net.register_parameter("weight", torch::rand({2, 4}).requires_grad_(), /*is_buffer=*/false);
  net.register_parameter("scale", torch::rand({2}), /*is_buffer=*/true);
  net.define("def forward(self, x):\n  y = torch.linear(x, self.weight) * self.scale\n  return torch.relu(y).sum(1)\n");
  const FakeModeGuard on(mode);
  net.to(device());
  const at::Tensor weight = net.attr("weight").toTensor();
  if (!device().is_cpu()) EXPECT_EQ(weight.device(), device());
  // From the third run on, the interpreter runs what it optimised.
  for (int run = 0; run < 4; ++run) {
    const at::Tensor out = net.forward({torch::rand({3, 4}, device())}).toTensor();
    ExpectFake(out, {3}, device());
    out.sum().backward();
    ExpectFake(weight.grad(), {2, 4}, device());
  }
}

TEST_P(RealModule, OtherDtypes) {
  nn::Linear net(4, 2);
  const FakeModeGuard on(mode);
  net->to(device());
  net->to(torch::kHalf);
  if (!device().is_cpu()) EXPECT_EQ(net->weight.device(), device());
  net(torch::rand({3, 4}, torch::device(device()).dtype(torch::kHalf))).sum().backward();
  ExpectFake(net->weight.grad(), {2, 4}, device());
  EXPECT_EQ(net->weight.grad().scalar_type(), torch::kHalf);
}

// ---- devices

class OnDevice : public testing::TestWithParam<const char*> {
 protected:
  at::Device device() const { return at::Device(GetParam()); }
  const FakeTensorMode mode;
  const FakeModeGuard on{mode};
};
INSTANTIATE_TEST_SUITE_P(Devices, OnDevice,
    testing::Values("cpu", "cuda:0", "cuda:1", "xpu:0", "xpu:1", "mps:0", "hpu:0", "mtia:0", "hip:0", "xla:0", "ipu:0",
        "ve:0", "maia:0", "lazy:0", "vulkan:0", "fpga:0"),
    [](const auto& info) { return std::to_string(info.index); });

void TrainOn(at::Device device) {
  nn::Sequential net(nn::Linear(4, 8), nn::ReLU(), nn::BatchNorm1d(8), nn::Dropout(), nn::Linear(8, 2));
  net->to(device);
  torch::optim::AdamW optimizer(net->parameters());
  for (int step = 0; step < 2; ++step) {
    optimizer.zero_grad();
    const at::Tensor x = torch::rand({3, 4}, device);
    const at::Tensor target = torch::zeros({3}, torch::device(device).dtype(torch::kLong));
    torch::nn::functional::cross_entropy(net->forward(x), target).backward();
    optimizer.step();
  }
  for (const at::Tensor& p : net->parameters()) {
    EXPECT_EQ(p.device(), device);
    EXPECT_EQ(p.grad().device(), device);
    EXPECT_EQ(p.grad().sizes(), p.sizes());
  }
}

TEST_P(OnDevice, Trains) { TrainOn(device()); }

TEST_P(OnDevice, GradientsCrossDevices) {
  const at::DeviceIndex third = device().is_cpu() ? 0 : 3;
  for (const at::Device other : {at::Device(at::kCPU), at::Device(device().type(), third)}) {
    const at::Tensor x = torch::rand({4, 4}, device()).requires_grad_();
    const at::Tensor w = torch::rand({4, 4}, other).requires_grad_();
    const at::Tensor here = x.relu().matmul(x);
    const at::Tensor there = here.to(other);
    (there.matmul(w).to(device()) + here).sum().backward();
    EXPECT_EQ(x.grad().device(), device());
    EXPECT_EQ(w.grad().device().type(), other.type());
    EXPECT_EQ(w.grad().sizes(), w.sizes());
  }
}

// LibTorch prefers privateuseone to all other accelerators once it has its hooks, so it gets a process of its own.
TEST(OnPrivateUse1, Trains) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto train = [] {
    const FakeTensorMode mode;
    const FakeModeGuard on(mode);
    TrainOn(at::Device("privateuseone:0"));
    std::exit(testing::Test::HasFailure());
  };
  EXPECT_EXIT(train(), testing::ExitedWithCode(0), "");
}

TEST(CurrentDevice, DeviceGuardsSayWhatADeviceWithoutIndexMeans) {
  const FakeTensorMode mode;
  const FakeModeGuard on(mode);
  {
    const c10::DeviceGuard second(at::Device("cuda:1"));
    EXPECT_EQ(torch::ones({2}, torch::kCUDA).device(), at::Device("cuda:1"));
    EXPECT_EQ(torch::ones({2}).to(torch::kCUDA).device(), at::Device("cuda:1"));
    const c10::DeviceGuard third(at::Device("cuda:2"));
    EXPECT_EQ(torch::ones({2}).cuda().device(), at::Device("cuda:2"));
    EXPECT_EQ(torch::ones({2}, at::Device("cuda:0")).device(), at::Device("cuda:0"));
  }
  EXPECT_EQ(torch::ones({2}, torch::kCUDA).device(), at::Device("cuda:0"));
}

}  // namespace
}  // namespace fakeprop
