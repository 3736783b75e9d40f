#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kGroupedMatmul[] = {
    {"_scaled_grouped_mm(f8e4m3fn[32,64]@cuda:0, f8e4m3fn[4,64,48]{3072,1,64}@cuda:0, f32[32]@cuda:0, "
     "f32[4,48]@cuda:0, i32[4]@cuda:0)",
        "bf16[32,48]@cuda:0"},
    {"_scaled_grouped_mm(f8e4m3fn[4,32,64]@cuda:0, f8e4m3fn[4,64,48]{3072,1,64}@cuda:0, f32[4,32]@cuda:0, "
     "f32[4,48]@cuda:0)",
        "bf16[4,32,48]@cuda:0"},
    {"_scaled_grouped_mm(f8e4m3fn[32,64]@cuda:0, f8e4m3fn[64,48]{1,64}@cuda:0, f32[128]@cuda:0, f32[192]@cuda:0, "
     "i32[4]@cuda:0)",
        "bf16[4,32,48]@cuda:0"},
    {"_scaled_grouped_mm(f8e4m3fn[4,32,64]@cuda:0, f8e4m3fn[64,48]{1,64}@cuda:0, f32[4,32]@cuda:0, f32[48]@cuda:0, "
     "i32[4]@cuda:0)",
        "bf16[32,48]@cuda:0"},
    {"_scaled_grouped_mm(f8e4m3fn[4,32,64]@cuda:0, f8e4m3fn[64,48]{1,64}@cuda:0, f32[4,32]@cuda:0, f32[48]@cuda:0)",
        "!ShapeMismatch"},
    {"_scaled_grouped_mm(f8e4m3fn[4,32,64]@cuda:0, f8e4m3fn[4,64,48]@cuda:0, f32[4,32]@cuda:0, f32[4,48]@cuda:0)",
        "!ShapeMismatch"},
    {"_scaled_grouped_mm(f8e4m3fn[4,32,64]@cuda:0, f8e4m3fn[4,64,48]{3072,1,64}@cuda:0, f32[4,31]@cuda:0, "
     "f32[4,48]@cuda:0)",
        "!ShapeMismatch"},
    {"_scaled_grouped_mm(f8e4m3fn[4,32,64]@cuda:0, f8e4m3fn[4,64,48]{3072,1,64}@cuda:0, f32[4,32]@cuda:0, "
     "f32[4,48]@cuda:0, None, None, None, float32)",
        "!DtypeMismatch"},
    {"_scaled_grouped_mm(f8e4m3fn[32,64], f8e4m3fn[4,64,48]{3072,1,64}, f32[32], f32[4,48], i32[4])", "bf16[32,48]"},
    {"_grouped_mm(bf16[32,64], bf16[4,64,48], i32[4])", "bf16[32,48]"},
    {"_grouped_mm(bf16[4,32,64], bf16[4,64,48])", "bf16[4,32,48]"},
    {"_grouped_mm(bf16[32,64], bf16[64,48], i32[4])", "bf16[4,32,48]"},
    {"_grouped_mm(bf16[4,32,64], bf16[64,48], i32[4])", "bf16[32,48]"},
    {"_grouped_mm(bf16[4,32,64], bf16[64,48]{1,64}, i32[4])", "bf16[32,48]"},
    {"_grouped_mm(bf16[32,64], bf16[4,64,48])", "!ShapeMismatch"},
    {"_grouped_mm(bf16[32,64], bf16[3,64,48], i32[4])", "!ShapeMismatch"},
    {"_grouped_mm(f32[4,32,64], f32[4,64,48])", "f32[4,32,48]"},  // as eager
    {"_grouped_mm(bf16[4,32,64], bf16[4,64,48], i32[4])", "!ValueError"},
    {"_grouped_mm(bf16[4,32,63], bf16[4,63,48])", "!ShapeMismatch"},
    {"_grouped_mm(bf16[4,32,64], bf16[4,72,48])", "!ShapeMismatch"},
    {"_grouped_mm(bf16[4,32,64], bf16[4,64,48], None, bf16[48])", "!ValueError"},
    {"_grouped_mm(bf16[4,32,64], bf16[4,64,48], None, None, float32)", "!DtypeMismatch"},
    {"_grouped_mm(bf16[32,64], bf16[4,64,48], i64[4])", "!DtypeMismatch"},
    {"_grouped_mm(bf16[64], bf16[4,64,48], i32[4])", "!ShapeMismatch"},
    {"_grouped_mm(bf16[32,64]{128,2}, bf16[4,64,48], i32[4])", "!ShapeMismatch"},
    {"_grouped_mm(bf16[32,64]@cuda:0, bf16[4,64,48]@cuda:0, i32[4]@cuda:0)", "bf16[32,48]@cuda:0"},
    {"_grouped_mm(bf16[4,32,64]@cuda:0, bf16[4,64,44]@cuda:0)", "!ShapeMismatch"},
    {"_cslt_sparse_mm(f16[32,64]@cuda:0, f16[64,48]@cuda:0)", "f16[32,48]@cuda:0"},
    {"_cslt_sparse_mm(i8[32,64]@cuda:0, i8[64,48]{1,64}@cuda:0, None, None, int32, True)", "i32[48,32]@cuda:0"},
    {"_cslt_sparse_mm(f16[32,64]@cuda:0, f16[64,48]@cuda:0, f16[32]@cuda:0)", "f16[32,48]@cuda:0"},
    {"_cslt_sparse_mm(f16[32,64]@cuda:0, f16[64,48]@cuda:0, f16[31]@cuda:0)", "!ShapeMismatch"},
    {"_cslt_sparse_mm(f16[32,64]@cuda:0, f16[64,48]@cuda:0, None, None, float32)", "!DtypeMismatch"},
    {"_cslt_sparse_mm(f16[32,64]@cuda:0, bf16[64,48]@cuda:0)", "!DtypeMismatch"},
    {"_cslt_sparse_mm(f64[32,64]@cuda:0, f64[64,48]@cuda:0)", "!DtypeMismatch"},
    {"_cslt_sparse_mm(f16[32,64]@cuda:0, f16[64]@cuda:0)", "!ShapeMismatch"},
    {"_sparse_semi_structured_linear(f16[8,64]@cuda:0, f16[32,32]@cuda:0, i16[32,4]@cuda:0)", "f16[8,32]{1,8}@cuda:0"},
    {"_sparse_semi_structured_linear(i8[8,64]{1,8}@cuda:0, i8[32,32]@cuda:0, i16[32,4]@cuda:0, out_dtype=int32)",
        "i32[8,32]{1,8}@cuda:0"},
    {"_sparse_semi_structured_linear(f16[8,64]@cuda:0, f16[32,31]@cuda:0, i16[32,4]@cuda:0)", "!ShapeMismatch"},
    {"_sparse_semi_structured_linear(f16[2,8,64]@cuda:0, f16[32,32]@cuda:0, i16[32,4]@cuda:0)", "!ShapeMismatch"},
    {"_sparse_semi_structured_linear(f16[8,64]@cuda:0, f16[32,32]@cuda:0, i16[32,4]@cuda:0, bias=f16[31]@cuda:0)",
        "!ShapeMismatch"},
    {"_sparse_semi_structured_linear(f16[8,64]@cuda:0, f16[32,32]@cuda:0, i16[32,4]@cuda:0, out_dtype=float32)",
        "!DtypeMismatch"},
    {"_sparse_semi_structured_mm(f16[32,32]@cuda:0, i16[32,4]@cuda:0, f16[64,48]@cuda:0)", "f16[32,48]@cuda:0"},
    {"_sparse_semi_structured_mm(i8[32,32]@cuda:0, i16[32,4]@cuda:0, i8[64,48]{1,64}@cuda:0, out_dtype=int32)",
        "i32[32,48]@cuda:0"},
    {"_sparse_semi_structured_mm(f16[32,31]@cuda:0, i16[32,4]@cuda:0, f16[64,48]@cuda:0)", "!ShapeMismatch"},
    {"_sparse_semi_structured_mm(f16[32,32]@cuda:0, i16[32]@cuda:0, f16[64,48]@cuda:0)", "!ShapeMismatch"},
    {"_sparse_semi_structured_addmm(f16[32]@cuda:0, f16[32,32]@cuda:0, i16[32,4]@cuda:0, f16[64,48]@cuda:0)",
        "f16[32,48]@cuda:0"},
    {"_sparse_semi_structured_addmm(f16[31]@cuda:0, f16[32,32]@cuda:0, i16[32,4]@cuda:0, f16[64,48]@cuda:0)",
        "!ShapeMismatch"},
    {"_sparse_semi_structured_addmm(f16[32,48]@cuda:0, f16[32,32]@cuda:0, i16[32,4]@cuda:0, f16[64,48]@cuda:0)",
        "!ShapeMismatch"},
    {"_sparse_semi_structured_addmm(i8[32]@cuda:0, i8[32,32]@cuda:0, i16[32,4]@cuda:0, i8[64,48]{1,64}@cuda:0, "
     "alpha=2, beta=3, out_dtype=int32)",
        "i32[32,48]@cuda:0"},
};

TEST(GroupedMatmul, AsPyTorch) { CheckCalls(kGroupedMatmul); }

}  // namespace
}  // namespace fakeprop::testing
