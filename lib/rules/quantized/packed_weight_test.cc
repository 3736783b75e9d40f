#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kPacking[] = {
    {"_convert_weight_to_int4pack(u8[64,64], 2)", "i32[8,4,32,1]"},
    {"_convert_weight_to_int4pack(i32[64,64], 2)", "!DtypeMismatch"},
    {"_convert_weight_to_int4pack_for_cpu(i32[64,32]{1,64}, 2)", "u8[64,16]"},
    {"_convert_weight_to_int4pack_for_cpu(i32[63,32], 2)", "!ShapeMismatch"},
    {"_convert_weight_to_int4pack_for_cpu(i32[64,32,2], 2)", "!ShapeMismatch"},
    {"_dyn_quant_pack_4bit_weight(u8[64,32], f32[64,1], f32[64], 64, 64, 64)", "f32[2176]"},
    {"_dyn_quant_pack_4bit_weight(u8[64,32]{1,64}, f32[64,2], None, 32, 64, 64)", "f32[2176]"},
    {"_dyn_quant_pack_4bit_weight(i8[64,32], f32[64,2], None, 32, 64, 64)", "!DtypeMismatch"},
    {"_saturate_weight_to_fp16(f32[3,2]{4,2})", "arg(0); writes 0"},
    {"_saturate_weight_to_fp16(f32[3,2,2])", "arg(0); writes 0"},
    {"_saturate_weight_to_fp16(f32[3])", "!ShapeMismatch"},
    {"_saturate_weight_to_fp16(f64[3,2])", "!DtypeMismatch"},
};

constexpr CallCase kProducts[] = {
    {"_weight_int4pack_mm(f32[5,64]{1,5}, i32[8,2,32,1], 32, f32[2,64,2])", "f32[5,64]"},
    {"_weight_int4pack_mm(f32[5,64], i32[8,2], 32, f32[2,64,2])", "!ShapeMismatch"},
    {"_weight_int4pack_mm_for_cpu(bf16[5,64], u8[64,32], 32, bf16[2,64,2])", "bf16[5,64]"},
    {"_weight_int4pack_mm_for_cpu(f32[5,64], u8[64,32], 7, f32[2,64,2])", "!ValueError"},
    {"_weight_int4pack_mm_for_cpu(f32[5,32], u8[64,32], 32, f32[2,64,2])", "!ShapeMismatch"},
    {"_weight_int4pack_mm_with_scales_and_zeros(f16[5,64], i32[8,2], 32, f16[2,8], i8[2,8])", "f16[5,8]"},
    {"_weight_int8pack_mm(f32[5,64], i8[32,64], f32[32])", "f32[5,32]"},
    {"_weight_int8pack_mm(f32[5,63], i8[32,64], f32[32])", "!ShapeMismatch"},
    {"_weight_int8pack_mm(f64[5,64], i8[32,64], f32[32])", "!DtypeMismatch"},
    {"_dyn_quant_matmul_4bit(bf16[5,64], f32[2112], 64, 64, 32)", "bf16[5,32]"},
    {"_dyn_quant_matmul_4bit(bf16[5,64], f32[2112], 32, 64, 32)", "!DtypeMismatch"},
};

TEST(PackedWeight, Packing) { CheckCalls(kPacking); }
TEST(PackedWeight, Products) { CheckCalls(kProducts); }

}  // namespace
}  // namespace fakeprop::testing
