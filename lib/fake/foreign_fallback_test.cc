// A program, or a later LibTorch, with a fallback of its own for the key Fake: our kernels come first.
#include <ATen/core/boxing/KernelFunction.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <gtest/gtest.h>
#include <torch/library.h>

#include "fakeprop/fake_tensor_mode.h"

namespace fakeprop {
namespace {

int foreign_calls = 0;

void Foreign(const c10::OperatorHandle&, torch::jit::Stack*) {
  ++foreign_calls;
  TORCH_CHECK(false, "the other fallback served the call");
}

// Before anything of ours is registered.
TORCH_LIBRARY_IMPL(_, Fake, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&Foreign>()); }

TEST(ForeignFallback, OursServesAllOperators) {
  ASSERT_TRUE(c10::Dispatcher::singleton().hasBackendFallbackForDispatchKey(c10::DispatchKey::Fake));
  const FakeTensorMode mode;
  const FakeModeGuard on(mode);
  const at::Tensor x = at::empty({2, 3}), weight = at::empty({4, 3}, at::device(at::Device(at::kCPU)));
  const at::Tensor y = at::add(at::linear(x, weight), 1);  // by rules, and a composite of LibTorch
  EXPECT_TRUE(IsFakeTensor(y));
  EXPECT_EQ(y.sizes(), at::IntArrayRef({2, 4}));
  EXPECT_THROW(at::linear(x, at::empty({4, 5})), c10::Error);
  EXPECT_EQ(foreign_calls, 0);
}

TEST(ForeignFallback, OursServesOperatorsThatComeLater) {
  const FakeTensorMode before;
  torch::Library library(torch::Library::DEF, "later", std::nullopt, __FILE__, __LINE__);
  library.def("twice(Tensor x) -> Tensor");
  library.impl("twice", c10::DispatchKey::CompositeImplicitAutograd,
      torch::CppFunction::makeFromUnboxedFunction(+[](const at::Tensor& x) { return at::add(x, x); }));
  const FakeTensorMode mode;  // takes in what was registered since the last one
  const FakeModeGuard on(mode);
  const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("later::twice", "");
  torch::jit::Stack stack = {at::empty({5})};
  op.callBoxed(stack);
  EXPECT_EQ(stack.at(0).toTensor().sizes(), at::IntArrayRef({5}));
  EXPECT_EQ(foreign_calls, 0);
}

}  // namespace
}  // namespace fakeprop
