// Modules of torch::nn: deferred construction gives the same bits as eager construction.
#include "fakeprop/deferred_init.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
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
using deferred_testing::ExpectSameModule;
using deferred_testing::Make;
using deferred_testing::ModulePtr;
using deferred_testing::Of;
using deferred_testing::TensorsOf;

TEST(DeferredModules, EqualEager) {
  ExpectEqualsEager("Linear", Of<nn::Linear>(5, 3));
  ExpectEqualsEager("Conv1d", Of<nn::Conv1d>(nn::Conv1dOptions(3, 5, 2)));
  ExpectEqualsEager("Conv2d", Of<nn::Conv2d>(nn::Conv2dOptions(3, 6, 3).groups(3)));
  ExpectEqualsEager("Conv3d", Of<nn::Conv3d>(nn::Conv3dOptions(2, 3, 2)));
  ExpectEqualsEager("ConvTranspose1d", Of<nn::ConvTranspose1d>(nn::ConvTranspose1dOptions(3, 5, 2)));
  ExpectEqualsEager("ConvTranspose2d", Of<nn::ConvTranspose2d>(nn::ConvTranspose2dOptions(3, 5, 2)));
  ExpectEqualsEager("ConvTranspose3d", Of<nn::ConvTranspose3d>(nn::ConvTranspose3dOptions(3, 5, 2)));
  ExpectEqualsEager("Embedding", Of<nn::Embedding>(nn::EmbeddingOptions(11, 7).padding_idx(3)));
  ExpectEqualsEager("small Embedding", Of<nn::Embedding>(3, 3));
  ExpectEqualsEager("EmbeddingBag", Of<nn::EmbeddingBag>(9, 5));
  ExpectEqualsEager("LSTM", Of<nn::LSTM>(nn::LSTMOptions(4, 6).num_layers(2).bidirectional(true)));
  ExpectEqualsEager("GRU", Of<nn::GRU>(nn::GRUOptions(4, 6).num_layers(2)));
  ExpectEqualsEager("MultiheadAttention", Of<nn::MultiheadAttention>(8, 2));
  ExpectEqualsEager("BatchNorm1d", Of<nn::BatchNorm1d>(6));
  ExpectEqualsEager("BatchNorm2d", Of<nn::BatchNorm2d>(6));
  ExpectEqualsEager("BatchNorm3d", Of<nn::BatchNorm3d>(6));
  ExpectEqualsEager("GroupNorm", Of<nn::GroupNorm>(2, 6));
  ExpectEqualsEager("LayerNorm", Of<nn::LayerNorm>(nn::LayerNormOptions({4, 6})));
  ExpectEqualsEager("Bilinear", Of<nn::Bilinear>(3, 4, 5));
  ExpectEqualsEager("Transformer", Of<nn::Transformer>(nn::TransformerOptions(8, 2, 2, 2).dim_feedforward(16)));
}

// A module with one parameter, which a function of torch::nn::init fills.
Make Filled(std::vector<int64_t> sizes, std::function<void(at::Tensor)> fill) {
  return [=] {
    struct Holder : nn::Module {};
    auto holder = std::make_shared<Holder>();
    fill(holder->register_parameter("w", torch::empty(sizes)));
    return ModulePtr(holder);
  };
}

TEST(DeferredModules, EveryInitEqualsEager) {
  namespace init = nn::init;
  ExpectEqualsEager("uniform_", Filled({5, 7}, [](auto w) { init::uniform_(w, -1, 2); }));
  ExpectEqualsEager("normal_", Filled({5, 7}, [](auto w) { init::normal_(w, 1, 3); }));
  ExpectEqualsEager("normal_ of few", Filled({5}, [](auto w) {
    init::normal_(w, 1, 3);
    init::normal_(w);
  }));
  ExpectEqualsEager("constant_", Filled({5, 7}, [](auto w) { init::constant_(w, 3); }));
  ExpectEqualsEager("ones_, zeros_", Filled({5}, [](auto w) {
    init::ones_(w);
    init::zeros_(w);
  }));
  ExpectEqualsEager("eye_", Filled({5, 7}, [](auto w) { init::eye_(w); }));
  ExpectEqualsEager("dirac_", Filled({5, 7, 3}, [](auto w) { init::dirac_(w); }));
  ExpectEqualsEager("xavier_uniform_", Filled({5, 7}, [](auto w) { init::xavier_uniform_(w); }));
  ExpectEqualsEager("xavier_normal_", Filled({5, 7}, [](auto w) { init::xavier_normal_(w, 2); }));
  ExpectEqualsEager("kaiming_uniform_", Filled({5, 7}, [](auto w) { init::kaiming_uniform_(w); }));
  ExpectEqualsEager("kaiming_normal_", Filled({5, 7}, [](auto w) { init::kaiming_normal_(w); }));
  ExpectEqualsEager("orthogonal_", Filled({5, 7}, [](auto w) { init::orthogonal_(w); }));
  ExpectEqualsEager("orthogonal_ of rows", Filled({9, 4}, [](auto w) { init::orthogonal_(w, 2); }));
  ExpectEqualsEager("sparse_", Filled({20, 7}, [](auto w) { init::sparse_(w, 0.3); }));
}

// A net with what makes partial materialisation hard: tied weights, views, copies before later changes, fills in and
// out of sequence, random numbers that are drawn in pairs.
struct Tangled : nn::Module {
  Tangled() {
    embedding = register_module("embedding", nn::Embedding(13, 6));
    head = register_module("head", nn::Linear(nn::LinearOptions(6, 13).bias(false)));
    head->weight = embedding->weight;
    norm = register_module("norm", nn::BatchNorm1d(6));
    fused = register_parameter("fused", torch::empty({12, 6}));
    torch::NoGradGuard no_grad;
    nn::init::xavier_normal_(fused);
    auto rows = fused.chunk(3, 0);
    rows[1].mul_(2);
    rows[2].normal_(0, 0.1);
    ema = register_buffer("ema", fused.clone());
    fused.add_(1);
    odd = register_buffer("odd", torch::randn({3}));
    odd2 = register_buffer("odd2", torch::randn({4}, torch::kDouble));
    order = register_buffer("order", torch::randperm(10));
    view = register_buffer("view", odd2.view({2, 2}));
    odd2.mul_(3);
    scale = register_buffer("scale", torch::ones({}));
    for (int i = 0; i < 3; ++i) {
      steps.push_back(register_buffer("step" + std::to_string(i), torch::full({4}, 2.0) * scale));
      scale.mul_(0.5);
    }
    later = register_buffer("later", torch::randint(0, 100, {5}));
    out = register_module("out", nn::Linear(6, 5));
    out->to(torch::kDouble);
    half = register_buffer("half", torch::rand({7}, torch::kHalf));
  }
  nn::Embedding embedding{nullptr};
  nn::Linear head{nullptr}, out{nullptr};
  nn::BatchNorm1d norm{nullptr};
  at::Tensor fused, ema, odd, odd2, order, view, scale, later, half;
  std::vector<at::Tensor> steps;
};

TEST(DeferredModules, AnyOrderOfPartsEqualsEager) {
  for (int seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Built built = Build([] { return std::make_shared<Tangled>(); }, seed + 1);
    auto expected = TensorsOf(*built.eager), found = TensorsOf(*built.deferred);
    std::vector<size_t> order(found.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<unsigned>(seed)));
    for (size_t i : order) {
      EXPECT_TRUE(MaterializeTensor(found[i].second).is_same(found[i].second));
      ExpectSameBits(found[i].second, expected[i].second, found[i].first);
    }
    auto& net = static_cast<Tangled&>(*built.deferred);
    EXPECT_TRUE(net.head->weight.is_same(net.embedding->weight));
    EXPECT_TRUE(SharesStorage(net.view, net.odd2));
  }
}

TEST(DeferredModules, SeedBeforeReplay) {
  torch::manual_seed(5);
  const auto eager = std::make_shared<Tangled>();
  auto deferred = DeferredInit([] { return std::make_shared<Tangled>(); });
  torch::manual_seed(5);
  MaterializeModule(*deferred);
  ExpectSameModule(*deferred, *eager);
}

// The seed of the recording counts if there was one, whatever happens to the generator later.
TEST(DeferredModules, SeedBeforeRecordingLasts) {
  Built built = Build([] { return std::make_shared<Tangled>(); }, 11);
  torch::manual_seed(999);
  torch::rand({1000});
  MaterializeModule(*built.deferred);
  ExpectSameModule(*built.deferred, *built.eager);
}

TEST(DeferredModules, SeedsWithinAndExplicitGenerators) {
  ExpectEqualsEager("seeds", [] {
    struct Holder : nn::Module {};
    auto holder = std::make_shared<Holder>();
    auto generator = at::detail::createCPUGenerator(123);
    torch::manual_seed(3);
    holder->register_buffer("a", torch::rand({5}));
    const at::Tensor state = at::detail::getDefaultCPUGenerator().get_state();
    holder->register_buffer("b", torch::rand({5}));
    torch::manual_seed(3);
    holder->register_buffer("same as a", torch::rand({5}));
    auto cpu = at::detail::getDefaultCPUGenerator();
    cpu.set_state(state);
    holder->register_buffer("same as b", torch::rand({5}));
    holder->register_buffer("c", torch::empty({33}).normal_(0, 1, generator));
    holder->register_buffer("d", torch::multinomial(torch::ones({9}), 4));
    holder->register_buffer("e", torch::empty({6}).exponential_());
    holder->register_buffer("f", torch::empty({6}).log_normal_());
    holder->register_buffer("g", torch::empty({40}).bernoulli_(0.4));
    holder->register_buffer("h", torch::dropout(torch::ones({20}), 0.5, true));
    holder->register_buffer("i", torch::rand({5}));
    return ModulePtr(holder);
  });
}

TEST(DeferredModules, RecordingsFollowEachOther) {
  torch::manual_seed(1);
  const auto a = nn::Linear(4, 3), b = nn::Linear(4, 3);
  torch::manual_seed(1);
  auto da = DeferredInit([] { return nn::Linear(4, 3); }), db = DeferredInit([] { return nn::Linear(4, 3); });
  MaterializeModule(*db);
  MaterializeModule(*da);
  ExpectSameModule(*da, *a);
  ExpectSameModule(*db, *b);
}

TEST(DeferredModules, PartsByFilter) {
  auto net = DeferredInit([] { return nn::Sequential(nn::Linear(4, 3), nn::BatchNorm1d(3), nn::Linear(3, 2)); });
  MaterializeModule(*net, {.buffers_only = true});
  EXPECT_FALSE(IsDeferred(net->named_buffers()["1.running_mean"]));
  EXPECT_TRUE(IsDeferred(net->named_parameters()["1.weight"]));
  MaterializeModule(*net, {.modules = [](const nn::Module& m) { return m.as<nn::BatchNorm1d>() != nullptr; }});
  EXPECT_FALSE(IsDeferred(net->named_parameters()["1.weight"]));
  EXPECT_TRUE(IsDeferred(net->named_parameters()["0.weight"]));
  MaterializeModule(*net, {.tensors = [](const std::string& name, const at::Tensor&) { return name == "2.bias"; }});
  EXPECT_FALSE(IsDeferred(net->named_parameters()["2.bias"]));
  EXPECT_TRUE(IsDeferred(net->named_parameters()["2.weight"]));
  EXPECT_TRUE(IsDeferred(*net));
  MaterializeModule(*net);
  EXPECT_FALSE(IsDeferred(*net));
}

TEST(DeferredModules, TrainAndHooksKept) {
  Built built = Build(Of<nn::Linear>(5, 3), 2);
  auto& net = *built.deferred->as<nn::Linear>();
  int calls = 0;
  net.weight.register_hook([&](const at::Tensor&) { ++calls; });
  torch::optim::SGD optimizer(net.parameters(), 0.1);
  MaterializeModule(net);
  net.forward(torch::ones({2, 5})).sum().backward();
  EXPECT_EQ(calls, 1);
  optimizer.step();
  EXPECT_TRUE(torch::equal(net.bias.grad(), torch::full({3}, 2.0)));
  EXPECT_TRUE(torch::allclose(net.weight + 0.2, built.eager->as<nn::Linear>()->weight));
}

// As weight_norm: the weight is computed from two parameters, and the graph leads back to them.
TEST(DeferredModules, ComputedWeightsKeepTheirGraph) {
  const Make make = [] {
    struct Holder : nn::Module {};
    auto holder = std::make_shared<Holder>();
    auto v = holder->register_parameter("v", torch::randn({4, 5}));
    auto g = holder->register_parameter("g", v.detach().norm(2, 1, true));
    holder->register_buffer("w", g * v / v.norm(2, 1, true));
    return ModulePtr(holder);
  };
  for (const bool weight_first : {true, false}) {
    Built built = Build(make, 4);
    auto tensors = built.deferred->named_buffers();
    if (weight_first) MaterializeTensor(tensors["w"]);
    MaterializeModule(*built.deferred);
    ExpectSameModule(*built.deferred, *built.eager);
    for (auto* module : {&built.deferred, &built.eager}) (*module)->named_buffers()["w"].sum().backward();
    for (const char* name : {"v", "g"})
      EXPECT_TRUE(
          torch::equal(built.deferred->named_parameters()[name].grad(), built.eager->named_parameters()[name].grad()));
  }
}

TEST(DeferredModules, OtherDeviceAndDtype) {
  Built built = Build(Of<nn::Linear>(5, 3), 6);
  MaterializeModule(*built.deferred, {{.dtype = torch::kBFloat16}});
  built.eager->to(torch::kBFloat16);
  ExpectSameModule(*built.deferred, *built.eager);
  // Recorded for a device that this machine lacks.
  const Make on_cuda = [] {
    torch::nn::Linear net(5, 3);
    net->to(torch::kCUDA);
    net->register_buffer("noise", torch::randn({20}, torch::kCUDA));
    return net.ptr();
  };
  torch::manual_seed(3);
  auto net = DeferredInit(on_cuda);
  EXPECT_EQ(net->named_parameters()["weight"].device(), at::Device("cuda:0"));
  EXPECT_THROW(MaterializeModule(*net), DeferredInitError);
  MaterializeModule(*net, {{.device = torch::kCPU}});
  EXPECT_TRUE(net->named_buffers()["noise"].is_cpu());
  torch::manual_seed(3);
  EXPECT_TRUE(torch::equal(net->named_parameters()["weight"], nn::Linear(5, 3)->weight));
}

TEST(DeferredModules, DropAndMaterializeAgain) {
  Built built = Build(Of<nn::Linear>(5, 3), 8);
  for (int round = 0; round < 3; ++round) {
    MaterializeModule(*built.deferred, {{.keep_recording = true}});
    ExpectSameModule(*built.deferred, *built.eager);
    Dematerialize(*built.deferred);
    for (const auto& [name, tensor] : TensorsOf(*built.deferred)) EXPECT_TRUE(IsDeferred(tensor)) << name;
  }
  MaterializeModule(*built.deferred, {{.keep_recording = true}});
  torch::NoGradGuard no_grad;
  built.deferred->named_parameters()["bias"].add_(1);
  EXPECT_THROW(Dematerialize(*built.deferred), DeferredInitError);
  MaterializeModule(*built.deferred);
  EXPECT_THROW(Dematerialize(nn::Linear(2, 2)->weight), DeferredInitError);
}

// What wrote to the memory before set_data would not run again.
TEST(DeferredModules, ConvertedModulesAreNotDropped) {
  const Make make = [] {
    nn::Linear net(5, 3);
    net->to(torch::kDouble);
    return net.ptr();
  };
  Built built = Build(make, 9);
  MaterializeModule(*built.deferred, {{.keep_recording = true}});
  EXPECT_THROW(Dematerialize(*built.deferred), DeferredInitError);
  ExpectSameModule(*built.deferred, *built.eager);
}

TEST(DeferredModules, SlicesEqualEager) {
  const Make make = [] {
    nn::Embedding net(nn::EmbeddingOptions(101, 7).padding_idx(50));
    torch::NoGradGuard no_grad;
    net->weight.mul_(0.5).add_(1);
    net->register_buffer("u", torch::rand({33, 5, 3}).clamp_(0.2, 0.8));
    net->register_buffer("h", torch::randn({50, 50}).to(torch::kHalf));
    net->register_buffer("q", std::get<0>(torch::linalg_qr(torch::randn({6, 6}))));
    net->register_buffer("d", torch::randn({10, 11}, torch::kDouble));
    net->register_buffer("b", torch::randn({10, 11}, torch::kBFloat16));
    return net.ptr();
  };
  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round) {
    Built built = Build(make, round + 1);
    const auto eager = TensorsOf(*built.eager);
    for (size_t i = 0; const auto& [name, tensor] : TensorsOf(*built.deferred)) {
      TensorSlice slice{static_cast<int64_t>(random() % tensor.dim()), 0, 0};
      const int64_t size = tensor.size(slice.dim);
      slice.start = static_cast<int64_t>(random() % size);
      slice.length = static_cast<int64_t>(random() % (size - slice.start) + 1);
      const at::Tensor expected = eager[i++].second.narrow(slice.dim, slice.start, slice.length);
      EXPECT_TRUE(torch::equal(MaterializeSlice(tensor, slice), expected)) << name;
      EXPECT_TRUE(IsDeferred(tensor));
    }
    MaterializeModule(*built.deferred);
    ExpectSameModule(*built.deferred, *built.eager);
  }
}

TEST(DeferredModules, ModuleOfSlices) {
  Built built = Build(Of<nn::Linear>(8, 6), 3);
  MaterializeModule(*built.deferred, {.slices = [](const std::string&, const at::Tensor& t) {
    return TensorSlice{0, t.size(0) / 3, t.size(0) / 3};
  }});
  const auto& eager = *built.eager->as<nn::Linear>();
  auto& shard = *built.deferred->as<nn::Linear>();
  EXPECT_TRUE(torch::equal(shard.weight, eager.weight.narrow(0, 2, 2)));
  EXPECT_TRUE(torch::equal(shard.bias, eager.bias.narrow(0, 2, 2)));
  EXPECT_TRUE(shard.weight.requires_grad() && shard.weight.is_leaf());
  EXPECT_EQ(shard.forward(torch::ones({8})).sizes(), at::IntArrayRef({2}));
}

TEST(DeferredModules, MostMemory) {
  auto net = DeferredInit([] { return nn::Linear(100, 10); });
  EXPECT_THROW(MaterializeModule(*net, {{.max_bytes = 4000}}), DeferredInitError);
  EXPECT_TRUE(IsDeferred(net->weight));
  MaterializeModule(*net, {{.max_bytes = 4040}});
}

// What is freed on the way does not count twice.
TEST(DeferredModules, MostMemoryAtOneTime) {
  const auto sum = [] {
    at::Tensor t = torch::zeros({1000});
    for (int i = 0; i < 10; ++i) t = t + torch::ones({1000});
    return t;
  };
  const auto fits = [&](int64_t bytes, MaterializeOptions options) {
    options.max_bytes = bytes;
    try {
      MaterializeTensor(DeferredInit(sum), options);
      return true;
    } catch (const DeferredInitError&) {
      return false;
    }
  };
  EXPECT_TRUE(fits(12000, {}));
  EXPECT_FALSE(fits(11999, {}));
  EXPECT_FALSE(fits(40000, {.keep_recording = true}));
  EXPECT_TRUE(fits(84000, {.keep_recording = true}));
  EXPECT_TRUE(fits(12000, {.dtype = torch::kDouble}));  // 4000 and 8000 at the end
  EXPECT_FALSE(fits(11999, {.dtype = torch::kDouble}));
}

TEST(DeferredModules, MostMemoryOfSlices) {
  auto net = DeferredInit([] { return nn::Linear(100, 10); });
  EXPECT_THROW(MaterializeSlice(net->weight, {0, 0, 5}, {.max_bytes = 1999}), DeferredInitError);
  EXPECT_EQ(MaterializeSlice(net->weight, {0, 0, 5}, {.max_bytes = 2000}).numel(), 500);
  MaterializeModuleOptions options;
  options.slices = [](const std::string&, const at::Tensor& t) { return TensorSlice{-1, 0, t.size(-1) / 2}; };
  options.max_bytes = 2019;
  EXPECT_THROW(MaterializeModule(*net, options), DeferredInitError);
  EXPECT_TRUE(IsDeferred(net->weight) && IsDeferred(net->bias));
  options.max_bytes = 2020;
  MaterializeModule(*net, options);
  EXPECT_EQ(net->weight.sizes(), at::IntArrayRef({10, 50}));
}

TEST(DeferredModules, SlicesOutsideAreErrorsBeforeAnythingChanges) {
  auto net = DeferredInit([] { return nn::Linear(4, 3); });
  MaterializeModuleOptions options;
  options.slices = [](const std::string& name, const at::Tensor&) { return TensorSlice{0, name == "bias" ? 3 : 0, 1}; };
  EXPECT_THROW(MaterializeModule(*net, options), c10::IndexError);
  EXPECT_TRUE(IsDeferred(net->weight) && IsDeferred(net->bias));
}

}  // namespace
}  // namespace fakeprop
