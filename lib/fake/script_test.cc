// TorchScript's modules and their passes on fakes.
#include <gtest/gtest.h>
#include <torch/script.h>

#include "fakeprop/fake_tensor_errors.h"
#include "lib/fake/testing/scenario_fixture.h"

namespace fakeprop {
namespace {

using fake_testing::ExpectFake;

constexpr const char* kCode = R"(
def forward(self, x):
    y = torch.conv2d(x, self.weight)
    y = torch.batch_norm(y, self.scale, self.shift, self.mean, self.variance, False, 0.1, 1e-5, False)
    return torch.relu(y).flatten(1)
)";

torch::jit::Module NewModule(at::Device device) {
  torch::jit::Module module("Net");
  module.register_parameter("weight", torch::rand({4, 3, 3, 3}, device), /*is_buffer=*/false);
  for (const char* name : {"scale", "shift"}) module.register_parameter(name, torch::rand({4}, device), false);
  for (const char* name : {"mean", "variance"}) module.register_buffer(name, torch::rand({4}, device));
  module.define(kCode);
  module.eval();
  return module;
}

class Scripts : public testing::TestWithParam<const char*> {
 protected:
  void ExpectRuns(torch::jit::Module module) const {
    for (int i = 0; i < 3; ++i)
      ExpectFake(module.forward({torch::rand({2, 3, 8, 8}, device_)}).toTensor(), {2, 4 * 6 * 6}, device_);
  }

  const at::Device device_{GetParam()};
  const FakeTensorMode mode_{{.unknown_tensors_differ = true, .save_zeros = true}};
  const FakeModeGuard on_{mode_};
};

TEST_P(Scripts, AreFrozen) {
  torch::jit::Module frozen = torch::jit::freeze(NewModule(device_));
  ExpectRuns(frozen);
  ExpectRuns(torch::jit::optimize_for_inference(frozen));
}

TEST_P(Scripts, AreCopied) {
  const torch::jit::Module module = NewModule(device_), copy = module.clone(), deep = module.deepcopy();
  ExpectRuns(copy);
  ExpectRuns(deep);
  EXPECT_FALSE(deep.attr("weight").toTensor().is_alias_of(module.attr("weight").toTensor()));
}

TEST_P(Scripts, AreSavedAndLoaded) {
  std::stringstream file;
  NewModule(device_).save(file);
  ExpectRuns(torch::jit::load(file, device_));
}

INSTANTIATE_TEST_SUITE_P(Devices, Scripts, testing::Values("cpu", "cuda:0"));

class ScriptErrors : public fake_testing::ScenarioFixture {};

TEST_F(ScriptErrors, WeightsAreNotCompared) {
  EXPECT_THROW((void)Cpu({3}).equal(Cpu({3})), DataDependentOutput);
  const FakeTensorMode mode({.unknown_tensors_differ = true});
  const FakeModeGuard on(mode);
  const at::Tensor a = torch::rand({3});
  EXPECT_FALSE(a.equal(torch::rand({3})));
  EXPECT_THROW((void)a.slice(0, 0, 2).equal(a.slice(0, 1)), DataDependentOutput);
}

TEST_F(ScriptErrors, AliasesAreKnown) {
  const at::Tensor a = Cpu({4}), b = Cpu({4});
  EXPECT_FALSE(a.is_alias_of(b));
  EXPECT_TRUE(a.is_alias_of(a.view({2, 2})));
  at::Tensor real;
  {
    const UnsetFakeTemporarily off;
    real = torch::rand({3});
    EXPECT_TRUE(real.is_alias_of(real.view({3, 1})));
    EXPECT_FALSE(real.is_alias_of(torch::rand({3})));
  }
  EXPECT_FALSE(a.is_alias_of(real));
}

}  // namespace
}  // namespace fakeprop
