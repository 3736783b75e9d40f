#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kFusedAttention[] = {
    {"_scaled_dot_product_flash_attention_for_cpu(f16[2,4,8,16]{512,16,64,1}, f16[2,4,6,16], f16[2,4,6,16])",
        "f16[2,4,8,16]{512,16,64,1}, f32[2,4,8]{32,1,4}"},
    {"_scaled_dot_product_flash_attention_for_cpu(f32[4,8,16], f32[4,6,16], f32[4,6,16])", "!ShapeMismatch"},
    {"_scaled_dot_product_flash_attention_for_cpu_backward(f32[2,4,8,16], f32[2,4,8,16], f32[2,4,6,16], f32[2,4,6,16], "
     "f32[2,4,8,16], f32[2,4,8], 0.0, False)",
        "f32[2,4,8,16]{512,16,64,1}, f32[2,4,6,16]{384,16,64,1}, f32[2,4,6,16]{384,16,64,1}"},
    {"_scaled_dot_product_flash_attention(f16[2,4,8,16]@cuda:0, f16[2,4,6,16]@cuda:0, f16[2,4,6,16]@cuda:0)",
        "f16[2,4,8,16]@cuda:0, f32[2,4,8]@cuda:0, None, None, 8, 6, u64[2]@cuda:0, u64[]@cuda:0, f16[0]@cuda:0"},
    {"_scaled_dot_product_flash_attention(f16[2,4,8,16]@cuda:0, f16[2,4,6,16]@cuda:0, f16[2,4,6,16]@cuda:0, 0.5, "
     "False, True)",
        "f16[2,4,8,16]@cuda:0, f32[2,4,8]@cuda:0, None, None, 8, 6, u64[2]@cuda:0, u64[]@cuda:0, "
        "f16[2,4,8,128]@cuda:0"},
    {"_scaled_dot_product_efficient_attention(f32[2,4,8,16]@cuda:0, f32[2,4,6,16]@cuda:0, f32[2,4,6,12]@cuda:0, None, "
     "True)",
        "f32[2,4,8,12]{384,12,48,1}@cuda:0, f32[2,4,32]@cuda:0, i64[]@cuda:0, i64[]@cuda:0"},
    {"_scaled_dot_product_cudnn_attention(f16[2,4,8,16]{512,16,64,1}@cuda:0, f16[2,4,6,16]@cuda:0, "
     "f16[2,4,6,12]@cuda:0, None, True)",
        "f16[2,4,8,12]{384,12,48,1}@cuda:0, f32[2,4,8,1]@cuda:0, None, None, 8, 6, i64[]@cuda:0, i64[]@cuda:0, None"},
    {"_flash_attention_forward(f16[2,8,4,16]@cuda:0, f16[2,6,4,16]@cuda:0, f16[2,6,4,16]@cuda:0, None, None, 8, 6, "
     "0.0, False, False)",
        "f16[2,8,4,16]@cuda:0, f32[2,4,8]@cuda:0, u64[2]@cuda:0, u64[]@cuda:0, f16[0]@cuda:0"},
    {"_flash_attention_forward(f16[2,8,4,16]{512,16,128,1}@cuda:0, f16[2,6,4,16]@cuda:0, f16[2,6,4,16]@cuda:0, None, "
     "None, 8, 6, 0.0, False, True)",
        "f16[2,8,4,16]{512,16,128,1}@cuda:0, f32[2,4,8]@cuda:0, u64[2]@cuda:0, u64[]@cuda:0, f16[2,4,8,128]@cuda:0"},
    {"_flash_attention_forward(f16[20,4,128]@cuda:0, f16[30,4,128]@cuda:0, f16[30,4,128]@cuda:0, i32[4]@cuda:0, "
     "i32[4]@cuda:0, 9, 300, 0.0, True, True)",
        "f16[20,4,128]@cuda:0, f32[4,20]@cuda:0, u64[2]@cuda:0, u64[]@cuda:0, f16[3,4,9,1]@cuda:0"},
    {"_flash_attention_forward(bf16[20,4,16]@cuda:0, bf16[30,4,16]@cuda:0, bf16[30,4,16]@cuda:0, i32[4]@cuda:0, "
     "i32[4]@cuda:0, 9, 12, 0.0, True, False)",
        "bf16[20,4,16]@cuda:0, f32[4,20]@cuda:0, u64[2]@cuda:0, u64[]@cuda:0, bf16[0]@cuda:0"},
    {"_flash_attention_forward(f32[2,8,4,16], f32[2,6,4,16], f32[2,6,4,16], None, None, 8, 6, 0.0, False, False)",
        "f32[2,8,4,16], f32[2,4,8], u64[2], u64[], f32[0]"},
    {"_flash_attention_forward(f16[16]@cuda:0, f16[16]@cuda:0, f16[16]@cuda:0, None, None, 8, 6, 0.0, False, False)",
        "!ShapeMismatch"},
    {"_flash_attention_forward(f16[2,8,4,16]@cuda:0, f16[2,6,4,16]@cuda:0, f16[2,6,4,16], None, None, 8, 6, 0.0, "
     "False, False)",
        "!DeviceMismatch"},
    {"_flash_attention_forward.quantized(f8e4m3fn[2,8,4,16]@cuda:0, f8e4m3fn[2,6,4,16]@cuda:0, "
     "f8e4m3fn[2,6,4,16]@cuda:0, None, None, 8, 6, 0.0, False, False, None, None, None)",
        "bf16[2,8,4,16]@cuda:0, f32[2,4,8]@cuda:0, u64[2]@cuda:0, u64[]@cuda:0, bf16[0]@cuda:0"},
    {"_flash_attention_forward.quantized(f16[2,8,4,16]{512,16,128,1}@cuda:0, f16[2,6,4,16]@cuda:0, "
     "f16[2,6,4,16]@cuda:0, None, None, 8, 6, 0.0, False, False, f32[2,4]@cuda:0, f32[2,4]@cuda:0, f32[2,4]@cuda:0)",
        "f16[2,8,4,16]{512,16,128,1}@cuda:0, f32[2,4,8]@cuda:0, u64[2]@cuda:0, u64[]@cuda:0, f16[0]@cuda:0"},
    {"_flash_attention_forward_no_dropout_inplace(f16[2,8,4,16]@cuda:0, f16[2,8,4,16]@cuda:0, f16[2,6,4,16]@cuda:0, "
     "f16[2,6,4,16]@cuda:0, None, None, 8, 6, 0.0, False, False)",
        "f32[2,4,8]@cuda:0; writes 0"},
    {"_flash_attention_forward_no_dropout_inplace(f16[20,4,16]@cuda:0, f16[20,4,16]{1,20,80}@cuda:0, "
     "f16[30,4,16]@cuda:0, f16[30,4,16]@cuda:0, i32[4]@cuda:0, i32[4]@cuda:0, 9, 12, 0.0, False, False)",
        "f32[4,20]@cuda:0; writes 0"},
    {"_flash_attention_backward(f16[2,8,4,16]@cuda:0, f16[2,8,4,16]{512,16,128,1}@cuda:0, f16[2,6,4,16]@cuda:0, "
     "f16[2,6,4,16]@cuda:0, f16[2,8,4,16]@cuda:0, f32[2,4,8]@cuda:0, i32[3]@cuda:0, i32[3]@cuda:0, 8, 6, 0.0, False, "
     "u64[2]@cuda:0, u64[]@cuda:0)",
        "f16[2,8,4,16]{512,16,128,1}@cuda:0, f16[2,6,4,16]@cuda:0, f16[2,6,4,16]@cuda:0"},
    {"_flash_attention_backward(f16[20,4,16]@cuda:0, f16[20,4,16]@cuda:0, f16[30,4,16]@cuda:0, f16[30,4,16]@cuda:0, "
     "f16[20,4,16]@cuda:0, f32[4,20]@cuda:0, i32[3]@cuda:0, i32[3]@cuda:0, 8, 6, 0.0, False, u64[2], u64[])",
        "!DeviceMismatch"},
    {"_efficient_attention_forward(f32[2,8,4,16]@cuda:0, f32[2,6,4,16]@cuda:0, f32[2,6,4,12]@cuda:0, None, None, None, "
     "None, None, 0.0, 0)",
        "f32[2,8,4,12]@cuda:0, f32[2,4,0]@cuda:0, i64[]@cuda:0, i64[]@cuda:0, 8, 6"},
    {"_efficient_attention_forward(f32[2,8,4,16]{512,16,128,1}@cuda:0, f32[2,6,4,16]@cuda:0, f32[2,6,4,12]@cuda:0, "
     "f32[2,4,8,6]@cuda:0, None, None, None, None, 0.0, 0, True)",
        "f32[2,8,4,12]@cuda:0, f32[2,4,32]@cuda:0, i64[]@cuda:0, i64[]@cuda:0, 8, 6"},
    {"_efficient_attention_forward(f32[1,20,4,16]@cuda:0, f32[1,30,4,16]@cuda:0, f32[1,30,4,12]@cuda:0, None, "
     "i32[4]@cuda:0, i32[4]@cuda:0, 40, 50, 0.0, 0, True)",
        "f32[1,20,4,12]@cuda:0, f32[3,4,64]@cuda:0, i64[]@cuda:0, i64[]@cuda:0, 40, 50"},
    {"_efficient_attention_forward(f32[1,20,4,16]@cuda:0, f32[1,30,4,16]@cuda:0, f32[1,30,4,12]@cuda:0, None, "
     "i32[4]@cuda:0, i32[4]@cuda:0, None, 50, 0.0, 0, True)",
        "!ValueError"},
    {"_efficient_attention_forward(f32[1,20,4,16], f32[1,30,4,16], f32[1,30,4,12], None, None, None, None, 50, 0.0, 0, "
     "True)",
        "f32[1,20,4,12], f32[1,4,32], i64[], i64[], 20, 50"},
    {"_efficient_attention_forward(f32[20,4,16]@cuda:0, f32[30,4,16]@cuda:0, f32[30,4,12]@cuda:0, None, None, None, "
     "None, None, 0.0, 0)",
        "!ShapeMismatch"},  // the kernel takes 4 dimensions
    {"_efficient_attention_backward(f32[2,8,4,16]@cuda:0, f32[2,8,4,16]{512,16,128,1}@cuda:0, f32[2,6,4,16]@cuda:0, "
     "f32[2,6,4,16]@cuda:0, None, f32[2,8,4,16]@cuda:0, None, None, 8, 6, f32[2,4,32]@cuda:0, 0.0, i64[]@cuda:0, "
     "i64[]@cuda:0, 0, False)",
        "f32[2,8,4,16]{512,16,128,1}@cuda:0, f32[2,6,4,16]@cuda:0, f32[2,6,4,16]@cuda:0, f32[]@cuda:0"},
    {"_efficient_attention_backward(f32[2,8,4,16]@cuda:0, f32[2,8,4,16]@cuda:0, f32[2,6,4,16]@cuda:0, "
     "f32[2,6,4,16]@cuda:0, f32[2,4,8,6]@cuda:0, f32[2,8,4,16]@cuda:0, None, None, 8, 6, f32[2,4,32]@cuda:0, 0.0, "
     "i64[]@cuda:0, i64[]@cuda:0, 0, True)",
        "f32[2,8,4,16]@cuda:0, f32[2,6,4,16]@cuda:0, f32[2,6,4,16]@cuda:0, f32[2,4,8,6]{512,128,16,1}@cuda:0"},
    {"_efficient_attention_backward(f32[2,8,4,16]@cuda:0, f32[2,8,4,16]{512,16,128,1}@cuda:0, f32[2,8,4,16]@cuda:0, "
     "f32[2,8,4,16]@cuda:0, None, f32[2,8,4,16]@cuda:0, None, None, 8, 8, f32[2,4,32]@cuda:0, 0.0, i64[]@cuda:0, "
     "i64[]@cuda:0, 0, False, shared_storage_dqdkdv=True)",
        "f32[2,8,4,16]{1536,192,16,1}@cuda:0, f32[2,8,4,16]{1536,192,16,1}+64@cuda:0, "
        "f32[2,8,4,16]{1536,192,16,1}+128@cuda:0, f32[]@cuda:0"},
    {"_efficient_attention_backward(f32[2,8,4,16]@cuda:0, f32[2,8,4,16]@cuda:0, f32[2,6,4,16]@cuda:0, "
     "f32[2,6,4,16]@cuda:0, None, f32[2,8,4,16]@cuda:0, None, None, 8, 8, f32[2,4,32]@cuda:0, 0.0, i64[]@cuda:0, "
     "i64[]@cuda:0, 0, False, shared_storage_dqdkdv=True)",
        "!ShapeMismatch"},
    {"_scaled_dot_product_flash_attention.quantized(f8e4m3fn[2,4,8,16]@cuda:0, f8e4m3fn[2,4,6,16]@cuda:0, "
     "f8e4m3fn[2,4,6,16]@cuda:0, None, None, None)",
        "bf16[2,4,8,16]@cuda:0, f32[2,4,8]@cuda:0, None, None, 8, 6, u64[2]@cuda:0, u64[]@cuda:0, bf16[0]@cuda:0"},
    {"_scaled_dot_product_flash_attention.quantized(f8e4m3fn[2,4,8,16]{512,16,64,1}@cuda:0, f8e4m3fn[2,4,6,16]@cuda:0, "
     "f8e4m3fn[2,4,6,16]@cuda:0, f32[2,4]@cuda:0, f32[2,4]@cuda:0, f32[2,4]@cuda:0, 0.0, False, True)",
        "bf16[2,4,8,16]{512,16,64,1}@cuda:0, f32[2,4,8]@cuda:0, None, None, 8, 6, u64[2]@cuda:0, u64[]@cuda:0, "
        "bf16[2,4,8,128]@cuda:0"},
    {"_scaled_dot_product_flash_attention.quantized(f8e4m3fn[4,8,16]@cuda:0, f8e4m3fn[4,6,16]@cuda:0, "
     "f8e4m3fn[4,6,16]@cuda:0, None, None, None)",
        "!ShapeMismatch"},
    {"_scaled_dot_product_attention_math_for_mps(f32[2,4,8,16], f32[2,4,6,16], f32[2,4,6,12])",
        "f32[2,4,8,12], f32[2,4,8,6]"},
    {"_scaled_dot_product_attention_math_for_mps(f32[4,8,16]{16,64,1}, f32[4,6,16], f32[4,6,12])",
        "f32[4,8,12], f32[4,8,6]"},
    {"_scaled_dot_product_attention_math_for_mps(f32[3,2,4,8,16], f32[3,2,4,6,16], f32[3,2,4,6,12])",
        "f32[3,2,4,8,12], f32[3,2,4,8,6]"},
    {"_scaled_dot_product_attention_math_for_mps(f32[8,16], f32[6,16], f32[6,12])", "!ShapeMismatch"},
    {"_scaled_dot_product_attention_math_for_mps(f32[2,2,4,8,16]{1024,1,256,32,2}, f32[2,2,4,6,16], f32[2,2,4,6,12])",
        "!ViewError"},
    {"_flash_attention_forward.quantized(f8e4m3fn[16]@cuda:0, f8e4m3fn[16]@cuda:0, f8e4m3fn[16]@cuda:0, None, None, 8, "
     "6, 0.0, False, False, None, None, None)",
        "!ShapeMismatch"},
    {"_flash_attention_forward_no_dropout_inplace(f16[16]@cuda:0, f16[16]@cuda:0, f16[16]@cuda:0, f16[16]@cuda:0, "
     "None, None, 8, 6, 0.0, False, False)",
        "!ShapeMismatch"},
    {"_flash_attention_backward(f16[20,4,16]@cuda:0, f16[20,4,16]@cuda:0, f16[30,4,16]@cuda:0, f16[30,4,16]@cuda:0, "
     "f16[20,4,16]@cuda:0, f32[4,20]@cuda:0, i32[3]@cuda:0, i32[3]@cuda:0, 8, 6, 0.0, False, u64[2]@cuda:0, "
     "u64[]@cuda:0)",
        "f16[20,4,16]@cuda:0, f16[30,4,16]@cuda:0, f16[30,4,16]@cuda:0"},
};

TEST(FusedAttention, AsPyTorch) { CheckCalls(kFusedAttention); }

}  // namespace
}  // namespace fakeprop::testing
