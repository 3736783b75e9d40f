#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kFakeQuantize[] = {
    {"fake_quantize_per_tensor_affine(f32[2,3]{1,2}, 0.1, 0, -128, 127)", "f32[2,3]{1,2}"},
    {"fake_quantize_per_tensor_affine(f32[4], 0.1, 0, 128, 127)", "!ValueError"},
    {"fake_quantize_per_tensor_affine(i64[4], 0.1, 0, -128, 127)", "!DtypeMismatch"},
    {"fake_quantize_per_tensor_affine.tensor_qparams(f32[2,3]{1,2}, f32[1], i32[1], -128, 127)", "f32[2,3]{1,2}"},
    {"fake_quantize_per_tensor_affine_cachemask(f32[2,3]{1,2}, 0.1, 0, -128, 127)", "f32[2,3]{1,2}, b8[2,3]{1,2}"},
    {"_fake_quantize_per_tensor_affine_cachemask_tensor_qparams(f32[2,3]{1,2}, f32[1], i32[1], i64[1], -128, "
     "127)",
        "f32[2,3]{1,2}, b8[2,3]{1,2}"},
    {"fake_quantize_per_tensor_affine_cachemask_backward(f32[2,3]{1,2}, b8[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"fake_quantize_per_channel_affine(f32[2,3]{1,2}, f32[3], i32[3], 1, -128, 127)", "f32[2,3]{1,2}"},
    {"fake_quantize_per_channel_affine(f32[2,3], f32[2], i32[2], 1, -128, 127)", "!ShapeMismatch"},
    {"fake_quantize_per_channel_affine_cachemask(f32[2,3,4]{1,2,6}, f32[3], i32[3], 1, -128, 127)",
        "f32[2,3,4]{1,2,6}, b8[2,3,4]{1,2,6}"},
    {"fake_quantize_per_channel_affine_cachemask(f64[2,3], f64[3], i32[3], 1, -128, 127)", "!DtypeMismatch"},
    {"_fake_quantize_learnable_per_tensor_affine(f32[2,3]{1,2}, f32[1], f32[1], -128, 127)", "f32[2,3]{1,2}"},
    {"_fake_quantize_learnable_per_channel_affine(f32[2,3], f32[3], f32[3], 1, -128, 127)", "f32[2,3]"},
    {"_fake_quantize_learnable_per_tensor_affine_backward(f32[2,3], f32[2,3]{1,2}, f32[1], f32[1], -128, 127)",
        "f32[2,3]{1,2}, f32[1], f32[1]"},
    {"_fake_quantize_learnable_per_channel_affine_backward(f32[2,3], f32[2,3], f32[2], f32[2], 1, -128, 127)",
        "!ShapeMismatch"},
    {"_choose_qparams_per_tensor(f32[4])", "!DataDependentOutput"},
    {"fake_quantize_per_tensor_affine(f32[2,3]{1,2}, 1.0, 0, 0, 255)", "f32[2,3]{1,2}"},
    {"fake_quantize_per_tensor_affine(f16[2,3]{12,3}, 1.0, 0, 0, 255)", "f16[2,3]"},
    {"fake_quantize_per_tensor_affine(i64[3], 1.0, 0, 0, 255)", "!DtypeMismatch"},
    {"fake_quantize_per_tensor_affine(f32[3], 1.0, 0, 5, 2)", "!ValueError"},
    {"fake_quantize_per_tensor_affine(f32[3], 1.0, 300, 0, 255)", "!ValueError"},
    {"fake_quantize_per_tensor_affine.tensor_qparams(f32[2,3]{1,2}, f32[], i32[], 0, 255)", "f32[2,3]{1,2}"},
    {"fake_quantize_per_tensor_affine.tensor_qparams(f32[2,3], f32[2], i32[2], 0, 255)", "!ShapeMismatch"},
    {"fake_quantize_per_tensor_affine_cachemask(f64[2,3]{12,3}, 1.0, 0, 0, 255)", "f64[2,3], b8[2,3]"},
    {"_fake_quantize_per_tensor_affine_cachemask_tensor_qparams(f32[3], f32[1], f32[1], i64[1], 0, 255)",
        "f32[3], b8[3]"},
    {"fake_quantize_per_channel_affine(f32[2,3]{1,2}, f32[3], i32[3], 1, 0, 255)", "f32[2,3]{1,2}"},
    {"fake_quantize_per_channel_affine(f32[2,3], f32[2], i32[2], 1, 0, 255)", "!ShapeMismatch"},
    {"fake_quantize_per_channel_affine(f32[2,3], f32[3,1], i32[3], 1, 0, 255)", "!ShapeMismatch"},
    {"fake_quantize_per_channel_affine(f32[2,3], f32[3], i32[3], -1, 0, 255)", "!IndexOutOfRange"},
    {"fake_quantize_per_channel_affine(f32[2,3], f32[3], i64[3], 1, 0, 255)", "!DtypeMismatch"},
    {"fake_quantize_per_channel_affine_cachemask(f16[2,3], f32[2], f16[2], 0, 0, 255)", "f16[2,3], b8[2,3]"},
    {"fake_quantize_per_channel_affine_cachemask_backward(f32[2,3]{1,2}, b8[2,3])", "f32[2,3]{1,2}"},
    {"fake_quantize_per_tensor_affine_cachemask_backward(f64[4], b8[4])", "f64[4]"},
    {"fake_quantize_per_tensor_affine_cachemask_backward(f32[4], f32[4])", "!DtypeMismatch"},
    {"fake_quantize_per_tensor_affine_cachemask_backward(f32[4], b8[3])", "!ShapeMismatch"},
    {"fused_moving_avg_obs_fake_quant(i64[0], i64[1], i64[1], f32[1], f32[1], f32[1], i32[1], 0.01, 0, 255, 0)",
        "i64[0]"},
};

constexpr CallCase kLearnable[] = {
    {"_fake_quantize_learnable_per_tensor_affine(f32[2,3]{1,2}, f32[1], i32[1], 0, 255)", "f32[2,3]{1,2}"},
    {"_fake_quantize_learnable_per_tensor_affine(f32[2,3], f32[], f32[], 0, 255)", "!ShapeMismatch"},
    {"_fake_quantize_learnable_per_tensor_affine_backward(f32[2,3]{1,2}, f32[2,3], f32[2], f32[2], 0, 255)",
        "f32[2,3], f32[1], f32[1]"},
    {"_fake_quantize_learnable_per_tensor_affine_backward(f32[3], f32[3], f32[1], f32[1], 1, 255)", "!ValueError"},
    {"_fake_quantize_learnable_per_tensor_affine_backward(f64[3], f64[3], f32[1], f32[1], 0, 255)", "!DtypeMismatch"},
    {"_fake_quantize_learnable_per_channel_affine(f16[2,3]{12,3}, f32[3], f32[3], 1, 0, 255)", "f16[2,3]"},
    {"_fake_quantize_learnable_per_channel_affine(f32[2,3], f32[2], f32[2], 1, 0, 255)", "!ShapeMismatch"},
    {"_fake_quantize_learnable_per_channel_affine_backward(f32[2,3], f32[2,3]{1,2}, f32[3], f32[3], 1, 0, 255)",
        "f32[2,3]{1,2}, f32[3], f32[3]"},
    {"_fake_quantize_learnable_per_channel_affine_backward(f32[4,2,2], f32[4,2,2], f32[4], f32[4], 0, 0, 255)",
        "f32[4,2,2], f32[4], f32[4]"},
    {"_fake_quantize_learnable_per_channel_affine_backward(f32[2,3], f32[2,3], f32[3], f32[3], -1, 0, 255)",
        "!IndexOutOfRange"},
    {"_fake_quantize_learnable_per_channel_affine(bf16[2,3], bf16[3], bf16[3], 1, 0, 255)", "!DtypeMismatch"},
    {"_fake_quantize_learnable_per_tensor_affine_backward(f32[2,3], bf16[2,3], f32[1], f32[1], 0, 255)",
        "f32[2,3], f32[1], f32[1]"},
    {"_fake_quantize_learnable_per_tensor_affine_backward(bf16[2,3], f32[2,3], f32[1], f32[1], 0, 255)",
        "!DtypeMismatch"},
};

constexpr CallCase kObservers[] = {
    {"fused_moving_avg_obs_fake_quant(f32[2,3]{1,2}, i64[1], i64[1], f32[1], f32[1], f32[1], i32[1], 0.9, 0, "
     "255, 0)",
        "f32[2,3]{1,2}; writes 3; writes 4; writes 5; writes 6"},
    {"_fused_moving_avg_obs_fq_helper(f32[2,3]{12,3}, i64[1], i64[1], f32[2], f32[2], f32[2], i32[2], 0.9, 0, "
     "255, 0, True)",
        "f32[2,3], b8[2,3]; writes 3; writes 4; writes 5; writes 6"},
    {"_fused_moving_avg_obs_fq_helper(f32[3], i64[1], i64[1], f32[1], f32[1], f32[1], i32[1], 0.9, 0, 255, 1)",
        "!IndexOutOfRange"},
    {"_fused_moving_avg_obs_fq_helper_functional(f32[4], i64[1], i64[1], f32[1], f32[1], f32[1], i32[1], 0.9, "
     "0, 255, 0)",
        "f32[4], b8[4], f32[1], f32[1], f32[1], i32[1]"},
    {"_fused_moving_avg_obs_fq_helper_functional(f32[4], i64[0], i64[1], f32[1], f32[1], f32[1], i32[1], 0.9, "
     "0, 255, 0)",
        "!ShapeMismatch"},
    {"fused_moving_avg_obs_fake_quant(f32[4], i64[1], i64[2], f32[1], f32[1], f32[1], i32[1], 0.9, 0, 255, 0)",
        "!ShapeMismatch"},
};

TEST(FakeQuantize, FakeQuantize) { CheckCalls(kFakeQuantize); }
TEST(FakeQuantize, Learnable) { CheckCalls(kLearnable); }
TEST(FakeQuantize, Observers) { CheckCalls(kObservers); }

}  // namespace
}  // namespace fakeprop::testing
