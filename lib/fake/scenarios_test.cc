// Behaviours that PyTorch's test_fake_tensor.py asks of FakeTensorMode and that no other test here has; names as there
// (docs/parity.md lists all).
#include <ATen/ATen.h>
#include <ATen/functorch/BatchedTensorImpl.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/forward_grad.h>
#include <torch/torch.h>

#include <thread>

#include "lib/fake/testing/scenario_fixture.h"

namespace fakeprop {
namespace {

using fake_testing::ExpectFake;
using fake_testing::kFakeCuda;
using fake_testing::Sizes;

class Scenario : public fake_testing::ScenarioFixture {};

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
  ExpectFake(fake + fake, {2}, at::kCPU);
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
  ExpectFake(fakes[2], {2}, at::kCPU);
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
  EXPECT_EQ(Repr(at::ones({2})), " 1\n 1\n[ CPUFloatType{2} ]");
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
  ExpectFake(at::sparse_coo_tensor(indices, Cpu({3}), {4, 4}), {4, 4}, at::kCPU);
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
      ExpectFake(stack.back().toTensor(), {4, 4}, crosses ? kFakeCuda : at::Device(at::kCPU));
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
  ExpectFake(std::get<0>(at::embedding_bag(table, indices, at::zeros({2}, at::kLong))), {2, 3}, at::kMeta);
}

}  // namespace
}  // namespace fakeprop
