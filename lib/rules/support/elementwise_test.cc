#include "lib/rules/support/elementwise.h"

#include <gtest/gtest.h>

#include "lib/rules/rule_table.h"
#include "lib/rules/testing/call_text.h"

namespace fakeprop::rules {
namespace {

// All strides of the first result, also those in dimensions of size 1, which texts of calls leave out.
Dims StridesOf(const std::string& text) {
  Dims strides;
  testing::RunCallWith(text, {}, true, [&](Call& call) {
    RunRule(*FindRule(call.schema()), call);
    strides = call.effects().outputs.at(0).meta.strides;
  });
  return strides;
}

// Recorded from eager torch 2.13. An image of one channel is contiguous and channels_last.
TEST(Elementwise, OneChannelStaysChannelsLastBesideNumbers) {
  const Dims last = {16, 1, 4, 1}, rows = {16, 16, 4, 1};
  EXPECT_EQ(ToString(StridesOf("div.Tensor(f32[2,1,4,4]{16,1,4,1}, 2.0)")), ToString(last));
  EXPECT_EQ(ToString(StridesOf("add.Scalar(f32[2,1,4,4]{16,1,4,1}, 2)")), ToString(last));
  EXPECT_EQ(ToString(StridesOf("add.Tensor(f32[2,1,4,4]{16,1,4,1}, f32[])")), ToString(last));
  EXPECT_EQ(ToString(StridesOf("add.Tensor(f32[2,1,4,4]{16,1,4,1}, f32[4])")), ToString(last));
  EXPECT_EQ(ToString(StridesOf("mul.Tensor(f32[2,1,4,4]{16,1,4,1}, f32[2,1,4,4]{16,1,4,1})")), ToString(rows));
  EXPECT_EQ(ToString(StridesOf("relu(f32[2,1,4,4]{16,1,4,1})")), ToString(rows));
  EXPECT_EQ(ToString(StridesOf("mul.Tensor(f32[2,1,4,4], 2.0)")), ToString(rows));
}

// Recorded from FakeTensorMode of torch 2.13; eager keeps the batch's stride.
TEST(Elementwise, ChannelsLastIsPackedBesideNumbers) {
  EXPECT_EQ(ToString(StridesOf("div.Tensor(f32[1,8,4,4]{8,1,32,8}, 1)")), ToString(Dims{128, 1, 32, 8}));
}

}  // namespace
}  // namespace fakeprop::rules
