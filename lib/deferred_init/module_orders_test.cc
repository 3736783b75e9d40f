// Modules of torch::nn and functions of torch::nn::init, made real in parts and in random orders.
#include <ATen/record_function.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "lib/deferred_init/testing/built_modules.h"

namespace fakeprop {
namespace {

namespace nn = torch::nn;
using deferred_testing::Build;
using deferred_testing::Built;
using deferred_testing::ExpectEqualsEager;
using deferred_testing::ExpectSameBits;
using deferred_testing::Make;
using deferred_testing::ModulePtr;
using deferred_testing::TensorsOf;

struct Holder : nn::Module {};

// Makes tensors real one by one, some as a slice first, some dropped and made real again.
void MaterializeInOrder(const Built& built, unsigned seed) {
  const auto expected = TensorsOf(*built.eager), found = TensorsOf(*built.deferred);
  std::vector<size_t> order(found.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(seed);
  std::shuffle(order.begin(), order.end(), random);
  for (size_t i : order) {
    const auto& [name, tensor] = found[i];
    if (random() % 4 == 0 && tensor.dim() > 0) {
      const int64_t start = tensor.size(0) / 2, length = tensor.size(0) - start;
      EXPECT_TRUE(torch::equal(MaterializeSlice(tensor, {0, start, length}).detach().nan_to_num(7),
          expected[i].second.detach().narrow(0, start, length).nan_to_num(7)))
          << name;
    }
    MaterializeTensor(tensor, {.keep_recording = random() % 4 == 0});
    ExpectSameBits(tensor, expected[i].second, name);
  }
}

// One of each module that has parameters or buffers.
ModulePtr MakeAll() {
  nn::Sequential all(nn::Linear(5, 3), nn::Bilinear(3, 4, 5), nn::Conv1d(nn::Conv1dOptions(3, 5, 2)),
      nn::Conv2d(nn::Conv2dOptions(4, 6, 3).groups(2)), nn::Conv3d(nn::Conv3dOptions(2, 3, 2)),
      nn::ConvTranspose1d(nn::ConvTranspose1dOptions(3, 5, 2)),
      nn::ConvTranspose2d(nn::ConvTranspose2dOptions(3, 5, 2)),
      nn::ConvTranspose3d(nn::ConvTranspose3dOptions(3, 5, 2)),
      nn::Embedding(nn::EmbeddingOptions(7, 5).padding_idx(2)), nn::EmbeddingBag(5, 3),
      nn::RNN(nn::RNNOptions(3, 4).num_layers(2)), nn::LSTM(nn::LSTMOptions(3, 4).bidirectional(true).proj_size(2)),
      nn::GRU(3, 4), nn::RNNCell(3, 2), nn::LSTMCell(3, 2), nn::GRUCell(3, 2), nn::MultiheadAttention(4, 2),
      nn::MultiheadAttention(nn::MultiheadAttentionOptions(4, 2).kdim(3).vdim(5).add_bias_kv(true)),
      nn::Transformer(nn::TransformerOptions(4, 2, 1, 1).dim_feedforward(6)), nn::BatchNorm1d(3), nn::BatchNorm2d(3),
      nn::BatchNorm3d(3), nn::InstanceNorm2d(nn::InstanceNorm2dOptions(3).affine(true).track_running_stats(true)),
      nn::GroupNorm(2, 6), nn::LayerNorm(nn::LayerNormOptions({3, 2})), nn::PReLU(nn::PReLUOptions().num_parameters(3)),
      nn::AdaptiveLogSoftmaxWithLoss(nn::AdaptiveLogSoftmaxWithLossOptions(16, 10, {3, 6})));
  return all.ptr();
}

TEST(ModuleOrders, EveryModuleInAnyOrder) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    MaterializeInOrder(Build(MakeAll, static_cast<int>(seed) + 1), seed);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(ModuleOrders, EveryModuleInDoubleAndHalf) {
  for (const auto dtype : {torch::kDouble, torch::kBFloat16}) {
    const Make make = [dtype] {
      const ModulePtr all = MakeAll();
      all->to(dtype);
      return all;
    };
    MaterializeInOrder(Build(make, 3), 3);
  }
}

struct Init {
  int64_t least_dims, most_dims;
  bool takes_bfloat16;
  std::function<void(at::Tensor)> fill;
};

const std::vector<Init>& Inits() {
  namespace init = nn::init;
  static const std::vector<Init> all = {{0, 5, true, [](auto w) { init::uniform_(w, -1, 2); }},
      {0, 5, true, [](auto w) { init::normal_(w, 1, 3); }}, {0, 5, true, [](auto w) { init::constant_(w, 3); }},
      {0, 5, true, [](auto w) { init::ones_(w); }}, {0, 5, true, [](auto w) { init::zeros_(w); }},
      {2, 2, true, [](auto w) { init::eye_(w); }}, {3, 5, true, [](auto w) { init::dirac_(w); }},
      {2, 5, false, [](auto w) { init::orthogonal_(w, 2); }}, {2, 2, true, [](auto w) { init::sparse_(w, 0.3, 2); }},
      {2, 5, true, [](auto w) { init::xavier_uniform_(w, 2); }}, {2, 5, true, [](auto w) { init::xavier_normal_(w); }},
      {2, 5, true, [](auto w) { init::kaiming_uniform_(w, 0.5, torch::kFanOut, torch::kReLU); }},
      {2, 5, true, [](auto w) { init::kaiming_normal_(w, 0, torch::kFanIn, torch::kLeakyReLU); }},
      {2, 2, true, [](auto w) { init::kaiming_normal_(w.t(), 0, torch::kFanOut, torch::kTanh); }},
      {1, 5, true,
          [](auto w) {  // as trunc_normal_ in Python
            const torch::NoGradGuard no_grad;
            w.uniform_(-0.9, 0.9).erfinv_().mul_(1.4).add_(0.1).clamp_(-2, 2);
          }},
      {1, 5, true, [](auto w) {
         init::uniform_(w[0]);
         init::normal_(w[1]);
         init::constant_(w.narrow(0, 2, w.size(0) - 2), 5);
       }}};
  return all;
}

// Each function on every shape and dtype that it takes, in one module.
ModulePtr MakeFilled() {
  auto holder = std::make_shared<Holder>();
  for (const auto dtype : {torch::kFloat, torch::kDouble, torch::kBFloat16})
    for (const std::vector<int64_t>& sizes : std::vector<std::vector<int64_t>>{
             {3}, {5, 7}, {16, 3}, {2, 2}, {4, 3, 3}, {4, 4, 1, 3}, {3, 2, 2, 2, 2}, {17, 1}})
      for (const Init& init : Inits()) {
        const auto dims = static_cast<int64_t>(sizes.size());
        if (dims < init.least_dims || dims > init.most_dims) continue;
        if (dtype == torch::kBFloat16 && !init.takes_bfloat16) continue;
        const std::string name = "w" + std::to_string(holder->named_parameters().size());
        init.fill(holder->register_parameter(name, torch::empty(sizes, dtype)));
      }
  return holder;
}

TEST(ModuleOrders, EveryInitInAnyOrder) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    MaterializeInOrder(Build(MakeFilled, static_cast<int>(seed) + 1), seed);
    if (::testing::Test::HasFailure()) return;
  }
}

// As weight_norm computes its weight, and as attention keeps three matrices in one.
ModulePtr MakeNormed() {
  auto holder = std::make_shared<Holder>();
  const auto v = holder->register_parameter("v", torch::randn({6, 5}));
  const auto g = holder->register_parameter("g", torch::norm_except_dim(v.detach(), 2, 0));
  holder->register_buffer("w", torch::_weight_norm(v, g, 0));
  const auto fused = holder->register_parameter("fused", torch::empty({6, 4}));
  nn::init::xavier_uniform_(fused);
  const torch::NoGradGuard no_grad;
  fused.chunk(3)[1].mul_(0.5);
  holder->register_buffer("keys", fused.detach().narrow(0, 2, 2));
  fused.narrow(0, 2, 2).normal_();
  holder->register_parameter("tied", fused);
  return holder;
}

TEST(ModuleOrders, ComputedViewedAndTiedWeights) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const Built built = Build(MakeNormed, static_cast<int>(seed) + 1);
    MaterializeInOrder(built, seed);
    const auto parameters = built.deferred->named_parameters();
    EXPECT_TRUE(parameters["tied"].is_same(parameters["fused"]));
    EXPECT_TRUE(SharesStorage(built.deferred->named_buffers()["keys"], parameters["fused"]));
    if (::testing::Test::HasFailure()) return;
  }
}

// A module as Python's LazyLinear: the first forward makes the weight.
struct LazyLinear : nn::Module {
  torch::Tensor forward(const torch::Tensor& x) {
    if (!weight.defined()) {
      weight = register_parameter("weight", torch::empty({3, x.size(-1)}));
      nn::init::kaiming_uniform_(weight);
      bias = register_parameter("bias", torch::rand({3}));
      seen = register_buffer("seen", torch::zeros({x.size(-1)}));
    }
    const torch::NoGradGuard no_grad;
    seen.add_(x.sum(0));
    return torch::linear(x, weight, bias);
  }
  torch::Tensor weight, bias, seen;
};

TEST(ModuleOrders, DryRunSetsUpShapes) {
  const Make make = [] {
    auto net = std::make_shared<LazyLinear>();
    net->forward(torch::ones({10, 7}));
    return net;
  };
  for (unsigned seed = 0; seed < 5; ++seed) MaterializeInOrder(Build(make, static_cast<int>(seed) + 1), seed);
}

// Batch norm counts the batch, dropout draws: the dry run is replayed as far as it changed the module.
TEST(ModuleOrders, DryRunOfATrainingModule) {
  const Make make = [] {
    nn::Sequential net(nn::Linear(4, 6), nn::BatchNorm1d(6), nn::ReLU(), nn::Dropout(0.5), nn::Linear(6, 2));
    net->forward(torch::randn({8, 4}));
    return net.ptr();
  };
  for (unsigned seed = 0; seed < 5; ++seed) MaterializeInOrder(Build(make, static_cast<int>(seed) + 1), seed);
}

// No weight is made to find out how many numbers dropout draws.
TEST(ModuleOrders, DryRunOfAModuleThatDoesNotFit) {
  constexpr int64_t kWidth = int64_t{1} << 20;
  for (const bool trains : {false, true}) {
    torch::manual_seed(2);
    auto net = DeferredInit([&] {
      nn::Sequential made(
          nn::Linear(kWidth, kWidth), nn::Dropout(0.1), nn::GELU(), nn::Linear(kWidth, 8), nn::AlphaDropout(0.2));
      nn::MultiheadAttention attention(nn::MultiheadAttentionOptions(kWidth, 8));
      made->train(trains);
      const torch::Tensor x = made->forward(torch::randn({2, kWidth}));
      attention->forward(torch::randn({3, 1, kWidth}), torch::randn({3, 1, kWidth}), torch::randn({3, 1, kWidth}));
      torch::scaled_dot_product_attention(x, x, x);
      return made;
    });
    EXPECT_TRUE(IsDeferred(*net));
    EXPECT_FALSE(IsFakeTensor(MaterializeSlice(net[3]->as<nn::Linear>()->weight, {0, 0, 1})));
  }
}

TEST(ModuleOrders, DropoutsDrawAsEager) {
  const Make make = [] {
    auto holder = std::make_shared<Holder>();
    int count = 0;
    for (const double p : {0.0, 0.3, 1.0})
      for (const bool trains : {true, false}) {
        const torch::Tensor x = torch::randn({3, 4, 5});
        for (const torch::Tensor& y :
            {torch::dropout(x, p, trains), torch::alpha_dropout(x, p, trains), torch::feature_dropout(x, p, trains),
                torch::feature_alpha_dropout(x.transpose(0, 1).clone(), p, trains),
                std::get<0>(torch::native_dropout(x, p, trains)), torch::rrelu(x, 0.1, 0.3, trains)})
          holder->register_buffer("y" + std::to_string(count++), y * 1);
      }
    return holder;
  };
  for (unsigned seed = 0; seed < 5; ++seed) MaterializeInOrder(Build(make, static_cast<int>(seed) + 1), seed);
}

TEST(ModuleOrders, CopiesOfModules) {
  ExpectEqualsEager("clone", [] {
    auto holder = std::make_shared<Holder>();
    const auto first = holder->register_module("first", nn::Linear(3, 2));
    holder->register_module("second", std::dynamic_pointer_cast<nn::LinearImpl>(first->clone()));
    const torch::NoGradGuard no_grad;
    first->weight.add_(1);
    return ModulePtr(holder);
  });
}

// ---- what runs

std::map<std::string, int>* counted = nullptr;

// The operators that `run` calls, those within others too.
std::map<std::string, int> CallsOf(const std::function<void()>& run) {
  std::map<std::string, int> calls;
  counted = &calls;
  const auto handle = at::addThreadLocalCallback(
      at::RecordFunctionCallback([](const at::RecordFunction& f) -> std::unique_ptr<at::ObserverContext> {
        ++(*counted)[f.name()];
        return nullptr;
      }).scopes({at::RecordScope::FUNCTION}));
  run();
  at::removeCallback(handle);
  return calls;
}

TEST(ModuleOrders, OneLayerRunsItsOwnOperatorsAlone) {
  torch::manual_seed(1);
  auto net = DeferredInit([] {
    nn::Sequential layers;
    for (int i = 0; i < 20; ++i) layers->push_back(nn::Linear(4, 4));
    return layers;
  });
  const auto calls = CallsOf([&] { MaterializeModule(*net[7]); });
  EXPECT_EQ(calls.at("aten::uniform_"), 2);
  EXPECT_EQ(calls.at("aten::empty"), 2);
  EXPECT_FALSE(IsDeferred(*net[7]));
  for (int i : {6, 8}) EXPECT_TRUE(IsDeferred(*net[i]));
  EXPECT_TRUE(CallsOf([&] { MaterializeModule(*net[7]); }).empty());
}

TEST(ModuleOrders, NoOperatorRunsTwice) {
  auto net = DeferredInit(MakeNormed);
  std::map<std::string, int> calls;
  for (const auto& [name, tensor] : TensorsOf(*net))
    for (const auto& [op, count] : CallsOf([&] { MaterializeTensor(tensor); })) calls[op] += count;
  EXPECT_EQ(calls.at("aten::uniform_"), 1);
  EXPECT_EQ(calls.at("aten::randn"), 1);
  EXPECT_EQ(calls.at("aten::_weight_norm"), 1);
}

TEST(ModuleOrders, IsDeferredUntilTheLastTensor) {
  EXPECT_FALSE(IsDeferred(*nn::Linear(2, 2)));
  auto net = DeferredInit([] { return nn::Linear(2, 2); });
  EXPECT_TRUE(IsDeferred(*net));
  MaterializeTensor(net->weight);
  EXPECT_TRUE(IsDeferred(*net));
  MaterializeTensor(net->bias);
  EXPECT_FALSE(IsDeferred(*net));
}

}  // namespace
}  // namespace fakeprop
