#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kAttention[] = {
    {"scaled_dot_product_attention(f32[2,4,8,16], f32[2,4,6,16], f32[2,4,6,16])", "f32[2,4,8,16]"},
    {"scaled_dot_product_attention(f32[2,4,8,16]{512,16,64,1}, f32[2,4,6,16], f32[2,4,6,16])", "f32[2,4,8,16]{512,16,64,1}"},
    {"scaled_dot_product_attention(f32[2,4,8,16]{512,16,64,1}, f32[2,4,6,16], f32[2,4,6,12])", "f32[2,4,8,12]"},
    {"scaled_dot_product_attention(f32[2,4,8,16]{512,16,64,1}, f32[2,4,6,16], f32[2,4,6,16], b8[8,6])", "f32[2,4,8,16]{512,16,64,1}"},
    {"scaled_dot_product_attention(f32[2,4,8,16]{512,16,64,1}, f32[2,4,6,16], f32[2,4,6,16], f32[1,1,8,6], 0.0, False)", "f32[2,4,8,16]{512,16,64,1}"},
    {"scaled_dot_product_attention(f32[2,4,8,16]{512,16,64,1}, f32[2,4,6,16], f32[2,4,6,16], f32[4,8,6])", "f32[2,4,8,16]"},
    {"scaled_dot_product_attention(f32[2,4,8,16]{512,16,64,1}, f32[2,4,6,16], f32[2,4,6,16], None, 0.5)", "f32[2,4,8,16]"},
    {"scaled_dot_product_attention(f32[2,4,8,16]{512,16,64,1}, f32[2,2,6,16], f32[2,2,6,16], None, 0.0, False, enable_gqa=True)", "f32[2,4,8,16]{512,16,64,1}"},
    {"scaled_dot_product_attention(f32[4,8,16], f32[4,6,16], f32[4,6,16])", "f32[4,8,16]"},
    {"scaled_dot_product_attention(f32[8,16], f32[6,16], f32[6,16])", "f32[8,16]"},
    {"scaled_dot_product_attention(f32[2,4,0,16], f32[2,4,6,16], f32[2,4,6,16])", "f32[2,4,0,16]"},
    {"scaled_dot_product_attention(f32[2,4,8,16], f32[2,4,6,16], f16[2,4,6,16])", "!DtypeMismatch"},
    {"scaled_dot_product_attention(f32[2,4,8,16], f32[2,4,6,12], f32[2,4,6,16])", "!ShapeMismatch"},
    {"scaled_dot_product_attention(f32[2,4,8,16], f32[2,4,6,16], f32[2,4,6,16], b8[8,6], 0.0, True)", "f32[2,4,8,16]"},
    {"scaled_dot_product_attention(f32[2,4,8,16], f32[2,4,6,16], f32[2,4,6,16], i64[8,6])", "!DtypeMismatch"},
    {"scaled_dot_product_attention(f32[2,4,8,16]@cuda:0, f32[2,4,6,16]@cuda:0, f32[2,4,6,16]@cuda:0)", "f32[2,4,8,16]@cuda:0"},
    {"_fused_sdp_choice(f32[2,4,8,16], f32[2,4,6,16], f32[2,4,6,16])", "1"},  // as eager: the fake one asks meta
    {"_scaled_dot_product_attention_math(f32[2,4,8,16], f32[2,4,6,16], f32[2,4,6,12])", "f32[2,4,8,12], f32[2,4,8,6]"},
    {"_scaled_dot_product_attention_math(f32[4,8,16], f32[4,6,16], f32[4,6,12], b8[8,6])", "f32[4,8,12], f32[4,8,6]"},
    {"_scaled_dot_product_flash_attention_for_cpu(f16[2,4,8,16]{512,16,64,1}, f16[2,4,6,16], f16[2,4,6,16])", "f16[2,4,8,16]{512,16,64,1}, f32[2,4,8]{32,1,4}"},
    {"_scaled_dot_product_flash_attention_for_cpu(f32[4,8,16], f32[4,6,16], f32[4,6,16])", "!ShapeMismatch"},
    {"_scaled_dot_product_flash_attention_for_cpu_backward(f32[2,4,8,16], f32[2,4,8,16], f32[2,4,6,16], f32[2,4,6,16], f32[2,4,8,16], f32[2,4,8], 0.0, False)", "f32[2,4,8,16]{512,16,64,1}, f32[2,4,6,16]{384,16,64,1}, f32[2,4,6,16]{384,16,64,1}"},
    {"_scaled_dot_product_flash_attention(f16[2,4,8,16]@cuda:0, f16[2,4,6,16]@cuda:0, f16[2,4,6,16]@cuda:0)", "f16[2,4,8,16]@cuda:0, f32[2,4,8]@cuda:0, None, None, 8, 6, u64[2]@cuda:0, u64[]@cuda:0, f16[0]@cuda:0"},
    {"_scaled_dot_product_flash_attention(f16[2,4,8,16]@cuda:0, f16[2,4,6,16]@cuda:0, f16[2,4,6,16]@cuda:0, 0.5, False, True)", "f16[2,4,8,16]@cuda:0, f32[2,4,8]@cuda:0, None, None, 8, 6, u64[2]@cuda:0, u64[]@cuda:0, f16[2,4,8,128]@cuda:0"},
    {"_scaled_dot_product_efficient_attention(f32[2,4,8,16]@cuda:0, f32[2,4,6,16]@cuda:0, f32[2,4,6,12]@cuda:0, None, True)", "f32[2,4,8,12]{384,12,48,1}@cuda:0, f32[2,4,32]@cuda:0, i64[]@cuda:0, i64[]@cuda:0"},
    {"_scaled_dot_product_cudnn_attention(f16[2,4,8,16]{512,16,64,1}@cuda:0, f16[2,4,6,16]@cuda:0, f16[2,4,6,12]@cuda:0, None, True)", "f16[2,4,8,12]{384,12,48,1}@cuda:0, f32[2,4,8,1]@cuda:0, None, None, 8, 6, i64[]@cuda:0, i64[]@cuda:0, None"},
    {"scaled_dot_product_attention(i64[4,3,8], i64[4,6,8], i64[4,6,8])", "!DtypeMismatch"},
};

TEST(Attention, AsPyTorch) { CheckCalls(kAttention); }

}  // namespace
}  // namespace fakeprop::testing
