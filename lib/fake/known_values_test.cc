// Values that are known on every device if the mode follows them: literals, numbers of files, counters of modules. And
// how tensors are printed.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <sstream>

#include "fakeprop/fake_tensor_errors.h"
#include "lib/fake/testing/scenario_fixture.h"

namespace fakeprop {
namespace {

using fake_testing::ExpectFake;
using fake_testing::ScenarioFixture;

class OnDevice : public ::testing::TestWithParam<const char*> {
 protected:
  const at::Device device_{GetParam()};
  const FakeTensorMode mode_{{.follow_known_data = true}};
  const FakeModeGuard on_{mode_};
};

TEST_P(OnDevice, LiteralsAreKnown) {
  const at::Tensor n = torch::tensor(3, device_);
  ExpectFake(n, {}, device_);
  EXPECT_EQ(n.item<int64_t>(), 3);
  EXPECT_EQ((n + 2).item<int64_t>(), 5);
  const at::Tensor list = torch::tensor({2, 5, 9}, device_);
  EXPECT_EQ(list[1].item<int64_t>(), 5);
  EXPECT_EQ(list.to(at::kCPU)[2].item<int64_t>(), 9);
  EXPECT_DOUBLE_EQ(torch::tensor({0.5, 2.5}).to(device_, at::kHalf).sum().item<double>(), 3.0);
  EXPECT_EQ(list.cpu().data_ptr<int64_t>()[0], 2);
}

// Code of LibTorch fills vectors on the cpu element by element; a view may have smaller elements than those that were
// written first.
TEST(ValuesInProgress, ViewsOfOtherDtypes) {
  const FakeTensorMode mode{{.follow_known_data = true}};
  const FakeModeGuard on(mode);
  const at::Tensor longs = at::empty({1024}, at::kLong);
  longs[0].fill_(1);
  const at::Tensor bytes = longs.view(at::kByte);
  for (const int64_t i : {8191, 8, 0}) bytes[i].fill_(3);
  EXPECT_THROW(longs[1].item(), DataDependentOutput);
}

TEST(ValuesInProgress, AreKnownWhenEachByteIsWritten) {
  const FakeTensorMode mode{{.follow_known_data = true}};
  const FakeModeGuard on(mode);
  const at::Tensor pair = at::empty({2}, at::kShort);
  pair[0].fill_(258);
  const at::Tensor bytes = pair.view(at::kByte);
  bytes[2].fill_(7);
  bytes[3].fill_(0);
  EXPECT_EQ(pair[1].item<int64_t>(), 7);
  EXPECT_EQ(pair[0].item<int64_t>(), 258);
}

// A size has no such value, so nothing is computed from it.
TEST_P(OnDevice, IntegersNearTheLeastOne) {
  at::Tensor real;
  {
    const UnsetFakeTemporarily off;
    real = torch::tensor(int64_t{-9223090561878065151}).sub_(1);
  }
  const at::Tensor key = mode_.FromRealTensor(real).to(device_);
  ExpectFake(key + 1, {}, device_);
  ExpectFake(key == 3, {}, device_);
}

TEST_P(OnDevice, WritesOfUnknownValuesMakeThemUnknown) {
  at::Tensor total = torch::tensor(0.0, device_);
  total += 2;
  EXPECT_EQ(total.item<double>(), 2);
  total += torch::rand({}, device_);
  EXPECT_THROW(total.item(), DataDependentOutput);
  at::Tensor list = torch::tensor({1.0, 2.0}, device_);
  list[0].copy_(torch::rand({}, device_));
  EXPECT_THROW(list[1].item(), DataDependentOutput);
}

TEST_P(OnDevice, DataTellsSizes) {
  const at::Tensor labels = torch::tensor({2, 0, 2, 1}, device_);
  ExpectFake(labels.nonzero(), {3, 1}, device_);
  EXPECT_EQ(labels.nonzero()[1].item<int64_t>(), 2);
  ExpectFake(labels.masked_select(labels == 2), {2}, device_);
  ExpectFake(std::get<0>(at::_unique2(labels)), {3}, device_);
  EXPECT_TRUE(labels.equal(torch::tensor({2, 0, 2, 1}, device_)));
  EXPECT_FALSE(torch::allclose(torch::tensor({1.5, 2.0}, device_), torch::tensor({1.0, 2.0}, device_)));
  EXPECT_THROW(torch::rand({4}, device_).nonzero(), DynamicOutputShape);
}

TEST_P(OnDevice, CountsOfLabels) {
  const at::Tensor labels = torch::tensor({2, 0, 2, 1}, device_);
  const at::Tensor counts = torch::bincount(labels);
  ExpectFake(counts, {3}, device_);
  EXPECT_EQ(counts[2].item<int64_t>(), 2);
  ExpectFake(torch::bincount(labels, {}, 6), {6}, device_);
  ExpectFake(torch::rand({4, 5}, device_).repeat_interleave(labels, 0), {5, 5}, device_);
  ExpectFake(torch::bincount(torch::tensor({100000}, device_)), {100001}, device_);
  EXPECT_THROW(torch::bincount(torch::tensor({int64_t{1} << 40}, device_)), DynamicOutputShape);
  EXPECT_THROW(torch::bincount(torch::randint(3, {4}, at::device(device_).dtype(at::kLong))), DynamicOutputShape);
}

// Calls that mix unknown tensors with known ones.
TEST_P(OnDevice, WeightsOfClasses) {
  for (int i = 0; i < 3; ++i) {
    const at::Tensor weight = torch::tensor({1.0f, 2.0f + static_cast<float>(i), 3.0f}, device_);
    const at::Tensor x = torch::rand({4, 3}, device_).requires_grad_();
    const at::Tensor classes = torch::randint(3, {4}, at::device(device_).dtype(at::kLong));
    torch::nn::functional::cross_entropy(x, classes, torch::nn::functional::CrossEntropyFuncOptions().weight(weight))
        .backward();
    ExpectFake(x.grad(), {4, 3}, device_);
    ExpectFake(x * weight, {4, 3}, device_);
    EXPECT_EQ(weight[1].item<float>(), 2.0f + static_cast<float>(i));
  }
}

TEST_P(OnDevice, NormsCountTheirBatches) {
  torch::nn::BatchNorm2d norm(torch::nn::BatchNorm2dOptions(3).momentum(std::nullopt));
  norm->to(device_);
  for (int i = 0; i < 3; ++i) ExpectFake(norm(torch::rand({2, 3, 4, 4}, device_)), {2, 3, 4, 4}, device_);
  EXPECT_EQ(norm->num_batches_tracked.item<int64_t>(), 3);
}

TEST_P(OnDevice, SparseInitialisation) {
  const at::Tensor weight = torch::empty({6, 4}, device_);
  ExpectFake(torch::nn::init::sparse_(weight, 0.5), {6, 4}, device_);
}

// A file of a trained optimiser, made of real tensors.
template <typename Optimizer>
std::string FileOf() {
  const UnsetFakeTemporarily off;
  torch::nn::Linear net(2, 3);
  Optimizer optimizer(net->parameters(), 0.1);
  net(torch::rand({1, 2})).sum().backward();
  optimizer.step();
  std::stringstream saved;
  torch::save(optimizer, saved);
  return saved.str();
}

template <typename Optimizer>
void ExpectLoads(at::Device device) {
  std::stringstream saved(FileOf<Optimizer>());
  torch::nn::Linear net(2, 3);
  net->to(device);
  Optimizer optimizer(net->parameters(), 0.1);
  torch::load(optimizer, saved, device);
  EXPECT_EQ(optimizer.state().size(), 2u);
  net(torch::rand({1, 2}, device)).sum().backward();
  EXPECT_NO_THROW(optimizer.step());
}

TEST_P(OnDevice, OptimisersAreLoaded) {
  // LibTorch's reader of files knows these devices.
  if (device_.type() != at::kCPU && device_.type() != at::kCUDA && device_.type() != at::kXPU) return;
  ExpectLoads<torch::optim::Adam>(device_);
  ExpectLoads<torch::optim::AdamW>(device_);
  ExpectLoads<torch::optim::Adagrad>(device_);
  ExpectLoads<torch::optim::RMSprop>(device_);
}

INSTANTIATE_TEST_SUITE_P(Devices, OnDevice, ::testing::Values("cpu", "cuda:0", "cuda:1", "xpu:0", "mps:0"));

class KnownValues : public ScenarioFixture {};

// As under PyTorch's FakeTensorMode.
TEST_F(KnownValues, AreFollowedOnRequest) {
  const at::Tensor literal = torch::tensor({1, 0});
  EXPECT_EQ(literal[0].item<int64_t>(), 1);
  EXPECT_THROW(torch::tensor(3, at::kCUDA).item(), DataDependentOutput);
  EXPECT_THROW(torch::tensor(3).to(at::kCUDA).item(), DataDependentOutput);
  EXPECT_THROW(literal.to(at::kCUDA).nonzero(), DynamicOutputShape);
  EXPECT_THROW(literal.equal(torch::tensor({1, 0})), DataDependentOutput);
}

TEST_F(KnownValues, NumbersAreKnownIfTheProgramMadeATensorOfThem) {
  for (int i = 0; i < 3; ++i) {
    for (const int64_t number : {3, 4}) {
      EXPECT_THROW(at::scalar_tensor(number, at::kLong).item(), DataDependentOutput);
      EXPECT_EQ(torch::tensor(number).item<int64_t>(), number);
    }
  }
}

TEST_F(KnownValues, HaveNoDataPointerOnOtherDevices) {
  EXPECT_THROW(torch::tensor({1, 2}, at::kCUDA).data_ptr(), c10::Error);
  EXPECT_THROW(torch::tensor(1, at::kCUDA).const_data_ptr(), c10::Error);
}

TEST_F(KnownValues, AreReadAndWrittenByPointers) {
  at::Tensor lengths = torch::tensor({4, 2});
  const auto elements = lengths.accessor<int64_t, 1>();
  EXPECT_EQ(elements[0] + elements[1], 6);
  lengths.data_ptr<int64_t>()[1] = 9;
  EXPECT_EQ(lengths[1].item<int64_t>(), 9);
  EXPECT_EQ((lengths * 2)[1].item<int64_t>(), 18);
  lengths.copy_(torch::randint(5, {2}));
  EXPECT_THROW(lengths.data_ptr<int64_t>(), c10::Error);
  EXPECT_THROW((lengths.accessor<int64_t, 1>()), c10::Error);
}

TEST_F(KnownValues, AreNoneOnMeta) { EXPECT_ANY_THROW(torch::tensor(3, at::kMeta).item()); }

// ---- printing

std::string Printed(const at::Tensor& t) {
  std::ostringstream text;
  text << t;
  return text.str();
}

TEST_F(KnownValues, StreamsShowRealTensorsUnderAMode) {
  at::Tensor real, turned;
  std::string expected;
  {
    const UnsetFakeTemporarily off;
    real = torch::full({2, 2}, 3.5);
    turned = real.t();
    expected = Printed(real);
  }
  EXPECT_NE(expected.find("3.5"), std::string::npos) << expected;
  EXPECT_EQ(Printed(real), expected);
  EXPECT_EQ(Printed(turned), expected);
}

TEST_F(KnownValues, StreamsShowKnownTensorsAsRealOnes) {
  EXPECT_EQ(Printed(torch::tensor({7, 8})), " 7\n 8\n[ CPULongType{2} ]");
}

TEST_F(KnownValues, StreamsShowFakesByTheirMetadata) {
  const at::Tensor fake = Cuda({2, 3});
  EXPECT_EQ(Printed(fake), Repr(fake));
  EXPECT_EQ(Printed(at::Tensor()), "[ Tensor (undefined) ]");
}

TEST(Printing, WithoutAMode) {
  at::Tensor fake;
  {
    const FakeTensorMode mode;
    const FakeModeGuard on(mode);
    fake = torch::rand({2});
  }
  EXPECT_EQ(Printed(fake), "FakeTensor(size=(2), dtype=Float)");
  EXPECT_NE(Printed(torch::full({2}, 4)).find("4"), std::string::npos);
}

}  // namespace
}  // namespace fakeprop
