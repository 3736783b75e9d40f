// Backward passes on fakes: formulas that look at data, kernels of other devices.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <functional>

#include "lib/fake/testing/scenario_fixture.h"

namespace fakeprop {
namespace {

using fake_testing::ExpectFake;

struct Formula {
  std::string name;
  std::function<at::Tensor(const at::Tensor&)> run;
};

class FormulaOfData : public testing::TestWithParam<Formula> {};

const Formula kFormulas[] = {
    {"max", [](const at::Tensor& x) { return x.max(); }},
    {"min", [](const at::Tensor& x) { return x.min(); }},
    {"median", [](const at::Tensor& x) { return x.median(); }},
    {"nanmedian", [](const at::Tensor& x) { return x.nanmedian(); }},
    {"amax", [](const at::Tensor& x) { return x.amax(); }},
    {"aminmax", [](const at::Tensor& x) { return std::get<0>(at::aminmax(x)); }},
    {"prod", [](const at::Tensor& x) { return x.prod(); }},
    {"prod_dim", [](const at::Tensor& x) { return x.prod(1); }},
    {"prod_dim_keep", [](const at::Tensor& x) { return x.prod(0, true); }},
    {"cumprod", [](const at::Tensor& x) { return x.cumprod(1); }},
    {"masked_fill", [](const at::Tensor& x) { return x.masked_fill(x > 0, x.mean()); }},
    {"masked_fill_inplace", [](const at::Tensor& x) { return x.clone().masked_fill_(x > 0, x.mean()); }},
    // A token in place of what a mask hides, and values for the elements that it selects.
    {"masked_token",
        [](const at::Tensor& x) {
          return at::zeros({2, 5, 6}, x.options()).index_put_({at::rand({2, 5}, x.options()) > 0.5}, x[0]);
        }},
    {"masked_number",
        [](const at::Tensor& x) {
          return at::zeros({4}, x.options()).index_put_({at::rand({4}, x.options()) > 0}, x.sum());
        }},
    {"masked_values",
        [](const at::Tensor& x) {
          return at::zeros({3, 4, 9}, x.options())
              .index_put_({torch::indexing::Slice(), at::rand({4, 9}, x.options()) > -1}, x.flatten());
        }},
    {"eig", [](const at::Tensor& x) { return std::get<1>(at::linalg_eig(x)).abs(); }},
    {"eigvals", [](const at::Tensor& x) { return at::linalg_eigvals(x).abs(); }},
    {"eigh", [](const at::Tensor& x) { return std::get<1>(at::linalg_eigh(x)); }},
    {"svd", [](const at::Tensor& x) { return std::get<0>(at::linalg_svd(x)); }},
    {"nanmean", [](const at::Tensor& x) { return x.nanmean(); }},
    {"cov", [](const at::Tensor& x) { return at::cov(x); }},
    {"corrcoef", [](const at::Tensor& x) { return at::corrcoef(x); }},
    {"combinations", [](const at::Tensor& x) { return at::combinations(x.flatten(), 2); }},
    {"istft",
        [](const at::Tensor& x) {
          return at::istft(at::complex(x.view({9, 4}), x.view({9, 4})), 16, std::nullopt, std::nullopt,
              at::hann_window(16, x.options()));
        }},
    {"ctc_loss",
        [](const at::Tensor& x) {
          const auto longs = torch::device(x.device()).dtype(torch::kLong);
          return at::ctc_loss(x.view({4, 3, 3}).log_softmax(2), at::ones({3, 2}, longs), std::vector<int64_t>{4, 4, 4},
              std::vector<int64_t>{2, 2, 2});
        }},
    {"ctc_loss_of_known_lengths",
        [](const at::Tensor& x) {
          const auto longs = torch::device(x.device()).dtype(torch::kLong);
          const auto known = [](int64_t length) { return torch::tensor(std::vector<int64_t>(3, length)); };
          return at::ctc_loss(x.view({4, 3, 3}).log_softmax(2), at::ones({3, 2}, longs), known(4), known(2));
        }},
    {"least_squares", [](const at::Tensor& x) { return std::get<0>(at::linalg_lstsq(x, x)); }},
    {"grid_sampler_fallback",
        [](const at::Tensor& x) {
          const at::Tensor grid = x.view({1, 6, 3, 2});
          return at::_grid_sampler_2d_cpu_fallback(x.view({1, 1, 6, 6}), grid, 0, 0, false);
        }},
    {"pack_padded_sequence",
        [](const at::Tensor& x) {
          return std::get<0>(
              at::_pack_padded_sequence(x, torch::tensor(std::vector<int64_t>{6, 5, 5, 4, 2, 1}), false));
        }},
    {"index_fill",
        [](const at::Tensor& x) { return x.index_fill(0, at::ones({2}, x.options().dtype(at::kLong)), x.mean()); }},
    {"cov_of_weights",
        [](const at::Tensor& x) {
          const at::Tensor counts = at::ones({6}, x.options().dtype(at::kLong));
          return at::cov(x, 1, counts, at::ones({6}, x.options()));
        }},
    {"attention",
        [](const at::Tensor& x) {
          return at::scaled_dot_product_attention(x.unsqueeze(0), x.unsqueeze(0), x.unsqueeze(0));
        }},
    {"attention_with_mask",
        [](const at::Tensor& x) {
          return at::scaled_dot_product_attention(x.unsqueeze(0), x.unsqueeze(0), x.unsqueeze(0), x.detach() > 0, 0.1);
        }},
    {"causal_attention",
        [](const at::Tensor& x) {
          return at::scaled_dot_product_attention(
              x.unsqueeze(0), x.unsqueeze(0), x.unsqueeze(0), {}, 0.0, /*is_causal=*/true);
        }},
    {"gru",
        [](const at::Tensor& x) {
          torch::nn::GRU gru(6, 5);
          gru->to(x.device());
          return std::get<0>(gru(x.unsqueeze(0)));
        }},
    {"gru_cell",
        [](const at::Tensor& x) {
          torch::nn::GRUCell gru(6, 5);
          gru->to(x.device());
          return gru(x, x.slice(1, 0, 5));
        }},
    {"lstm_cell",
        [](const at::Tensor& x) {
          torch::nn::LSTMCell lstm(6, 5);
          lstm->to(x.device());
          return std::get<0>(lstm(x));
        }},
};
INSTANTIATE_TEST_SUITE_P(All, FormulaOfData, testing::ValuesIn(kFormulas), [](const auto& i) { return i.param.name; });

// The gradient of a real cpu tensor is the answer.
TEST_P(FormulaOfData, GradientsAreThoseOfRealTensors) {
  torch::manual_seed(0);
  const at::Tensor real = torch::rand({6, 6}).requires_grad_();
  const at::Tensor result = GetParam().run(real);
  result.sum().backward();
  const FakeTensorMode mode;
  for (const char* device : {"cpu", "cuda:0", "xpu:0"}) {
    SCOPED_TRACE(device);
    const FakeModeGuard on(mode);
    const at::Tensor x = torch::rand({6, 6}, at::Device(device)).requires_grad_();
    at::Tensor y;
    ASSERT_NO_THROW(y = GetParam().run(x));
    EXPECT_EQ(y.sizes(), result.sizes());
    EXPECT_EQ(y.device(), x.device());
    ASSERT_NO_THROW(y.sum().backward());
    ASSERT_TRUE(x.grad().defined());
    EXPECT_EQ(x.grad().sizes(), real.grad().sizes());
    EXPECT_EQ(x.grad().strides(), real.grad().strides());
    EXPECT_EQ(x.grad().device(), x.device());
  }
}

// ---- second derivatives

class SecondDerivative : public testing::TestWithParam<Formula> {};

const Formula kTwice[] = {
    {"cumprod", [](const at::Tensor& x) { return x.cumprod(1); }},
    {"cumprod_0", [](const at::Tensor& x) { return x.cumprod(0); }},
    {"prod", [](const at::Tensor& x) { return x.prod(); }},
    {"prod_dim", [](const at::Tensor& x) { return x.prod(1); }},
    {"max", [](const at::Tensor& x) { return x.square().max(); }},
    {"cov", [](const at::Tensor& x) { return at::cov(x); }},
    {"eigh", [](const at::Tensor& x) { return std::get<1>(at::linalg_eigh(x)); }},
    {"quantile", [](const at::Tensor& x) { return at::quantile(x.square(), 0.5, 1); }},
    {"pack_padded_sequence",
        [](const at::Tensor& x) {
          const at::Tensor lengths = torch::tensor(std::vector<int64_t>{6, 5, 5, 4, 2, 1});
          return std::get<0>(at::_pack_padded_sequence(x.square(), lengths, false));
        }},
};
INSTANTIATE_TEST_SUITE_P(All, SecondDerivative, testing::ValuesIn(kTwice), [](const auto& i) { return i.param.name; });

// The gradient of the gradient's sum.
at::Tensor Twice(const Formula& formula, const at::Tensor& x) {
  const at::Tensor y = formula.run(x).sum();
  const at::Tensor first = torch::autograd::grad({y}, {x}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
  return torch::autograd::grad({first.square().sum()}, {x})[0];
}

TEST_P(SecondDerivative, IsThatOfRealTensors) {
  const at::Tensor real = Twice(GetParam(), torch::rand({6, 6}).requires_grad_());
  const FakeTensorMode mode;
  for (const char* device : {"cpu", "cuda:0", "xpu:0"}) {
    SCOPED_TRACE(device);
    const FakeModeGuard on(mode);
    at::Tensor second;
    ASSERT_NO_THROW(second = Twice(GetParam(), torch::rand({6, 6}, at::Device(device)).requires_grad_()));
    EXPECT_EQ(second.sizes(), real.sizes());
    EXPECT_EQ(second.device(), at::Device(device));
  }
}

}  // namespace
}  // namespace fakeprop
