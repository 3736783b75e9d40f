// Long programs on fakes see the metadata that they see on real tensors.
#include <gtest/gtest.h>

#include "fakeprop/fake_tensor_mode.h"
#include "lib/fake/programs/programs.h"
#include "lib/fake/programs/same_on_fakes.h"
#include "lib/fake/sym_nodes.h"
#include "lib/meta/dim.h"

namespace fakeprop {
namespace {

using programs::Trace;
using torch::Device;

void ExpectSameOnFakes(const programs::PipelineProgram& program) {
  programs::ExpectSameOnFakes(program, {.unknown_floats_are_nan = true, .save_zeros = true});
}

TEST(Programs, ResNetWithMixedPrecision) {
  ExpectSameOnFakes([](Device device, Device, Trace& trace) { programs::TrainResNet(device, trace); });
}

TEST(Programs, TranslationWithPackedSequences) {
  ExpectSameOnFakes([](Device device, Device, Trace& trace) { programs::TrainSeq2Seq(device, trace); });
}

TEST(Programs, PipelineOverTwoCards) { ExpectSameOnFakes(programs::TrainPipeline); }

TEST(Programs, GanWithTwoOptimisers) {
  ExpectSameOnFakes([](Device device, Device, Trace& trace) { programs::TrainGan(device, trace); });
}

TEST(Programs, TransformerOfNumbers) {
  ExpectSameOnFakes([](Device device, Device, Trace& trace) {
    const auto longs = torch::device(device).dtype(torch::kLong);
    programs::TrainTransformer(torch::randint(1, 60, {3, 7}, longs), torch::randint(60, {3, 7}, longs), trace);
  });
}

// Nothing is made a number on the way.
TEST(Programs, TransformerOfSymbols) {
  const torch::Tensor tokens = torch::randint(1, 60, {3, 7}, torch::kLong),
                      targets = torch::randint(60, {3, 7}, torch::kLong);
  Trace real;
  programs::TrainTransformer(tokens, targets, real);
  const auto env = std::make_shared<ShapeEnv>();
  const FakeTensorMode mode({.shape_env = env, .save_zeros = true});
  const torch::Tensor fake_tokens = mode.FromRealTensor(tokens), fake_targets = mode.FromRealTensor(targets);
  const FakeModeGuard on(mode);
  Trace symbolic([&](const c10::SymInt& size) {
    if (const auto number = size.maybe_as_int()) return *number;
    return Dim::Of(fake::ExpressionOf(*size.toSymNode(), *env)).Hint().value_or(-1);
  });
  ASSERT_NO_THROW(programs::TrainTransformer(fake_tokens, fake_targets, symbolic));
  EXPECT_EQ(symbolic.lines(), real.lines());
  for (const GuardRecord& guard : env->guards()) {
    EXPECT_FALSE(ToString(guard.expression).starts_with("Eq(s0,") || ToString(guard.expression).starts_with("Eq(s1,"))
        << ToString(guard.expression) << " for " << guard.place.node;
  }
}

}  // namespace
}  // namespace fakeprop
