#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kAttention[] = {
    {"scaled_dot_product_attention(f32[2,4,8,16], f32[2,4,6,16], f32[2,4,6,16])", "f32[2,4,8,16]"},
    {"_scaled_dot_product_attention_math(f16[2,4,5,8], bf16[2,4,6,8], f32[2,4,6,8])", "f16[2,4,5,8], f16[2,4,5,6]"},
    {"_scaled_dot_product_attention_math(f32[2,4,5,8], f32[2,4,6,8], f32[2,4,6,8], i64[5,6])",
        "f32[2,4,5,8], f32[2,4,5,6]"},
    {"_scaled_dot_product_attention_math(f32[2,4,5,8], f32[2,4,6,8], f64[2,4,6,8])", "!DtypeMismatch"},
    {"scaled_dot_product_attention(f32[2,4,8,16]{512,16,64,1}, f32[2,4,6,16], f32[2,4,6,16])",
        "f32[2,4,8,16]{512,16,64,1}"},
    {"scaled_dot_product_attention(f32[2,4,8,16]{512,16,64,1}, f32[2,4,6,16], f32[2,4,6,12])", "f32[2,4,8,12]"},
    {"scaled_dot_product_attention(f32[2,4,8,16]{512,16,64,1}, f32[2,4,6,16], f32[2,4,6,16], b8[8,6])",
        "f32[2,4,8,16]{512,16,64,1}"},
    {"scaled_dot_product_attention(f32[2,4,8,16]{512,16,64,1}, f32[2,4,6,16], f32[2,4,6,16], f32[1,1,8,6], 0.0, False)",
        "f32[2,4,8,16]{512,16,64,1}"},
    {"scaled_dot_product_attention(f32[2,4,8,16]{512,16,64,1}, f32[2,4,6,16], f32[2,4,6,16], f32[4,8,6])",
        "f32[2,4,8,16]"},
    {"scaled_dot_product_attention(f32[2,4,8,16]{512,16,64,1}, f32[2,4,6,16], f32[2,4,6,16], None, 0.5)",
        "f32[2,4,8,16]"},
    {"scaled_dot_product_attention(f32[2,4,8,16]{512,16,64,1}, f32[2,2,6,16], f32[2,2,6,16], None, 0.0, False, "
     "enable_gqa=True)",
        "f32[2,4,8,16]{512,16,64,1}"},
    {"scaled_dot_product_attention(f32[4,8,16], f32[4,6,16], f32[4,6,16])", "f32[4,8,16]"},
    {"scaled_dot_product_attention(f32[8,16], f32[6,16], f32[6,16])", "f32[8,16]"},
    {"scaled_dot_product_attention(f32[2,4,0,16], f32[2,4,6,16], f32[2,4,6,16])", "f32[2,4,0,16]"},
    {"scaled_dot_product_attention(f32[2,4,8,16], f32[2,4,6,16], f16[2,4,6,16])", "!DtypeMismatch"},
    {"scaled_dot_product_attention(f32[2,4,8,16], f32[2,4,6,12], f32[2,4,6,16])", "!ShapeMismatch"},
    {"scaled_dot_product_attention(f32[2,4,8,16], f32[2,4,6,16], f32[2,4,6,16], b8[8,6], 0.0, True)", "!ValueError"},
    {"scaled_dot_product_attention(f32[2,4,8,16], f32[2,4,6,16], f32[2,4,6,16], i64[8,6])", "!DtypeMismatch"},
    {"scaled_dot_product_attention(f32[2,4,8,16]@cuda:0, f32[2,4,6,16]@cuda:0, f32[2,4,6,16]@cuda:0)",
        "f32[2,4,8,16]{512,16,64,1}@cuda:0"},
    {"_fused_sdp_choice(f32[2,4,8,16], f32[2,4,6,16], f32[2,4,6,16])", "1"},  // as eager: the fake one asks meta
    {"_scaled_dot_product_attention_math(f32[2,4,8,16], f32[2,4,6,16], f32[2,4,6,12])", "f32[2,4,8,12], f32[2,4,8,6]"},
    {"_scaled_dot_product_attention_math(f32[4,8,16], f32[4,6,16], f32[4,6,12], b8[8,6])", "f32[4,8,12], f32[4,8,6]"},
    {"scaled_dot_product_attention(i64[4,3,8], i64[4,6,8], i64[4,6,8])", "!DtypeMismatch"},
    {"scaled_dot_product_attention(f32[2,4,5,8], f32[1,2,1,0], f32[1,1,1,0], enable_gqa=True)", "f32[2,4,5,0]"},
    {"scaled_dot_product_attention(f32[4,5,2], f32[3,0,3], f32[2,0,7])", "f32[4,5,7]"},
    {"scaled_dot_product_attention(i64[5,2], i64[2,3], i64[0,4])", "i64[5,4]"},
    {"scaled_dot_product_attention(f32[1,4,5,2], f32[1,0,1,2], f64[1,0,1,2])", "!DtypeMismatch"},
};

TEST(Attention, AsPyTorch) { CheckCalls(kAttention); }

}  // namespace
}  // namespace fakeprop::testing
