#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kFakeQuantize[] = {
    {"fake_quantize_per_tensor_affine(f32[2,3]{1,2}, 0.1, 0, -128, 127)", "f32[2,3]{1,2}"},
    {"fake_quantize_per_tensor_affine(f32[4], 0.1, 0, 128, 127)", "!ValueError"},
    {"fake_quantize_per_tensor_affine(i64[4], 0.1, 0, -128, 127)", "!DtypeMismatch"},
    {"fake_quantize_per_tensor_affine.tensor_qparams(f32[2,3]{1,2}, f32[1], i32[1], -128, 127)", "f32[2,3]{1,2}"},
    {"fake_quantize_per_tensor_affine_cachemask(f32[2,3]{1,2}, 0.1, 0, -128, 127)", "f32[2,3]{1,2}, b8[2,3]{1,2}"},
    {"_fake_quantize_per_tensor_affine_cachemask_tensor_qparams(f32[2,3]{1,2}, f32[1], i32[1], i64[1], -128, 127)",
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
};

TEST(FakeQuantize, FakeQuantize) { CheckCalls(kFakeQuantize); }

}  // namespace
}  // namespace fakeprop::testing
