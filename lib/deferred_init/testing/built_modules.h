// Modules of torch::nn that were built twice, eagerly and deferred.
#pragma once

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fakeprop/deferred_init.h"

namespace fakeprop::deferred_testing {

using ModulePtr = std::shared_ptr<torch::nn::Module>;
using Make = std::function<ModulePtr()>;

inline std::vector<std::pair<std::string, at::Tensor>> TensorsOf(const torch::nn::Module& module) {
  std::vector<std::pair<std::string, at::Tensor>> tensors;
  for (const auto& item : module.named_parameters()) tensors.emplace_back(item.key(), item.value());
  for (const auto& item : module.named_buffers()) tensors.emplace_back(item.key(), item.value());
  return tensors;
}

inline void ExpectSameBits(const at::Tensor& a, const at::Tensor& b, const std::string& name) {
  ASSERT_FALSE(IsFakeTensor(a)) << name;
  ASSERT_EQ(a.sizes(), b.sizes()) << name;
  EXPECT_EQ(a.strides(), b.strides()) << name;
  EXPECT_EQ(a.dtype(), b.dtype()) << name;
  EXPECT_EQ(a.requires_grad(), b.requires_grad()) << name;
  EXPECT_EQ(a.is_leaf(), b.is_leaf()) << name;
  EXPECT_TRUE(torch::equal(a.detach().nan_to_num(77), b.detach().nan_to_num(77))) << name;
}

inline void ExpectSameModule(const torch::nn::Module& a, const torch::nn::Module& b) {
  const auto of_a = TensorsOf(a), of_b = TensorsOf(b);
  ASSERT_EQ(of_a.size(), of_b.size());
  for (size_t i = 0; i < of_a.size(); ++i) ExpectSameBits(of_a[i].second, of_b[i].second, of_a[i].first);
}

struct Built {
  ModulePtr eager, deferred;
};

// Under the same seed. What is drawn afterwards is the same as well.
inline Built Build(const Make& make, int seed) {
  torch::manual_seed(seed);
  Built built{make(), nullptr};
  const at::Tensor next = torch::randn({40});
  torch::manual_seed(seed);
  built.deferred = DeferredInit(make);
  EXPECT_TRUE(torch::equal(next, torch::randn({40})));
  for (const auto& [name, tensor] : TensorsOf(*built.deferred)) EXPECT_TRUE(IsDeferred(tensor)) << name;
  return built;
}

// Builds with weights that nobody initialised would give any bits, so `make` has to initialise all.
inline void ExpectEqualsEager(const char* what, const Make& make) {
  SCOPED_TRACE(what);
  Built built = Build(make, 7);
  MaterializeModule(*built.deferred);
  EXPECT_FALSE(IsDeferred(*built.deferred));
  ExpectSameModule(*built.deferred, *built.eager);
}

template <typename M, typename... Arguments>
Make Of(Arguments... arguments) {
  return [=] { return M(arguments...).ptr(); };
}

}  // namespace fakeprop::deferred_testing
