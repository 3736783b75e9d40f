// Calls on cuda that builds of torch with and without CUDA answer differently. FakeTensorMode of torch 2.13.0+cpu gave
// the first answers, a card the second; testdata/on_cuda has many more of a card's.
#include <gtest/gtest.h>

#include "lib/rules/testing/call_text.h"

namespace fakeprop {
namespace {

struct BuildRow {
  const char* call;
  const char* cpu;
  const char* cuda;
};

constexpr BuildRow kRows[] = {
    {"conv1d(f32[2,3,8]@cuda:0, f32[4,3,3]{9,1,3}@cuda:0)", "f32[2,4,6]@cuda:0", "f32[2,4,6]{24,1,4}@cuda:0"},
    {"conv2d(f32[2,4,8,8]{256,1,32,4}@cuda:0, f32[6,4,3,3]@cuda:0)", "f32[2,6,6,6]@cuda:0",
        "f32[2,6,6,6]{216,1,36,6}@cuda:0"},
    {"conv2d(f64[2,4,8,8]{256,1,32,4}@cuda:0, f64[6,4,3,3]@cuda:0)", "f64[2,6,6,6]@cuda:0", "f64[2,6,6,6]@cuda:0"},
    {"conv3d(f32[1,3,5,5,5]{375,1,75,15,3}@cuda:0, f32[4,3,2,2,2]@cuda:0)", "f32[1,4,4,4,4]@cuda:0",
        "f32[1,4,4,4,4]{256,1,64,16,4}@cuda:0"},
    {"batch_norm(f32[2,6,5]{30,1,6}@cuda:0, f32[6]@cuda:0, f32[6]@cuda:0, f32[6]@cuda:0, f32[6]@cuda:0, False, 0.1, "
     "1e-05, True)",
        "f32[2,6,5]{30,1,6}@cuda:0", "f32[2,6,5]@cuda:0"},
    {"cudnn_is_acceptable(f32[2,3]@cuda:0)", "False", "True"},
    {"scaled_dot_product_attention(f32[2,4,8,16]@cuda:0, f32[2,4,6,16]@cuda:0, f32[2,4,6,16]@cuda:0)",
        "f32[2,4,8,16]@cuda:0", "f32[2,4,8,16]{512,16,64,1}@cuda:0"},
    {"scaled_dot_product_attention(f16[2,4,8,12]@cuda:0, f16[2,4,6,12]@cuda:0, f16[2,4,6,12]@cuda:0)",
        "f16[2,4,8,12]@cuda:0", "f16[2,4,8,12]{512,128,16,1}@cuda:0"},
    {"scaled_dot_product_attention(f64[2,4,8,16]@cuda:0, f64[2,4,6,16]@cuda:0, f64[2,4,6,16]@cuda:0)",
        "f64[2,4,8,16]@cuda:0", "f64[2,4,8,16]@cuda:0"},
};

TEST(TorchBuilds, EachHasItsAnswer) {
  for (const BuildRow& row : kRows) {
    EXPECT_EQ(testing::RunCall(row.call, {.build = TorchBuild::kCpu}), row.cpu) << row.call;
    EXPECT_EQ(testing::RunCall(row.call, {.build = TorchBuild::kCuda}), row.cuda) << row.call;
  }
}

}  // namespace
}  // namespace fakeprop
