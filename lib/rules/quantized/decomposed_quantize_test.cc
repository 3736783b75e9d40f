#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kDecomposedQuantize[] = {
    {"quantized_decomposed::quantize_per_tensor(f32[2,3], 0.5, 3, -128, 127, int8)", "i8[2,3]"},
    {"quantized_decomposed::quantize_per_tensor(f32[2,3,4]{1,2,6}, 0.5, 3, 0, 255, uint8)", "u8[2,3,4]{1,2,6}"},
    {"quantized_decomposed::quantize_per_tensor(f16[2,3]{6,2}, 0.5, 3, -128, 127, int8)", "i8[2,3]"},
    {"quantized_decomposed::quantize_per_tensor(f64[2,3], 0.5, 3, -128, 127, int8)", "!DtypeMismatch"},
    {"quantized_decomposed::quantize_per_tensor(f32[2,3], 0.5, 3, -129, 127, int8)", "!ValueError"},      // as eager
    {"quantized_decomposed::quantize_per_tensor(f32[2,3], 0.5, 3, -128, 127, int64)", "!DtypeMismatch"},  // as eager
    {"quantized_decomposed::quantize_per_tensor.tensor(f32[2,3], f32[], i64[], -128, 127, int8)", "i8[2,3]"},
    {"quantized_decomposed::quantize_per_tensor.tensor(f32[2,3]{1,2}, f64[1], i64[1], -128, 127, int8)",
        "i8[2,3]{1,2}"},
    {"quantized_decomposed::quantize_per_tensor.tensor(f32[2,3], f32[2], i64[1], -128, 127, int8)", "!ShapeMismatch"},
    {"quantized_decomposed::quantize_per_tensor.tensor(f32[2,3], f32[1], i64[2], -128, 127, int8)", "!ShapeMismatch"},
    {"quantized_decomposed::quantize_per_tensor.tensor2(f32[2,3], f32[1], i64[1], i64[], i64[], int8)", "i8[2,3]"},
    {"quantized_decomposed::quantize_per_tensor.tensor2(f32[4]{2}, f32[1], i64[1], i64[], i64[], int16)", "i16[4]"},
    {"quantized_decomposed::quantize_per_tensor.tensor2(i64[4], f32[1], i64[1], i64[], i64[], int16)",
        "!DtypeMismatch"},
    {"quantized_decomposed::quantize_per_channel(f32[2,3], f32[2], i64[2], 0, -128, 127, int8)", "i8[2,3]"},
    {"quantized_decomposed::quantize_per_channel(bf16[2,3,4]{12,1,3}, f32[3], i64[3], 1, -128, 127, int8)",
        "i8[2,3,4]{12,1,3}"},
    {"quantized_decomposed::quantize_per_channel(f32[2,3,4,5]{60,1,15,3}, f32[3], i64[3], 1, -128, 127, int8)",
        "i8[2,3,4,5]{60,1,15,3}"},
    {"quantized_decomposed::quantize_per_channel(f32[2,3], f32[3], i64[3], -1, -128, 127, int8)", "i8[2,3]"},
    {"quantized_decomposed::quantize_per_channel(f32[2,3], f32[4], i64[4], 0, -128, 127, int8)",
        "!ShapeMismatch"},  // as eager
    {"quantized_decomposed::quantize_per_channel(f32[2,3], f32[2], i64[2], 2, -128, 127, int8)", "!IndexOutOfRange"},
    {"quantized_decomposed::quantize_per_channel(f32[2,3], f32[2], i64[2], 0, -128, 300, int8)", "!ValueError"},
    {"quantized_decomposed::quantize_per_channel(f32[2,3], f32[2], i64[3], 0, -128, 127, int8)",
        "!ShapeMismatch"},  // as eager
    {"quantized_decomposed::quantize_per_token(f32[2,3,4], f32[2,3,1], i64[2,3,1], -128, 127, int8)", "i8[2,3,4]"},
    {"quantized_decomposed::quantize_per_token(f16[3,4]{1,3}, f32[3,1], i64[3,1], -128, 127, int8)", "i8[3,4]{1,3}"},
    {"quantized_decomposed::quantize_per_token(f32[3,4], f32[4,1], i64[3,1], -128, 127, int8)",
        "!ShapeMismatch"},  // as eager
    {"quantized_decomposed::quantize_per_channel_group(f32[4,8], f32[4,2], i64[4,2], -8, 7, int8, 4)", "i8[4,8]"},
    {"quantized_decomposed::quantize_per_channel_group(f32[4,8]{1,4}, f32[4,1], i64[4,1], -8, 7, int8, 128)",
        "i8[4,8]{1,4}"},
    {"quantized_decomposed::quantize_per_channel_group(f32[4,8], f32[4,2], i64[4,2], -8, 7, int8, 3)",
        "!ShapeMismatch"},
    {"quantized_decomposed::quantize_per_channel_group(f32[2,4,8], f32[4,2], i64[4,2], -8, 7, int8, 4)",
        "!ShapeMismatch"},
    {"quantized_decomposed::quantize_per_channel_group(f32[4,8], f32[4,2], i64[4,2], -8, 7, int8, 1)", "!ValueError"},
    {"quantized_decomposed::dequantize_per_tensor(i8[2,3], 0.5, 3, -128, 127, int8)", "f32[2,3]"},
    {"quantized_decomposed::dequantize_per_tensor(u8[2,3,4]{1,2,6}, 0.5, 3, 0, 255, uint8, out_dtype=bfloat16)",
        "bf16[2,3,4]{1,2,6}"},
    {"quantized_decomposed::dequantize_per_tensor(f32[2,3], 0.5, 3, -128, 127, int8)", "!DtypeMismatch"},  // as eager
    {"quantized_decomposed::dequantize_per_tensor.tensor(i8[2,3], f32[], i64[], -128, 127, int8)", "f32[2,3]"},
    {"quantized_decomposed::dequantize_per_tensor.tensor(i8[2,3,4]{1,2,6}, f64[1], i64[1], -128, 127, int8, "
     "out_dtype=float16)",
        "f16[2,3,4]{1,2,6}"},
    {"quantized_decomposed::dequantize_per_tensor.tensor(i8[2,3], f32[2], i64[], -128, 127, int8)", "!ShapeMismatch"},
    {"quantized_decomposed::dequantize_per_tensor.tensor(u8[2,3], f32[], i64[], -128, 127, int8)", "!DtypeMismatch"},
    {"quantized_decomposed::dequantize_per_tensor.tensor2(i8[4]{3}, f32[], i64[], i64[], i64[], int8)", "f32[4]"},
    {"quantized_decomposed::dequantize_per_tensor.tensor2(i8[4,2], f32[], i64[], i64[], i64[], int8)", "f32[4,2]"},
    {"quantized_decomposed::dequantize_per_tensor.tensor2(i8[4,2], f32[], i64[2], i64[], i64[], int8)",
        "!ShapeMismatch"},
    {"quantized_decomposed::dequantize_per_channel(i8[2,3], f32[2], i64[2], 0, -128, 127, int8)", "f32[2,3]"},
    {"quantized_decomposed::dequantize_per_channel(i8[2,3,4]{12,1,3}, f32[3], None, 1, -128, 127, int8, "
     "out_dtype=bfloat16)",
        "bf16[2,3,4]{12,1,3}"},
    {"quantized_decomposed::dequantize_per_channel(u8[2,3], f32[2], i64[2], 0, -128, 127, int8)", "!DtypeMismatch"},
    {"quantized_decomposed::dequantize_per_channel(i8[2,3], f32[3], i64[3], 0, -128, 127, int8)",
        "!ShapeMismatch"},  // as eager
    {"quantized_decomposed::dequantize_per_channel(i8[2,3], f32[2], i64[2], 2, -128, 127, int8)", "!IndexOutOfRange"},
    {"quantized_decomposed::dequantize_per_token(i8[2,3,4], f32[2,3,1], i64[2,3,1], -128, 127, int8, float32)",
        "f32[2,3,4]"},
    {"quantized_decomposed::dequantize_per_token(i8[3,4]{1,3}, f32[3,1], i64[3,1], -128, 127, int8, float16)",
        "f16[3,4]{1,3}"},
    {"quantized_decomposed::dequantize_per_token(i8[3,4], f32[3,1], i64[4,1], -128, 127, int8, float32)",
        "!ShapeMismatch"},  // as eager
    {"quantized_decomposed::dequantize_per_channel_group(i8[4,8], f32[4,2], i64[4,2], -8, 7, int8, 4, float32)",
        "f32[4,8]"},
    {"quantized_decomposed::dequantize_per_channel_group(i8[4,8]{1,4}, f32[4,2], None, -8, 7, int8, 4, bfloat16)",
        "bf16[4,8]"},
    {"quantized_decomposed::dequantize_per_channel_group(i8[4,8], f32[4,2], None, -8, 7, int8, 5, float32)",
        "!ShapeMismatch"},
    {"quantized_decomposed::choose_qparams.tensor(f32[2,3], -128, 127, 0.1, int8)", "f64[1], i64[1]"},
    {"quantized_decomposed::choose_qparams.tensor(f16[2,3,4]{1,2,6}, -128, 127, 0.1, int8)", "f64[1], i64[1]"},
    {"quantized_decomposed::choose_qparams.tensor(f64[2,3], -128, 127, 0.1, int8)", "!DtypeMismatch"},
    {"quantized_decomposed::choose_qparams.tensor(f32[2,3], 127, -128, 0.1, int8)", "!ValueError"},
    {"quantized_decomposed::choose_qparams_symmetric.tensor(f32[2,3], -128, 127, 0.1, int8)", "f64[1], i64[1]"},
    {"quantized_decomposed::choose_qparams_symmetric.tensor(f32[3]{2}, -128, 127, 0.1, int8)", "f64[1], i64[1]"},
    {"quantized_decomposed::choose_qparams_symmetric.tensor(f32[3], 127, 127, 0.1, int8)", "!ValueError"},  // as eager
    {"quantized_decomposed::choose_qparams_per_token(f32[2,3,4], int8)", "f32[2,3,1], f32[2,3,1]"},
    {"quantized_decomposed::choose_qparams_per_token(f32[3,4]{1,3}, int8)", "f32[3,1], f32[3,1]"},
    {"quantized_decomposed::choose_qparams_per_token(bf16[3,4], int8)", "bf16[3,1], bf16[3,1]"},
    {"quantized_decomposed::choose_qparams_per_token(f16[3,4], int8)", "f32[3,1], f32[3,1]"},
    {"quantized_decomposed::choose_qparams.tensor(f32[0,8], -128, 127, 1e-05, int8)", "!ShapeMismatch"},
    {"quantized_decomposed::dequantize_per_tensor(u8[2,3], 0.5, 3, -128, 127, uint8)", "f32[2,3]"},
    {"quantized_decomposed::quantize_per_channel_group(f32[4,8]{1,4}, f32[4,2], i64[4,2], -8, 7, int8, 4)", "i8[4,8]"},
    {"quantized_decomposed::choose_qparams_per_token(f32[3,4], uint8)", "!DtypeMismatch"},  // as eager
    {"quantized_decomposed::choose_qparams_per_token_asymmetric(f32[2,3,4], int8)", "f64[2,3,1], i64[2,3,1]"},
    {"quantized_decomposed::choose_qparams_per_token_asymmetric(f32[3,4]{1,3}, int8)", "f64[3,1], i64[3,1]"},
    {"quantized_decomposed::_choose_qparams_per_token_asymmetric_impl(f32[2,3,4], int8)", "f64[2,3,1], i64[2,3,1]"},
    {"quantized_decomposed::_choose_qparams_per_token_asymmetric_impl(f32[2,3,4]{1,2,6}, int8)",
        "f64[2,3,1], i64[2,3,1]"},
    {"quantized_decomposed::_choose_qparams_per_token_asymmetric_impl(f32[], int8)", "f64[], i64[]"},
    {"quantized_decomposed::fake_quant_per_channel(f32[2,3], f32[2], i64[2], 0, -128, 127)", "f32[2,3]"},
    {"quantized_decomposed::fake_quant_per_channel(f32[2,3,4]{1,2,6}, f64[3], i32[3], 1, -128, 127)",
        "f32[2,3,4]{1,2,6}"},
    {"quantized_decomposed::fake_quant_per_channel(f64[2,3], f32[2], i64[2], 0, -128, 127)", "!DtypeMismatch"},
    {"quantized_decomposed::fake_quant_per_channel(f32[2,3], f32[2], i64[2], 2, -128, 127)", "!IndexOutOfRange"},
    {"quantized_decomposed::convert_element_type.no_fuse(f32[2,3]{1,2}, bfloat16)", "bf16[2,3]{1,2}"},
    {"quantized_decomposed::convert_element_type.no_fuse(f32[4]{2}, int8)", "i8[4]"},
    {"quantized_decomposed::convert_element_type.no_fuse(f32[4], None)", "!TypeError"},
    {"quantized_decomposed::quantize_per_tensor(f32[2,3], 0.5, 3, -128, 127, None)", "!TypeError"},
    {"quantized_decomposed::quantize_per_tensor(f32[2,3]@cuda:0, 0.5, 3, -128, 127, int8)", "i8[2,3]@cuda:0"},
    {"quantized_decomposed::dequantize_per_channel(i8[2,3]@cuda:0, f32[2]@cuda:0, i64[2]@cuda:0, 0, -128, 127, int8)",
        "f32[2,3]@cuda:0"},
    {"quantized_decomposed::dequantize_per_channel(i8[2,3]@cuda:0, f32[2], i64[2], 0, -128, 127, int8)",
        "!DeviceMismatch"},
    {"quantized_decomposed::dequantize_per_channel_group(i8[4,8]{1,4}, f32[4,1], None, -8, 7, int8, 128, float32)",
        "f32[4,8]{1,4}"},
    {"quantized_decomposed::choose_qparams_per_token_asymmetric(f32[3,0], int8)", "!ShapeMismatch"},        // as eager
    {"quantized_decomposed::_choose_qparams_per_token_asymmetric_impl(f32[3,0], int8)", "!ShapeMismatch"},  // as eager
};

TEST(DecomposedQuantize, AsPyTorch) { CheckCalls(kDecomposedQuantize); }

}  // namespace
}  // namespace fakeprop::testing
