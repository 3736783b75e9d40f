// Modules of torch::nn that ask for sizes as numbers, on symbols (sizes_give_hints).
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <functional>
#include <string>
#include <vector>

#include "lib/fake/testing/symbols_fixture.h"

namespace fakeprop {
namespace {

using fake_testing::Sizes;
using torch::Tensor;
namespace nn = torch::nn;
namespace F = torch::nn::functional;

class HintedSizes : public ::testing::Test {
 protected:
  Tensor Fake(at::IntArrayRef sizes, FromRealOptions options = {}) {
    Tensor real;
    {
      const UnsetFakeTemporarily off;
      real = torch::empty(sizes);
    }
    return mode.FromRealTensor(real, options);
  }

  // The guards that were recorded at the question for sizes.
  std::vector<std::string> GuardsAt(std::string_view place) const {
    std::vector<std::string> guards;
    for (const GuardRecord& guard : env->guards())
      if (guard.place.node == place) guards.push_back(ToString(guard.expression));
    return guards;
  }

  std::shared_ptr<ShapeEnv> env = std::make_shared<ShapeEnv>();
  FakeTensorMode mode{{.shape_env = env, .sizes_give_hints = true}};
  FakeModeGuard on{mode};
};

using Strings = std::vector<std::string>;

TEST_F(HintedSizes, NumbersAndTheirGuards) {
  const Tensor x = Fake({4, 6});
  EXPECT_EQ(Sizes(x), "s0, s1");
  EXPECT_EQ(x.size(1), 6);
  EXPECT_EQ(GuardsAt("size"), (Strings{"Eq(s1, 6)"})) << "the other dimension was not asked for";
  EXPECT_EQ(x.sizes().vec(), (std::vector<int64_t>{4, 6}));
  EXPECT_EQ(GuardsAt("sizes"), (Strings{"Eq(s0, 4)"}));
  EXPECT_EQ(x.strides().vec(), (std::vector<int64_t>{6, 1}));
  EXPECT_EQ(x.numel(), 24);
  EXPECT_EQ(x.storage_offset(), 0);
}

TEST_F(HintedSizes, SizesThatDependOnDataStayErrors) {
  const Tensor found = Fake({5}).nonzero();
  EXPECT_THROW((void)found.size(0), GuardOnDataDependentSymNode);
  EXPECT_EQ(found.size(1), 1);
}

TEST_F(HintedSizes, ChangedSizesGiveOtherNumbers) {
  const Tensor x = Fake({4, 6});
  const at::IntArrayRef before = x.sizes();
  EXPECT_EQ(before.vec(), (std::vector<int64_t>{4, 6}));
  x.t_();
  EXPECT_EQ(x.sizes().vec(), (std::vector<int64_t>{6, 4}));
}

// Modules that refuse symbols without the option.
class Modules : public HintedSizes {
 public:
  using HintedSizes::Fake;
  Tensor Leaf(at::IntArrayRef sizes) { return Fake(sizes).requires_grad_(); }
  Tensor Indices(at::IntArrayRef sizes) { return Fake(sizes).to(torch::kLong); }

  // Runs forward and backward. The gradients of parameters have their sizes.
  template <typename Net, typename Call>
  void Train(Net net, Call call) {
    call(net).sum().backward();
    for (const auto& p : net->named_parameters()) {
      ASSERT_TRUE(p.value().grad().defined()) << p.key();
      EXPECT_EQ(Sizes(p.value().grad()), Sizes(p.value())) << p.key();
    }
  }
};

TEST_F(Modules, RecurrentNetworks) {
  Train(nn::RNN(nn::RNNOptions(8, 16).num_layers(2)), [&](auto& net) { return std::get<0>(net(Leaf({5, 3, 8}))); });
  Train(nn::GRU(nn::GRUOptions(8, 16).bidirectional(true)), [&](auto& net) {
    return std::get<0>(net(Leaf({5, 3, 8})));
  });
  Train(nn::LSTM(nn::LSTMOptions(8, 16).batch_first(true)), [&](auto& net) {
    return std::get<0>(net(Leaf({3, 5, 8})));
  });
  Train(nn::LSTMCell(8, 16), [&](auto& net) { return std::get<0>(net(Leaf({3, 8}))); });
  Train(nn::GRUCell(8, 16), [&](auto& net) { return net(Leaf({3, 8})); });
}

TEST_F(Modules, Attention) {
  Train(nn::MultiheadAttention(nn::MultiheadAttentionOptions(16, 4)), [&](auto& net) {
    const Tensor x = Leaf({7, 3, 16});
    return std::get<0>(net(x, x, x));
  });
  Train(nn::TransformerEncoderLayer(nn::TransformerEncoderLayerOptions(16, 4)), [&](auto& net) {
    return net(Leaf({7, 3, 16}));
  });
}

TEST_F(Modules, Normalisations) {
  Train(nn::BatchNorm2d(6), [&](auto& net) { return net(Leaf({4, 6, 8, 8})); });
  Train(nn::BatchNorm1d(6), [&](auto& net) { return net(Leaf({4, 6})); });
  Train(nn::GroupNorm(2, 6), [&](auto& net) { return net(Leaf({4, 6, 8, 8})); });
  Train(nn::LayerNorm(nn::LayerNormOptions({6})), [&](auto& net) { return net(Leaf({4, 6})); });
  Train(nn::InstanceNorm2d(nn::InstanceNorm2dOptions(6).affine(true)), [&](auto& net) {
    return net(Leaf({4, 6, 8, 8}));
  });
}

TEST_F(Modules, Embeddings) {
  Train(nn::EmbeddingBag(10, 4), [&](auto& net) { return net(Indices({3, 5})); });
  Train(nn::Embedding(10, 4), [&](auto& net) { return net(Indices({3, 5})); });
}

TEST_F(Modules, PoolingAndInterpolation) {
  for (const auto& run : std::vector<std::function<Tensor(const Tensor&)>>{
           [](const Tensor& x) { return nn::AdaptiveAvgPool2d(3)(x); },
           [](const Tensor& x) { return nn::AdaptiveMaxPool2d(3)(x); },
           [](const Tensor& x) { return nn::MaxPool2d(2)(x); },
           [](const Tensor& x) { return nn::AvgPool2d(2)(x); },
           [](const Tensor& x) {
             return F::interpolate(x, F::InterpolateFuncOptions().scale_factor(std::vector<double>{2, 2}));
           },
           [](const Tensor& x) {
             return F::interpolate(x, F::InterpolateFuncOptions()
                                          .size(std::vector<int64_t>{5, 5})
                                          .mode(torch::kBilinear)
                                          .align_corners(false));
           },
           [](const Tensor& x) {
             return F::pad(x, F::PadFuncOptions({1, 1, 1, 1}).mode(torch::kReflect));
           },
           [](const Tensor& x) { return F::unfold(x, F::UnfoldFuncOptions(2)); },
           [](const Tensor& x) { return nn::PixelShuffle(2)(x); },
       }) {
    const Tensor x = Leaf({2, 4, 8, 8});
    run(x).sum().backward();
    EXPECT_EQ(x.grad().sizes(), x.sizes());
  }
}

TEST_F(Modules, Losses) {
  for (const auto& run : std::vector<std::function<Tensor(const Tensor&, const Tensor&)>>{
           [](const Tensor&x, const Tensor&y) { return nn::MSELoss()(x, y); },
           [](const Tensor&x, const Tensor&y) { return nn::L1Loss()(x, y); },
           [](const Tensor&x, const Tensor&y) { return nn::SmoothL1Loss()(x, y); },
           [](const Tensor&x, const Tensor&y) { return nn::HuberLoss()(x, y); },
           [](const Tensor&x, const Tensor&y) { return nn::BCEWithLogitsLoss()(x, y); },
           [](const Tensor&x, const Tensor&y) { return nn::BCELoss()(x, y); },
           [](const Tensor&x, const Tensor&y) { return nn::KLDivLoss()(x, y); },
           [](const Tensor&x, const Tensor&y) { return nn::CosineEmbeddingLoss()(x, y, y.select(1, 0)); },
           [](const Tensor&x, const Tensor&y) { return nn::CrossEntropyLoss()(x, y); },
           [](const Tensor&x, const Tensor&y) { return nn::NLLLoss()(x, y.select(1, 0).to(torch::kLong)); },
       }) {
    const Tensor x = Leaf({6, 5});
    run(x, Fake({6, 5})).backward();
    EXPECT_EQ(x.grad().sizes(), x.sizes());
  }
}

// The batch stays a symbol where no module asks for it.
TEST_F(Modules, OnlyWhatWasAskedForBecomesANumber) {
  nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(3, 8, 3).padding(1)), nn::ReLU(), nn::Functional([](const Tensor& x) {
    return x.mean({2, 3});
  }),
      nn::Linear(8, 10));
  const auto S = DimDynamic::kStatic;
  const Tensor y = net->forward(Fake({16, 3, 32, 32}, {.dims = {DimDynamic::kDynamic, S, S, S}}));
  EXPECT_EQ(Sizes(y), "s0, 10");
  EXPECT_TRUE(GuardsAt("sizes").empty());
}

}  // namespace
}  // namespace fakeprop
