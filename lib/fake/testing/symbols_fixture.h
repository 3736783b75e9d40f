// Shared by the tests of fakes with symbolic sizes.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fakeprop/fake_tensor_mode.h"
#include "lib/fake/sym_nodes.h"

namespace fakeprop::fake_testing {

inline std::string Text(const c10::SymInt& size) {
  const auto number = size.maybe_as_int();
  return number ? std::to_string(*number) : size.toSymNode()->str();
}

inline std::string Text(c10::SymIntArrayRef sizes) {
  std::string out;
  for (const c10::SymInt& size : sizes) out += (out.empty() ? "" : ", ") + Text(size);
  return out;
}

inline std::string Sizes(const at::Tensor& t) { return Text(t.sym_sizes()); }
inline std::string Strides(const at::Tensor& t) { return Text(t.sym_strides()); }

// A mode whose fakes have symbolic sizes.
class SymbolsFixture : public ::testing::Test {
 protected:
  // A fake with duck-shaped sizes.
  at::Tensor Fake(at::IntArrayRef sizes) { return mode.FromRealTensor(Real(sizes)); }
  at::Tensor Real(at::IntArrayRef sizes) {
    const UnsetFakeTemporarily off;
    return at::empty(sizes, at::device(at::kCPU));
  }

  template <typename View>
  at::Tensor RealView(at::IntArrayRef sizes, View view) {
    const at::Tensor base = Real(sizes);
    const UnsetFakeTemporarily off;
    return view(base);
  }

  std::vector<std::string> Guards() {
    std::vector<std::string> guards;
    for (const GuardRecord& guard : env->guards()) guards.push_back(ToString(guard.expression));
    return guards;
  }

  std::shared_ptr<ShapeEnv> env = std::make_shared<ShapeEnv>();
  FakeTensorMode mode{{.shape_env = env}};
  FakeModeGuard on{mode};
};

}  // namespace fakeprop::fake_testing
