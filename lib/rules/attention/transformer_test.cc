#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kTransformer[] = {
    {"_native_multi_head_attention(f32[2,8,16], f32[2,8,16], f32[2,8,16], 16, 4, f32[48,16], f32[48], f32[16,16], "
     "f32[16])",
        "f32[2,8,16], f32[2,8,8]"},
    {"_native_multi_head_attention(f32[2,8,16]{128,1,8}, f32[2,8,16], f32[2,8,16], 16, 4, f32[48,16], f32[48], "
     "f32[16,16], f32[16], None, True, False)",
        "f32[2,8,16], f32[2,4,8,8]"},
    {"_native_multi_head_attention(f32[2,8,16]@cuda:0, f32[2,8,16]@cuda:0, f32[2,8,16]@cuda:0, 16, 4, "
     "f32[48,16]@cuda:0, f32[48]@cuda:0, f32[16,16]@cuda:0, f32[16]@cuda:0, None, False)",
        "f32[2,8,16]@cuda:0, f32[0]@cuda:0"},
    {"_native_multi_head_attention(f32[2,8,16], f32[2,6,16], f32[2,6,16], 16, 4, f32[48,16], f32[48], f32[16,16], "
     "f32[16])",
        "!ShapeMismatch"},  // as eager
    {"_native_multi_head_attention(f32[2,0,16], f32[2,0,16], f32[2,0,16], 16, 4, f32[48,16], f32[48], f32[16,16], "
     "f32[16])",
        "f32[2,0,16], f32[0]"},
    {"_native_multi_head_attention(f32[8,16], f32[8,16], f32[8,16], 16, 4, f32[48,16], f32[48], f32[16,16], f32[16])",
        "!ShapeMismatch"},  // as eager
    {"_native_multi_head_attention(f32[2,8,16], f32[2,8,16], f32[2,8,16], 16, 4, f32[48,16], f32[47], f32[16,16], "
     "f32[16])",
        "!ShapeMismatch"},  // as eager
    {"_native_multi_head_attention(f32[2,8,16], f32[2,8,16], f32[2,8,16], 16, 5, f32[48,16], f32[48], f32[16,16], "
     "f32[16])",
        "!ValueError"},  // as eager
    {"_native_multi_head_attention(f32[2,8,16], f32[2,8,16], f32[2,8,16], 16, 4, f32[48,12], f32[48], f32[16,16], "
     "f32[16])",
        "!ShapeMismatch"},  // as eager
    {"_native_multi_head_attention(f32[2,8,16], f32[2,8,16], f32[2,8,16], 16, 4, f32[48,16], f32[48], f32[12,16], "
     "f32[12])",
        "f32[2,8,12], f32[2,8,8]"},
    {"_native_multi_head_attention(f32[2,8,16], f32[2,8,16], f32[2,8,16], 16, 4, f32[48,16], f32[48], f32[16,16], "
     "f32[16], b8[2,8], True, True, 1)",
        "f32[2,8,16], f32[2,8,8]"},
    {"_native_multi_head_attention(f32[2,8,16], f32[2,8,16], f32[2,8,16], 16, 4, f32[48,16], f32[48], f32[16,16], "
     "f32[16], b8[8,8], True, True, 0)",
        "f32[2,8,16], f32[2,8,8]"},
    {"_native_multi_head_attention(f32[2,8,16], f32[2,8,16], f32[2,8,16], 16, 4, f32[48,16], f32[48], f32[16,16], "
     "f32[16], b8[8,8], True, True)",
        "!ValueError"},  // as eager
    {"_native_multi_head_attention(f32[2,8,16], f32[2,8,16], f32[2,8,16], 16, 4, f32[48,16], f32[48], f32[16,16], "
     "f32[16], f32[8,8], True, True, 0)",
        "f32[2,8,16], f32[2,8,8]"},
    {"_transform_bias_rescale_qkv(f32[2,8,48], f32[48], 4)", "f32[2,4,8,4], f32[2,4,8,4]+256, f32[2,4,8,4]+512"},
    {"_transform_bias_rescale_qkv(f32[2,8,46], f32[46], 5)", "!ValueError"},
    {"_transform_bias_rescale_qkv(f32[2,8,48]{384,1,8}, f32[48], 4)",
        "f32[2,4,8,4], f32[2,4,8,4]+256, f32[2,4,8,4]+512"},
    {"_transform_bias_rescale_qkv(f32[8,48], f32[48], 4)", "!ShapeMismatch"},
    {"_transform_bias_rescale_qkv(f32[2,8,47], f32[47], 4)", "!ValueError"},
    {"_transform_bias_rescale_qkv(f32[2,8,48], f32[46], 4)", "f32[2,4,8,4], f32[2,4,8,4]+256, f32[2,4,8,4]+512"},
    {"_transform_bias_rescale_qkv(f32[2,8,48], f32[48], 5)", "!ValueError"},
    {"_transformer_encoder_layer_fwd(f32[2,8,16], 16, 4, f32[48,16], f32[48], f32[16,16], f32[16], True, False, 0.1, "
     "f32[16], f32[16], f32[16], f32[16], f32[32,16], f32[32], f32[16,32], f32[16])",
        "f32[2,8,16]"},
    {"_transformer_encoder_layer_fwd(f32[2,8,16]{128,1,8}, 16, 4, f32[48,16], f32[48], f32[16,16], f32[16], True, "
     "False, 0.1, f32[16], f32[16], f32[16], f32[16], f32[32,16], f32[32], f32[16,32], f32[16])",
        "f32[2,8,16]"},  // as eager
    {"_transformer_encoder_layer_fwd(f32[2,8,16]@cuda:0, 16, 4, f32[48,16]@cuda:0, f32[48]@cuda:0, f32[16,16]@cuda:0, "
     "f32[16]@cuda:0, True, True, 0.1, f32[16]@cuda:0, f32[16]@cuda:0, f32[16]@cuda:0, f32[16]@cuda:0, "
     "f32[32,16]@cuda:0, f32[32]@cuda:0, f32[16,32]@cuda:0, f32[16]@cuda:0)",
        "f32[2,8,16]@cuda:0"},
    {"_transformer_encoder_layer_fwd(f32[2,8,16], 16, 4, f32[48,16], f32[48], f32[16,16], f32[16], True, False, 0.1, "
     "f32[16], f32[16], f32[16], f32[16], f32[32,15], f32[32], f32[16,32], f32[16])",
        "!ShapeMismatch"},  // as eager
    {"_transformer_encoder_layer_fwd(f32[8,16], 16, 4, f32[48,16], f32[48], f32[16,16], f32[16], True, False, 0.1, "
     "f32[16], f32[16], f32[16], f32[16], f32[32,16], f32[32], f32[16,32], f32[16])",
        "!ShapeMismatch"},  // as eager
    {"_transform_bias_rescale_qkv(f16[2,8,48], f16[48], 4)", "f16[2,4,8,4], f16[2,4,8,4]+256, f16[2,4,8,4]+512"},
    {"_transform_bias_rescale_qkv(f16[2,8,48], f32[48], 4)", "f16[2,4,8,4], f16[2,4,8,4]+256, f16[2,4,8,4]+512"},
    {"_transform_bias_rescale_qkv(f32[2,8,46], f32[46], 4)", "!ValueError"},
    {"_transform_bias_rescale_qkv(f32[2,8,48], f32[6,8], 4)", "f32[2,4,8,4], f32[2,4,8,4]+256, f32[2,4,8,4]+512"},
    {"_transform_bias_rescale_qkv(f64[3,2,24], f64[24], 2)", "f64[3,2,2,4], f64[3,2,2,4]+48, f64[3,2,2,4]+96"},
};

TEST(Transformer, AsPyTorch) { CheckCalls(kTransformer); }

}  // namespace
}  // namespace fakeprop::testing
