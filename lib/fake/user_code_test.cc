// Code of users around their models: literals, files, data loaders, prints, gradient clipping, device mistakes.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <memory>
#include <set>
#include <sstream>

#include "fakeprop/fake_tensor_errors.h"
#include "lib/fake/testing/scenario_fixture.h"

namespace fakeprop {
namespace {

using fake_testing::ExpectFake;
using fake_testing::kFakeCuda;
using fake_testing::ScenarioFixture;
using fake_testing::Sizes;
namespace rnn = torch::nn::utils::rnn;

class UserCode : public ScenarioFixture {};

TEST_F(UserCode, TensorsOfVectorsAreKnown) {
  const at::Tensor t = torch::tensor(std::vector<int64_t>{7, 8, 9});
  ExpectFake(t, {3}, at::kCPU);
  EXPECT_EQ(t[1].item<int64_t>(), 8);
  EXPECT_EQ((t + 1)[2].item<int64_t>(), 10);
  ExpectFake(torch::tensor(std::vector<float>{1, 2}, kFakeCuda), {2}, kFakeCuda);
  EXPECT_FLOAT_EQ(at::tensor({0.5, 2.5})[1].item<float>(), 2.5);
  EXPECT_THROW(torch::empty({3})[0].item(), DataDependentOutput);
  at::Tensor written = torch::tensor(std::vector<float>{1, 2});
  written.add_(torch::rand({2}));
  EXPECT_THROW(written[0].item(), DataDependentOutput);
  EXPECT_THROW(written.data_ptr(), c10::Error);
  EXPECT_THROW(torch::empty({3, 3}).data_ptr(), c10::Error);
}

TEST_F(UserCode, TensorsThatAreFilledByElementAreKnown) {
  EXPECT_EQ(torch::tensor({6, 4, 2})[1].item<int64_t>(), 4);
  EXPECT_DOUBLE_EQ(torch::tensor({0.5}, torch::kDouble)[0].item<double>(), 0.5);
  at::Tensor lengths = torch::empty({2}, torch::kLong);
  lengths[0] = 7;
  lengths.select(0, 1).fill_(3);
  EXPECT_EQ((lengths * 2)[1].item<int64_t>(), 6);
  lengths[0] = 5;
  EXPECT_EQ(lengths[0].item<int64_t>(), 5);
  at::Tensor partly = torch::empty({2}, torch::kLong);
  partly[0] = 7;
  EXPECT_THROW(partly[0].item(), DataDependentOutput);
  at::Tensor overwritten = torch::empty({1});
  overwritten[0] = 7;
  overwritten.copy_(torch::rand({1}));
  EXPECT_THROW(overwritten[0].item(), DataDependentOutput);
}

TEST_F(UserCode, TensorsOfANumberAreKnown) {
  const at::Tensor n = torch::tensor(3);
  EXPECT_EQ(n.item<int64_t>(), 3);
  EXPECT_EQ((n + 2).item<int64_t>(), 5);
  EXPECT_DOUBLE_EQ(torch::tensor(2.5).item<double>(), 2.5);
  ExpectFake(torch::rand({4, 6}).index({n}), {6}, at::kCPU);
  ExpectFake(torch::tensor(3, kFakeCuda), {}, kFakeCuda);
  // Equal calls but for the number, the second one served by the first.
  for (const int64_t k : {1, 2, 1}) {
    const at::Tensor x = torch::rand({4}), scaled = x * torch::tensor(k);
    ExpectFake(scaled, {4}, at::kCPU);
    EXPECT_THROW(scaled.sum().item(), DataDependentOutput);
  }
  for (int i = 0; i < 3; ++i) {
    at::Tensor total = torch::tensor(0.0);
    total += torch::rand({});
    EXPECT_THROW(total.item(), DataDependentOutput) << i;
  }
}

TEST_F(UserCode, NormsCountTheirBatches) {
  torch::nn::BatchNorm2d norm(torch::nn::BatchNorm2dOptions(3).momentum(std::nullopt));
  for (int i = 0; i < 3; ++i) ExpectFake(norm(torch::rand({2, 3, 4, 4})), {2, 3, 4, 4}, at::kCPU);
  EXPECT_EQ(norm->num_batches_tracked.item<int64_t>(), 3);
}

TEST_F(UserCode, ReprShowsTheNumbersOfRealTensors) {
  at::Tensor real;
  {
    const UnsetFakeTemporarily off;
    real = torch::full({2}, 3);
  }
  EXPECT_NE(Repr(real).find("3"), std::string::npos);
}

TEST_F(UserCode, TensorsAreLoadedFromStreams) {
  std::stringstream saved;
  {
    const UnsetFakeTemporarily off;
    torch::save(torch::rand({4, 6}).slice(1, 0, 3), saved);
  }
  at::Tensor loaded;
  torch::load(loaded, saved);
  ExpectFake(loaded, {4, 3}, at::kCPU);
}

// An optimiser reads numbers of groups and of parameters from its file.
TEST_F(UserCode, OptimisersAreLoadedFromStreams) {
  std::stringstream saved;
  {
    const UnsetFakeTemporarily off;
    torch::nn::Linear net(2, 3);
    torch::optim::Adam optimizer(net->parameters());
    net(torch::rand({1, 2})).sum().backward();
    optimizer.step();
    torch::save(optimizer, saved);
  }
  torch::nn::Linear net(2, 3);
  torch::optim::Adam optimizer(net->parameters());
  torch::load(optimizer, saved);
  ASSERT_EQ(optimizer.state().size(), 2u);
  net(torch::rand({1, 2})).sum().backward();
  EXPECT_NO_THROW(optimizer.step());
}

class Saving : public ::testing::TestWithParam<const char*> {
 protected:
  const FakeTensorMode mode_{{.save_zeros = true}};
  const FakeModeGuard on_{mode_};
};

TEST_P(Saving, WritesFilesOfTheRealSize) {
  const auto write = [](at::Device device) {
    torch::nn::Sequential net(torch::nn::Conv2d(3, 4, 3), torch::nn::BatchNorm2d(4));
    net->to(device);
    std::stringstream file;
    torch::save(net, file);
    return file;
  };
  std::stringstream fake = write(at::Device(GetParam()));
  {
    const UnsetFakeTemporarily off;
    EXPECT_EQ(fake.str().size(), write(at::kCPU).str().size());
  }
  torch::nn::Sequential loaded(torch::nn::Conv2d(3, 4, 3), torch::nn::BatchNorm2d(4));
  torch::load(loaded, fake);
  ExpectFake(loaded->parameters()[0], {4, 3, 3, 3}, at::Device(GetParam()));
}

TEST_P(Saving, KeepsWhatIsKnown) {
  std::stringstream file;
  torch::save(std::vector<at::Tensor>{torch::tensor(4), torch::rand({3}, at::Device(GetParam())).slice(0, 1)}, file);
  std::vector<at::Tensor> loaded;
  torch::load(loaded, file);
  EXPECT_EQ(loaded.at(0).item<int64_t>(), 4);
  EXPECT_EQ(loaded.at(1).sizes().vec(), Sizes{2});
}

INSTANTIATE_TEST_SUITE_P(Devices, Saving, ::testing::Values("cpu", "cuda:0", "cuda:1", "mps:0"));

TEST_F(UserCode, SavingIsAnErrorThatNamesTheOption) {
  std::stringstream file;
  try {
    torch::save(torch::rand({3}), file);
    FAIL();
  } catch (const c10::Error& e) {
    EXPECT_NE(std::string(e.what()).find("save_zeros"), std::string::npos) << e.what();
  }
}

TEST_F(UserCode, ZeroTensors) {
  const at::Tensor zero = torch::_efficientzerotensor({2, 3});
  EXPECT_TRUE(zero._is_zerotensor());
  ExpectFake(zero, {2, 3}, at::kCPU);
  ExpectFake(zero + torch::rand({2, 3}), {2, 3}, at::kCPU);
}

TEST_F(UserCode, PinnedMemory) {
  const at::Tensor pinned = Cpu({2, 3}).t().pin_memory();
  ExpectFake(pinned, {3, 2}, at::kCPU);
  EXPECT_TRUE(pinned.is_pinned());
  EXPECT_FALSE(Cpu({2}).is_pinned());
  EXPECT_TRUE(torch::empty({2}, torch::TensorOptions().pinned_memory(true)).is_pinned());
  EXPECT_EQ(pinned.pin_memory().unsafeGetTensorImpl(), pinned.unsafeGetTensorImpl());
  EXPECT_ANY_THROW(Cuda({2}).pin_memory());
}

TEST_F(UserCode, PackedSequencesOfKnownLengths) {
  const at::Tensor lengths = torch::tensor(std::vector<int64_t>{5, 3, 2});
  for (const at::Device device : {at::Device(at::kCPU), kFakeCuda}) {
    const at::Tensor x = torch::rand({5, 3, 2}, device).requires_grad_();
    const auto packed = rnn::pack_padded_sequence(x, lengths);
    ExpectFake(packed.data(), {10, 2}, device);
    EXPECT_EQ(packed.batch_sizes()[2].item<int64_t>(), 2);
    torch::nn::GRU gru(2, 4);
    gru->to(device);
    const auto [out, state] = gru->forward_with_packed_input(packed);
    const auto [padded, out_lengths] = rnn::pad_packed_sequence(out);
    ExpectFake(padded, {5, 3, 4}, device);
    EXPECT_EQ(out_lengths[1].item<int64_t>(), 3);
    padded.sum().backward();
    ExpectFake(x.grad(), {5, 3, 2}, device);
  }
  EXPECT_ANY_THROW(rnn::pack_padded_sequence(Cpu({5, 3, 2}), torch::tensor(std::vector<int64_t>{6, 3, 2})));
  EXPECT_EQ(rnn::pack_sequence({torch::rand({4, 2}), torch::rand({3, 2})}).data().sizes().vec(), (Sizes{7, 2}));
  EXPECT_EQ(rnn::pack_padded_sequence(Cuda({6, 3, 4}), torch::tensor({6, 4, 2})).data().size(0), 12);
}

TEST(Guards, EndInAnyOrder) {
  const FakeTensorMode first, second;
  auto a = std::make_unique<FakeModeGuard>(first);
  auto b = std::make_unique<FakeModeGuard>(second);
  a.reset();
  EXPECT_TRUE(*FakeTensorMode::Of(torch::rand({2})) == second);
  auto off = std::make_unique<UnsetFakeTemporarily>();
  b.reset();
  EXPECT_FALSE(IsFakeTensor(torch::rand({2})));
  off.reset();
  EXPECT_FALSE(IsFakeTensor(torch::rand({2})));
  EXPECT_FALSE(FakeTensorMode::Current());
}

TEST(DataLoading, RandomSamplersDrawOnRequest) {
  const FakeTensorMode mode({.draw_permutations = true});
  const FakeModeGuard on(mode);
  torch::data::samplers::RandomSampler sampler(10);
  std::set<size_t> seen;
  while (const auto batch = sampler.next(3)) seen.insert(batch->begin(), batch->end());
  EXPECT_EQ(seen.size(), 10u);
  const at::Tensor many = torch::randperm(100000);
  EXPECT_TRUE(IsFakeTensor(many));
  EXPECT_LT(many[3].item<int64_t>(), 100000);
  torch::data::samplers::RandomSampler large(5000);
  EXPECT_EQ(large.next(7)->size(), 7u);
}

// ---- numbers that are not known

TEST(UnknownFloats, AreNanOnRequest) {
  const FakeTensorMode mode({.unknown_floats_are_nan = true});
  const FakeModeGuard on(mode);
  torch::nn::Linear net(3, 4);
  const at::Tensor loss = net(torch::rand({2, 3})).sum();
  loss.backward();
  EXPECT_TRUE(std::isnan(torch::nn::utils::clip_grad_norm_(net->parameters(), 1.0)));
  ExpectFake(net->weight.grad(), {4, 3}, at::kCPU);
  EXPECT_TRUE(std::isnan(loss.item<float>()));
  EXPECT_TRUE(std::isnan(loss.to(kFakeCuda, torch::kHalf).item<double>()));
  EXPECT_EQ(torch::tensor(std::vector<float>{2.5}).item<float>(), 2.5);
  EXPECT_THROW(loss.to(torch::kLong).item(), DataDependentOutput);
  EXPECT_THROW((loss > 0).item<bool>(), DataDependentOutput);
}

TEST_F(UserCode, UnknownFloatsAreErrorsByDefault) {
  EXPECT_THROW(Cpu({}).item<float>(), DataDependentOutput);
  torch::nn::Linear net(3, 1);
  torch::optim::LBFGS optimizer(net->parameters());
  auto closure = [&] {
    optimizer.zero_grad();
    const at::Tensor loss = net(torch::rand({4, 3})).sum();
    loss.backward();
    return loss;
  };
  EXPECT_THROW(optimizer.step(closure), DataDependentOutput);
}

// ---- a forgotten to(device)

// Lengths are tensors of the cpu wherever the rest is.
TEST_F(UserCode, ConnectionistLossOfLengthsOnTheCpu) {
  torch::nn::CTCLoss loss;
  for (const at::Device device : {at::Device("cpu"), kFakeCuda, at::Device("xpu:0")}) {
    const at::Tensor x = torch::rand({50, 3, 15}, device).requires_grad_();
    const at::Tensor targets = torch::randint(1, 15, {3, 10}, at::device(device).dtype(at::kLong));
    ExpectFake(
        loss(x.log_softmax(2), targets, torch::full({3}, 50, at::kLong), torch::full({3}, 10, at::kLong)), {}, device);
    loss(x.log_softmax(2), targets, torch::full({3}, 50, at::kLong), torch::full({3}, 10, at::kLong)).backward();
    ExpectFake(x.grad(), {50, 3, 15}, device);
  }
}

TEST_F(UserCode, OperatorsThatReturnNothingNewOfTwoDevices) {
  const auto cuda = torch::device(torch::kCUDA);
  const torch::Tensor parameter = torch::rand({2}, cuda), state = torch::rand({2}, cuda), step = torch::ones({}, cuda);
  const auto adam = [&](const torch::Tensor& gradient) {
    at::_fused_adam_({parameter}, {gradient}, {state}, {state}, {}, {step}, 0.1, 0.9, 0.99, 0, 1e-8, false, false);
  };
  EXPECT_NO_THROW(adam(torch::rand({2}, cuda)));
  EXPECT_THROW(adam(torch::rand({2})), FakeTensorDeviceMismatch);
  torch::Tensor found = torch::zeros({1}, cuda), scale = torch::ones({1}, cuda);
  EXPECT_NO_THROW(at::_amp_foreach_non_finite_check_and_unscale_({parameter}, found, scale));
  EXPECT_THROW(
      at::_amp_foreach_non_finite_check_and_unscale_({torch::rand({2})}, found, scale), FakeTensorDeviceMismatch);
  EXPECT_THROW((void)torch::equal(parameter, torch::rand({3})), FakeTensorDeviceMismatch);
}

TEST_F(UserCode, ConvolutionsOfTwoDevices) {
  const at::Tensor x = Cuda({1, 3, 8, 8}), weight = Cuda({4, 3, 3, 3});
  ExpectFake(torch::conv2d(x, weight, Cuda({4})), {1, 4, 6, 6}, kFakeCuda);
  auto expect_both = [](const auto& call) {
    try {
      call();
      FAIL() << "nothing was thrown";
    } catch (const FakeTensorDeviceMismatch& e) {
      const std::string text = e.what();
      EXPECT_NE(text.find("cpu"), std::string::npos) << text;
      EXPECT_NE(text.find("cuda:0"), std::string::npos) << text;
    }
  };
  expect_both([&] { torch::conv2d(x, Cpu({4, 3, 3, 3})); });
  expect_both([&] { torch::conv2d(x, weight, Cpu({4})); });
  expect_both([&] { torch::conv2d(Cpu({1, 3, 8, 8}), weight); });
  expect_both([&] { torch::conv_transpose2d(x, Cpu({3, 4, 3, 3})); });
  expect_both([&] { torch::nn::Conv1d(3, 4, 3)(Cuda({1, 3, 8})); });
}

}  // namespace
}  // namespace fakeprop
