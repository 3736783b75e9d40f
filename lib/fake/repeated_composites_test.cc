// Composites that a mode serves by the results of earlier equal calls.
#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "fakeprop/fake_tensor_errors.h"
#include "fakeprop/live_bytes.h"
#include "lib/fake/testing/count_operators.h"
#include "lib/fake/testing/scenario_fixture.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

using fake_testing::CountOperators;
using fake_testing::ExpectFake;
const at::Device kFakeCuda("cuda:1");

class RepeatedComposites : public ::testing::Test {
 protected:
  // Calls a composite three times. Only the first one runs by its parts.
  template <typename Call>
  std::vector<at::Tensor> Thrice(const Call& call) {
    std::vector<at::Tensor> results;
    for (int i = 0; i < 3; ++i) results.push_back(call());
    return results;
  }
  // Returns true if a later call runs none of the parts.
  template <typename Call>
  static bool Repeats(const Call& call) {
    return CountOperators(call) > 1 && CountOperators(call) == 1;
  }

  const FakeTensorMode mode;
  const FakeModeGuard on{mode};
  const at::Tensor image = at::rand({2, 3, 8, 8}), channels = at::rand({3});
};

TEST_F(RepeatedComposites, LaterCallsHaveTheSameResults) {
  const at::NoGradGuard no_grad;
  const at::Tensor x = at::rand({2, 5, 4}, at::device(kFakeCuda)), w = at::rand({6, 4}, x.options()),
                   b = at::rand({6}, x.options());
  for (const at::Tensor& y : Thrice([&] { return at::linear(x, w, b); })) {
    ExpectFake(y, {2, 5, 6}, kFakeCuda);
    EXPECT_FALSE(y.requires_grad());
  }
  for (const at::Tensor& y : Thrice([&] { return at::max_pool2d(image, 2); })) ExpectFake(y, {2, 3, 4, 4}, at::kCPU);
  for (const at::Tensor& y : Thrice([&] { return at::cov(image[0][0]); })) ExpectFake(y, {8, 8}, at::kCPU);
  const at::Tensor row = x[0];
  EXPECT_TRUE(Repeats([&] { at::linear(row, w, b); }));
}

TEST_F(RepeatedComposites, AViewOfThePartsStaysAView) {
  const at::NoGradGuard no_grad;
  for (const at::Tensor& y : Thrice([&] { return at::avg_pool1d(image[0], 2); })) {
    ExpectFake(y, {3, 8, 4}, at::kCPU);
    ASSERT_TRUE(y.is_view());
    EXPECT_EQ(y._base().sizes(), (at::IntArrayRef{3, 8, 1, 4}));
    EXPECT_TRUE(SharesStorage(y, at::Tensor(y._base())));
  }
}

TEST_F(RepeatedComposites, ResultsAreNewEachTime) {
  const at::NoGradGuard no_grad;
  const auto results = Thrice([&] { return at::layer_norm(image, {8}); });
  EXPECT_FALSE(SharesStorage(results[1], results[2]));
  EXPECT_FALSE(SharesStorage(results[1], image));
  EXPECT_FALSE(results[2].is_view());
}

TEST_F(RepeatedComposites, CallsThatAutogradFollowsRunByTheirParts) {
  const at::Tensor w = at::rand({4, 4}).requires_grad_(), x = at::rand({4, 4});
  const auto call = [&] { return at::linear(x, w); };
  {
    const at::NoGradGuard no_grad;
    for (const at::Tensor& y : Thrice(call)) EXPECT_FALSE(y.requires_grad());
  }
  for (const at::Tensor& y : Thrice(call)) {
    EXPECT_TRUE(y.requires_grad());
    y.sum().backward();
    ExpectFake(w.grad(), {4, 4}, at::kCPU);
  }
  for (const at::Tensor& y : Thrice([&] { return at::linear(x, x); })) EXPECT_FALSE(y.requires_grad());
}

TEST_F(RepeatedComposites, AutocastCastsBeforeTheParts) {
  const at::NoGradGuard no_grad;
  const at::Tensor x = at::rand({3, 4});
  for (const at::Tensor& y : Thrice([&] { return at::cov(x); })) EXPECT_EQ(y.scalar_type(), at::kFloat);
  at::autocast::set_autocast_enabled(at::kCPU, true);
  for (const at::Tensor& y : Thrice([&] { return at::linear(x, x); })) EXPECT_EQ(y.scalar_type(), at::kBFloat16);
  for (const at::Tensor& y : Thrice([&] { return at::cov(x); })) EXPECT_EQ(y.scalar_type(), at::kBFloat16);
  at::autocast::set_autocast_enabled(at::kCPU, false);
  for (const at::Tensor& y : Thrice([&] { return at::cov(x); })) EXPECT_EQ(y.scalar_type(), at::kFloat);
}

TEST_F(RepeatedComposites, RunningStatisticsAreWrittenEachTime) {
  const at::NoGradGuard no_grad;
  const auto train = [&](const at::Tensor& mean) {
    return at::batch_norm(image, channels, channels, mean, channels, true, 0.1, 1e-5, false);
  };
  EXPECT_TRUE(Repeats([&] { train(channels); }));
  const at::Tensor known = mode.Literal(std::vector<double>{1, 2, 3}).to(at::kFloat);
  EXPECT_EQ(known[1].item<float>(), 2);
  train(known);
  EXPECT_THROW(known[1].item<float>(), c10::Error) << "the call has written to it";
}

TEST_F(RepeatedComposites, MemoryOfThePartsCounts) {
  const at::NoGradGuard no_grad;
  const at::Tensor logits = at::rand({100, 1000}), target = at::zeros({100}, at::kLong);
  int64_t peaks[3];
  for (int64_t& peak : peaks) {
    ResetPeakBytes(mode, at::kCPU);
    const int64_t before = LiveBytes(mode, at::kCPU);
    at::cross_entropy_loss(logits, target);
    peak = PeakBytes(mode, at::kCPU) - before;
    EXPECT_EQ(LiveBytes(mode, at::kCPU), before);
  }
  EXPECT_GT(peaks[0], 400'000) << "of log_softmax";
  EXPECT_EQ(peaks[1], peaks[0]);
  EXPECT_EQ(peaks[2], peaks[0]);
  const at::Tensor some = logits.narrow(0, 0, 50), fewer = target.narrow(0, 0, 50);
  EXPECT_TRUE(Repeats([&] { at::cross_entropy_loss(some, fewer); }));
}

TEST_F(RepeatedComposites, ErrorsAreRaisedEachTime) {
  const at::NoGradGuard no_grad;
  for (int i = 0; i < 2; ++i) EXPECT_THROW(at::linear(image, channels.view({3, 1})), c10::Error);
}

TEST_F(RepeatedComposites, OutFormsWriteTheirResults) {
  const at::NoGradGuard no_grad;
  const at::Tensor x = at::rand({3, 3}), out = at::rand({3, 3});
  at::Tensor inverse = out;
  std::vector<int64_t> versions;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(at::linalg_inv_out(inverse, x).is_same(out));
    versions.push_back(out._version());
  }
  EXPECT_GT(versions[0], 0);
  EXPECT_EQ(versions[2] - versions[1], versions[0]);
  EXPECT_EQ(versions[1] - versions[0], versions[0]);
  for (int i = 0; i < 2; ++i) {
    at::Tensor grown = at::empty({0});
    EXPECT_EQ(at::linalg_inv_out(grown, x).sizes().vec(), (std::vector<int64_t>{3, 3}));
    at::Tensor known = torch::tensor({1.0f, 2.0f, 3.0f, 4.0f}).view({2, 2});
    EXPECT_EQ(known[0][1].item<float>(), 2);
    at::linalg_inv_out(known, at::rand({2, 2}));
    EXPECT_THROW(known[0][1].item(), DataDependentOutput);
  }
}

TEST_F(RepeatedComposites, RunningStatisticsAreWritten) {
  const at::NoGradGuard no_grad;
  const at::Tensor x = at::rand({2, 3, 4, 4}), mean = at::rand({3}), variance = at::rand({3});
  std::vector<int64_t> versions;
  for (int i = 0; i < 3; ++i) {
    ExpectFake(at::instance_norm(x, {}, {}, mean, variance, true, 0.1, 1e-5, false), {2, 3, 4, 4}, at::kCPU);
    versions.push_back(mean._version());
  }
  EXPECT_GT(versions[0], 0);
  EXPECT_EQ(versions[2] - versions[1], versions[0]);
}

TEST_F(RepeatedComposites, NumbersAmongResults) {
  const at::NoGradGuard no_grad;
  const auto norm = [&] {
    return at::_batch_norm_impl_index(image, channels, channels, {}, {}, true, 0.1, 1e-5, true);
  };
  EXPECT_TRUE(Repeats(norm));
  ExpectFake(std::get<0>(norm()), {2, 3, 8, 8}, at::kCPU);
  EXPECT_EQ(std::get<4>(norm()), 0);
}

TEST_F(RepeatedComposites, SecondDerivatives) {
  const at::NoGradGuard no_grad;
  const at::Tensor weight = at::rand({4, 3, 3, 3}), gradient = at::rand({2, 4, 6, 6});
  const auto derive = [&] {
    return at::_convolution_double_backward(
        image, weight, {}, gradient, weight, image, {1, 1}, {0, 0}, {1, 1}, false, {0, 0}, 1, {true, true, true});
  };
  EXPECT_TRUE(Repeats(derive));
  ExpectFake(std::get<0>(derive()), {2, 4, 6, 6}, at::kCPU);
  ExpectFake(std::get<1>(derive()), {2, 3, 8, 8}, at::kCPU);
}

TEST_F(RepeatedComposites, SparseResults) {
  const at::NoGradGuard no_grad;
  const at::Tensor gradient = at::rand({2, 8}), ids = at::randint(50, {4}, at::kLong), bags = at::zeros({2}, at::kLong);
  const auto derive = [&] {
    return at::_embedding_bag_sparse_backward(gradient, ids, bags, ids, bags, 50, false, 1, {});
  };
  EXPECT_GT(CountOperators(derive), 10);
  EXPECT_LT(CountOperators(derive), 4) << "LibTorch makes a sparse tensor of two empty ones";
  const at::Tensor sparse = derive();
  EXPECT_EQ(sparse.sizes().vec(), (fake_testing::Sizes{50, 8}));
  EXPECT_EQ(sparse.layout(), at::kSparse);
  EXPECT_EQ(sparse._values().sizes().vec(), (fake_testing::Sizes{4, 8}));
  EXPECT_EQ(sparse._indices().sizes().vec(), (fake_testing::Sizes{1, 4}));
}

// Numbers in these calls tell their results, where FakeTensorMode raises.
TEST_F(RepeatedComposites, DecidedCallsOnOtherDevices) {
  const at::NoGradGuard no_grad;
  const auto floats = at::device(kFakeCuda), longs = floats.dtype(at::kLong);
  const at::Tensor a = at::rand({4, 3}, floats), b = at::rand({4, 2}, floats), x = at::rand({5, 2, 4}, floats);
  for (const int64_t longest : {2, 3, 2, 3}) {
    ExpectFake(std::get<0>(at::linalg_lstsq(a, b)), {3, 2}, kFakeCuda);
    const at::Tensor targets = at::ones({2, 3}, longs);
    const fake_testing::Sizes kept = {2, 5, 2 * longest + 1};
    ExpectFake(std::get<1>(at::_ctc_loss(x, targets, {5, 5}, {2, longest})), kept, kFakeCuda);
    const at::Tensor steps = torch::tensor({5, 5}), lengths = torch::tensor({int64_t{2}, longest});
    ExpectFake(std::get<1>(at::_ctc_loss(x, targets, steps, lengths)), kept, kFakeCuda);
    EXPECT_ANY_THROW(at::_ctc_loss(x, targets, steps, lengths.to(at::kDouble)));
    EXPECT_ANY_THROW(at::_ctc_loss(x, targets, steps, lengths.to(at::kBool)));
    at::Tensor solution = at::empty({0}, floats), residuals = at::empty({0}, floats), rank = at::empty({0}, longs),
               values = at::empty({0}, floats);
    const auto out = at::linalg_lstsq_out(solution, residuals, rank, values, a, b);
    EXPECT_TRUE(std::get<0>(out).is_same(solution));
    EXPECT_EQ(solution.sizes().vec(), (fake_testing::Sizes{3, 2}));
  }
}

TEST_F(RepeatedComposites, RealTensorsAreComputed) {
  const UnsetFakeTemporarily real;
  const at::Tensor x = at::ones({2, 2});
  for (int i = 0; i < 2; ++i) EXPECT_EQ(at::linear(x, x).sum().item<double>(), 8);
  EXPECT_EQ(at::cov(at::eye(2)).sum().item<double>(), 0);
}

TEST(RepeatedCompositesOfSymbols, SizesStayExpressions) {
  const at::Tensor real = at::rand({6, 4}), weight = at::rand({5, 4});
  const auto env = std::make_shared<ShapeEnv>();
  const FakeTensorMode mode({.shape_env = env});
  const at::Tensor x = mode.FromRealTensor(real), w = mode.FromRealTensor(weight, {.static_shapes = true});
  const at::NoGradGuard no_grad;
  EXPECT_EQ(at::linear(x, w).sym_size(0), x.sym_size(0));
  const size_t guards = env->guards().size();
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(at::linear(x, w).sym_size(0).maybe_as_int());
  EXPECT_EQ(env->guards().size(), guards);
}

}  // namespace
}  // namespace fakeprop
