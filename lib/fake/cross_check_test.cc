// Real and fake side by side, and operators of other libraries.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "fakeprop/fake_tensor_mode.h"
#include "fakeprop/live_bytes.h"
#include "fakeprop/register_fake_impl.h"

namespace fakeprop {
namespace {

using Sizes = std::vector<int64_t>;

torch::Tensor TwiceCpu(const torch::Tensor& x) { return x.contiguous().mul(2); }
torch::Tensor GoodMeta(const torch::Tensor& x) { return torch::empty_like(x, {}, torch::MemoryFormat::Contiguous); }
torch::Tensor WrongShape(const torch::Tensor& x) { return torch::empty({x.numel() + 1}, x.options()); }
torch::Tensor WrongDtype(const torch::Tensor& x) { return torch::empty(x.sizes(), x.options().dtype(torch::kDouble)); }

TORCH_LIBRARY(fakeprop_test, m) {
  m.def("with_meta(Tensor x) -> Tensor");
  m.def("wrong_shape(Tensor x) -> Tensor");
  m.def("wrong_dtype(Tensor x) -> Tensor");
  m.def("cpu_only(Tensor x) -> Tensor");
  m.def("registered(Tensor x) -> Tensor");
}
TORCH_LIBRARY_IMPL(fakeprop_test, CPU, m) {
  for (const char* name : {"with_meta", "wrong_shape", "wrong_dtype", "cpu_only", "registered"}) m.impl(name, TwiceCpu);
}
TORCH_LIBRARY_IMPL(fakeprop_test, Meta, m) {
  m.impl("with_meta", GoodMeta);
  m.impl("wrong_shape", WrongShape);
  m.impl("wrong_dtype", WrongDtype);
}

// Stand-ins for operators of LibTorch's own that nothing but a CPU kernel serves.
torch::Tensor ViewOf(const torch::Tensor& x) { return x.view({-1}); }
TORCH_LIBRARY_FRAGMENT(aten, m) {
  m.def("fakeprop_test_plain(Tensor x) -> Tensor");
  m.def("fakeprop_test_alias(Tensor x) -> Tensor");
}
TORCH_LIBRARY_IMPL(aten, CPU, m) {
  m.impl("fakeprop_test_plain", TwiceCpu);
  m.impl("fakeprop_test_alias", ViewOf);
}

struct Warnings final : c10::WarningHandler {
  void process(const c10::Warning& warning) override { text += warning.msg(); }
  std::string text;
};

torch::Tensor Call(const char* name, const torch::Tensor& x, const std::string& space = "fakeprop_test::") {
  return c10::Dispatcher::singleton()
      .findSchemaOrThrow((space + name).c_str(), "")
      .typed<torch::Tensor(const torch::Tensor&)>()
      .call(x);
}

TEST(CustomOperators, MetaKernelsAreStamped) {
  for (const char* name : {"cpu", "cuda:0"}) {
    const FakeTensorMode mode;
    const FakeModeGuard on(mode);
    const torch::Tensor y = Call("with_meta", torch::rand({2, 3}, torch::Device(name)));
    EXPECT_TRUE(IsFakeTensor(y));
    EXPECT_EQ(y.device(), torch::Device(name));
    EXPECT_EQ(y.sizes().vec(), (Sizes{2, 3}));
    EXPECT_THROW((void)y.const_data_ptr(), c10::Error);
    EXPECT_THROW((void)y.mutable_data_ptr(), c10::Error);
  }
}

TEST(CustomOperators, KernelsNeverRun) {
  const FakeTensorMode mode({.allow_fallback_kernels = true});
  const FakeModeGuard on(mode);
  try {
    Call("cpu_only", torch::rand({2}));
    ADD_FAILURE() << "no error";
  } catch (const UnsupportedOperator& e) {
    EXPECT_EQ(e.op(), "fakeprop_test::cpu_only");
  }
}

TEST(FallbackKernels, RunWhereAskedAndSaySo) {
  Warnings warnings;
  const c10::WarningUtils::WarningHandlerGuard heard(&warnings);
  for (const char* name : {"cpu", "cuda:0"}) {
    {
      const FakeTensorMode mode;
      const FakeModeGuard on(mode);
      EXPECT_THROW(
          Call("fakeprop_test_plain", torch::rand({2, 3}, torch::Device(name)), "aten::"), UnsupportedOperator);
    }
    EXPECT_EQ(warnings.text, "");
    const FakeTensorMode mode({.allow_fallback_kernels = true});
    const FakeModeGuard on(mode);
    const torch::Tensor y = Call("fakeprop_test_plain", torch::rand({2, 3}, torch::Device(name)), "aten::");
    EXPECT_TRUE(IsFakeTensor(y));
    EXPECT_EQ(y.device(), torch::Device(name));
    EXPECT_EQ(y.sizes().vec(), (Sizes{2, 3}));
    EXPECT_NE(warnings.text.find("aten::fakeprop_test_plain"), std::string::npos) << warnings.text;
    warnings.text.clear();
    EXPECT_THROW(
        Call("fakeprop_test_alias", torch::rand({2, 3}, torch::Device(name)), "aten::"), UnsupportedMutationAliasing);
    // More than 256 MB of zeros are not made.
    EXPECT_THROW(Call("fakeprop_test_plain", torch::rand({1 << 14, 1 << 13}, torch::Device(name)), "aten::"),
        UnsupportedOperator);
  }
}

TEST(CustomOperators, FakeImplementations) {
  RegisterFakeImpl("fakeprop_test::registered", [](const c10::OperatorHandle&, torch::jit::Stack& stack) {
    const torch::Tensor x = torch::jit::pop(stack).toTensor();
    torch::jit::push(stack, torch::relu(x).view({-1}));
  });
  for (const char* name : {"cpu", "cuda:0"}) {
    const FakeTensorMode mode;
    const FakeModeGuard on(mode);
    const torch::Tensor y = Call("registered", torch::rand({2, 3}, torch::Device(name)));
    EXPECT_EQ(y.sizes().vec(), (Sizes{6}));
    EXPECT_EQ(y.device(), torch::Device(name));
  }
}

TEST(CrossCheck, AgreesOnAProgram) {
  const FakeTensorMode mode({.cross_check = true});
  const FakeModeGuard on(mode);
  EXPECT_EQ(torch::full({4, 4}, 1).sum().item<int64_t>(), 16);
  torch::nn::Sequential net(torch::nn::BatchNorm2d(10), torch::nn::ReLU(), torch::nn::Conv2d(10, 4, 3),
      torch::nn::Flatten(), torch::nn::Linear(144, 3));
  const torch::Tensor y = net->forward(torch::rand({2, 10, 8, 8}));
  EXPECT_FALSE(IsFakeTensor(y));
  torch::nn::functional::cross_entropy(y, torch::zeros({2}, torch::kLong)).backward();
  torch::optim::Adam(net->parameters()).step();
  torch::Tensor x = torch::rand({2, 3});
  x.t_();
  x.resize_({5});
  x.index_put_({torch::tensor({0, 1})}, 0);
  EXPECT_EQ((x > 2).nonzero().size(0), 0);
  EXPECT_THROW(torch::rand({3}).add_(torch::rand({4})), c10::Error);
}

TEST(CrossCheck, TellsDifferences) {
  const FakeTensorMode mode({.cross_check = true});
  const FakeModeGuard on(mode);
  const torch::Tensor x = torch::rand({2});
  EXPECT_EQ(Call("with_meta", x).size(0), 2);
  EXPECT_EQ(Call("cpu_only", x).size(0), 2);
  for (const auto& [name, words] : {std::pair("wrong_shape", "the size of result 0 is [2] for real, [3] on fakes"),
           std::pair("wrong_dtype", "the dtype of result 0 is Float for real, Double on fakes")}) {
    try {
      Call(name, x);
      ADD_FAILURE() << name;
    } catch (const MetadataMismatch& e) {
      EXPECT_EQ(e.msg(), std::string("fakeprop_test::") + name + ": " + words);
      EXPECT_EQ(e.op(), std::string("fakeprop_test::") + name);
    }
  }
}

TEST(LiveBytes, CountStorages) {
  const FakeTensorMode mode;
  const FakeModeGuard on(mode);
  const torch::Device cuda("cuda:0");
  {
    torch::Tensor x = torch::empty({256}, cuda);
    const torch::Tensor view = x.view({16, 16});
    EXPECT_EQ(LiveBytes(mode, cuda), 1024);
    EXPECT_EQ(LiveBytes(mode, torch::kCPU), 0);
    x.resize_({512});
    EXPECT_EQ(LiveBytes(mode, torch::kCUDA), 2048);
    const torch::Tensor y = view + 1;
    EXPECT_EQ(LiveBytes(mode, cuda), 3072);
  }
  EXPECT_EQ(LiveBytes(mode, cuda), 0);
  EXPECT_EQ(PeakBytes(mode, cuda), 3072);
  ResetPeakBytes(mode, cuda);
  EXPECT_EQ(PeakBytes(mode, cuda), 0);
}

}  // namespace
}  // namespace fakeprop
