// Calls that versions of torch answer differently: each row of lib/rules/core/torch_changes.h.
#include <gtest/gtest.h>

#include "lib/rules/testing/call_text.h"

namespace fakeprop {
namespace {

struct Change {
  const char* call;
  int since;
  const char* before;
  const char* after;
};

constexpr Change kChanges[] = {
    {"conv2d(f32[2,6,5,7]@cuda:0, f32[8,6,3,3])", 14, "f32[2,8,3,5]@cuda:0", "!DeviceMismatch"},
    {"conv1d(f32[2,6,7], f32[8,6,3], f32[8]@cuda:0)", 14, "f32[2,8,5]", "!DeviceMismatch"},
    {"convolution_backward(f32[2,8,3,5]@cuda:0, f32[2,6,5,7]@cuda:0, f32[8,6,3,3], None, [1,1], [0,0], [1,1], False, "
     "[0,0], 1, [True,False,False])",
        14, "f32[2,6,5,7]@cuda:0, None, None", "!DeviceMismatch"},
    {"_sobol_engine_draw(i64[5], 3, i64[2,5,30], 2, 0, float32)", 14, "f32[3,2], i64[5]", "!ValueError"},
    {"lu_unpack(f64[3,5,4], i32[4])", 14, "f64[3,5,5], f64[3,5,4], f64[3,4,4]", "!ShapeMismatch"},
    {"grid_sampler_2d_backward(f32[2,3,4,5], f32[2,3,5,5], f32[2,5,5,2], 0, 0, True, [True,True])", 14,
        "f32[2,3,5,5], f32[2,5,5,2]", "!ShapeMismatch"},
    {"grid_sampler_3d_backward(f32[2,3,4,5,5], f32[2,3,5,5,5], f32[2,5,5,5,3], 0, 0, True, [True,True])", 14,
        "f32[2,3,5,5,5], f32[2,5,5,5,3]", "!ShapeMismatch"},
    {"grid_sampler(f32[2,3,4,4,4], f32[2,5,6,7,3], 2, 0, False)", 15, "!ValueError", "f32[2,3,5,6,7]"},
    {"grid_sampler_3d(f32[2,3,4,4,4], f32[2,5,6,7,3], 2, 0, False)", 15, "!ValueError", "f32[2,3,5,6,7]"},
    {"grid_sampler_3d_backward(f32[2,3,4,5,6], f32[2,3,5,5,5], f32[2,4,5,6,3], 2, 1, True, [True,True])", 15,
        "!ValueError", "f32[2,3,5,5,5], f32[2,4,5,6,3]"},
    {"arange.start_step(0, 5, 2.5, dtype=int64)", 14, "i64[3]", "i64[2]"},
    {"arange.start_step(0, 1, 0.3, dtype=int64)", 14, "!ValueError", "i64[4]"},
    {"scaled_dot_product_attention(f32[2,4,8,16], f32[2,4,6,16], f32[2,4,6,16], b8[8,6], 0.0, True)", 14,
        "f32[2,4,8,16]", "!ValueError"},
    {"scaled_dot_product_attention(f32[2,4,8,16]{512,16,64,1}, f32[2,1,6,16], f32[2,1,6,16])", 14, "f32[2,4,8,16]",
        "f32[2,4,8,16]{512,16,64,1}"},
    {"native_group_norm(f32[2,4,6,3]{72,6,1,24}, None, None, 2, 4, 18, 2, 1e-5)", 14, "!ShapeMismatch",
        "f32[2,4,6,3], f32[2,2], f32[2,2]"},
    {"native_group_norm(f32[2,4,0], None, None, 2, 4, 0, 2, 1e-5)", 14, "f32[2,4,0], f32[2,2], f32[2,2]",
        "!ValueError"},
    {"group_norm(f32[2,0,3], 2)", 14, "f32[2,0,3]", "!ValueError"},
    {"replication_pad2d(f32[2,3,4,7], [-2,-2,-2,-2])", 14, "f32[2,3,0,3]", "!ShapeMismatch"},
    {"replication_pad3d(f32[2,3,4,7,5], [-2,-2,-2,-2,-2,-2])", 14, "f32[2,3,0,3,1]", "!ShapeMismatch"},
    {"reflection_pad2d(f32[2,3,4,7], [0,0,-4,0])", 15, "f32[2,3,0,7]", "!ShapeMismatch"},
    {"reflection_pad3d(f32[2,3,4,7,5], [-2,-2,-2,-2,-2,-2])", 15, "f32[2,3,0,3,1]", "!ShapeMismatch"},
    {"maximum(u32[2], u32[2])", 15, "!DtypeMismatch", "u32[2]"},
    {"relu(u16[2])", 15, "!DtypeMismatch", "u16[2]"},
    {"flip(u16[2], [0])", 14, "!DtypeMismatch", "u16[2]"},
    {"rot90(u64[2,3])", 14, "!DtypeMismatch", "u64[3,2]{1,3}"},
    {"set_.source_Tensor_storage_offset(f32[2,3]{8,2}, f32[12], 1, [2,3])", 15, "arg(0); 0 := f32[2,3]{8,2}+1",
        "arg(0); 0 := f32[2,3]+1"},
    {"combinations(f32[5]@cuda:0)", 14, "!DynamicOutputShape", "f32[10,2]@cuda:0"},
};

TEST(TorchChanges, EachVersionHasItsAnswer) {
  for (const Change& change : kChanges)
    for (int torch = kOldestTorch; torch <= kNewestTorch; ++torch)
      EXPECT_EQ(testing::RunCall(change.call, {.torch = torch}), torch < change.since ? change.before : change.after)
          << change.call << " in torch 2." << torch;
}

}  // namespace
}  // namespace fakeprop
