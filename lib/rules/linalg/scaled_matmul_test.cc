#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kScaledMatmul[] = {
    {"_scaled_mm(f8e4m3fn[32,64], f8e4m3fn[64,48]{1,64}, f32[], f32[])", "f8e4m3fn[32,48]"},
    {"_scaled_mm(f8e4m3fn[32,64], f8e4m3fn[64,48]{1,64}, f32[1], f32[1,1], None, None, bfloat16)", "bf16[32,48]"},
    {"_scaled_mm(f8e4m3fn[32,64], f8e4m3fn[64,48], f32[], f32[], None, None, float32)", "f32[32,48]"},
    {"_scaled_mm(f8e4m3fn[30,60], f8e4m3fn[60,40], f32[], f32[], None, None, float32)", "f32[30,40]"},
    {"_scaled_mm(f8e4m3fn[32,64], f8e5m2[64,48], f32[], f32[], f32[48], None, float32)", "f32[32,48]"},
    {"_scaled_mm(f8e5m2[32,64], f8e5m2[64,48], f32[], f32[], f32[47], None, float32)", "!ShapeMismatch"},   // as eager
    {"_scaled_mm(f8e4m3fn[32,64], f8e4m3fn[63,48], f32[], f32[], None, None, float32)", "!ShapeMismatch"},  // as eager
    {"_scaled_mm(f32[32,64], f32[64,48], f32[], f32[], None, None, float32)", "!DtypeMismatch"},
    {"_scaled_mm(f8e4m3fn[32,64], f32[64,48], f32[], f32[], None, None, float32)", "!DtypeMismatch"},
    {"_scaled_mm(f8e4m3fn[64], f8e4m3fn[64,48], f32[], f32[], None, None, float32)", "!ShapeMismatch"},
    {"_scaled_mm(f8e4m3fn[32,64], f8e4m3fn[64,48], f64[], f32[], None, None, float32)", "!DtypeMismatch"},
    {"_scaled_mm(f8e4m3fn[32,64], f8e4m3fn[64,48], f32[32,1], f32[1,48], None, None, float32)", "f32[32,48]"},
    {"_scaled_mm(f8e4m3fn[32,64], f8e4m3fn[64,48]{1,64}, f32[32,1], f32[1,48], None, None, bfloat16)", "bf16[32,48]"},
    {"_scaled_mm(f8e4m3fn[32,64], f8e4m3fn[64,48]{1,64}, f32[32,1], f32[48], None, None, bfloat16)", "!ShapeMismatch"},
    {"_scaled_mm(f8e4m3fn[32,64], f8e4m3fn[64,48]{1,64}, f32[31,1], f32[1,48], None, None, bfloat16)",
        "!ShapeMismatch"},
    {"_scaled_mm(f8e4m3fn[32,256], f8e4m3fn[256,256]{1,256}, f32[32,2], f32[2,2], None, None, bfloat16)",
        "!ShapeMismatch"},  // as eager
    {"_scaled_mm(f8e4m3fn[32,256], f8e4m3fn[256,256]{1,256}, f32[32,2], f32[2,256], None, None, bfloat16)",
        "!ShapeMismatch"},  // as eager
    {"_scaled_mm(f8e4m3fn[32,256], f8e4m3fn[256,256]{1,256}, f32[1,2], f32[2,256], None, None, bfloat16)",
        "!ShapeMismatch"},  // as eager
    {"_scaled_mm(f8e4m3fn[32,64]@cuda:0, f8e4m3fn[64,48]{1,64}@cuda:0, f32[]@cuda:0, f32[]@cuda:0)",
        "f8e4m3fn[32,48]@cuda:0"},
    {"_scaled_mm(f8e4m3fn[32,64]@cuda:0, f8e4m3fn[64,48]{1,64}@cuda:0, f32[]@cuda:0, f32[]@cuda:0, bf16[48]@cuda:0, "
     "None, bfloat16)",
        "bf16[32,48]@cuda:0"},
    {"_scaled_mm(f8e4m3fn[32,64]@cuda:0, f8e4m3fn[64,48]@cuda:0, f32[]@cuda:0, f32[]@cuda:0)", "!ShapeMismatch"},
    {"_scaled_mm(f8e4m3fn[32,60]@cuda:0, f8e4m3fn[60,48]{1,60}@cuda:0, f32[]@cuda:0, f32[]@cuda:0)", "!ShapeMismatch"},
    {"_scaled_mm(f8e4m3fn[32,64]@cuda:0, f8e4m3fn[64,50]{1,64}@cuda:0, f32[]@cuda:0, f32[]@cuda:0)", "!ShapeMismatch"},
    {"_scaled_mm(f8e4m3fn[32,64]{1,32}@cuda:0, f8e4m3fn[64,48]{1,64}@cuda:0, f32[]@cuda:0, f32[]@cuda:0)",
        "!ShapeMismatch"},
    {"_scaled_mm(f8e4m3fn[0,64]@cuda:0, f8e4m3fn[64,48]{1,64}@cuda:0, f32[]@cuda:0, f32[]@cuda:0)",
        "f8e4m3fn[0,48]@cuda:0"},
    {"_scaled_mm(f8e4m3fn[256,256]@cuda:0, f8e4m3fn[256,256]{1,256}@cuda:0, f32[256,2]@cuda:0, f32[2,2]@cuda:0, None, "
     "None, bfloat16)",
        "bf16[256,256]@cuda:0"},
    {"_scaled_mm(f8e4m3fn[256,256]@cuda:0, f8e4m3fn[256,256]{1,256}@cuda:0, f32[256,2]@cuda:0, f32[2,256]@cuda:0, "
     "None, None, bfloat16)",
        "bf16[256,256]@cuda:0"},
    {"_scaled_mm(f8e4m3fn[256,256]@cuda:0, f8e4m3fn[256,256]{1,256}@cuda:0, f32[2,2]@cuda:0, f32[2,256]@cuda:0, None, "
     "None, bfloat16)",
        "bf16[256,256]@cuda:0"},
    {"_scaled_mm(f8e4m3fn[256,256]@cuda:0, f8e4m3fn[256,256]{1,256}@cuda:0, f32[2,3]@cuda:0, f32[2,256]@cuda:0, None, "
     "None, bfloat16)",
        "!ShapeMismatch"},
    {"_scaled_mm(f8e4m3fn[256,256]@cuda:0, f8e4m3fn[256,256]{1,256}@cuda:0, f32[512]@cuda:0, f32[2,256]@cuda:0, None, "
     "None, bfloat16)",
        "!ShapeMismatch"},
    {"_scaled_mm(f8e4m3fn[256,256]@cuda:0, f8e4m3fn[256,256]{1,256}@cuda:0, f64[256,1]@cuda:0, f32[1,256]@cuda:0, "
     "None, None, bfloat16)",
        "!DtypeMismatch"},
    {"_scaled_mm(f8e4m3fn[256,256]@cuda:0, f8e4m3fn[256,256]{1,256}@cuda:0, f32[256,1]@cuda:0, f32[1,256]{1,2}@cuda:0, "
     "None, None, bfloat16)",
        "!ShapeMismatch"},
    {"_scaled_mm(f8e4m3fn[256,256]@cuda:0, f8e4m3fn[256,256]{1,256}@cuda:0, f8e8m0fnu[2048]@cuda:0, "
     "f8e8m0fnu[2048]@cuda:0, None, None, bfloat16)",
        "bf16[256,256]@cuda:0"},
    {"_scaled_mm(f8e4m3fn[256,256]@cuda:0, f8e4m3fn[256,256]{1,256}@cuda:0, f8e8m0fnu[2047]@cuda:0, "
     "f8e8m0fnu[2048]@cuda:0, None, None, bfloat16)",
        "!ShapeMismatch"},
    {"_scaled_mm(f8e4m3fn[256,256]@cuda:0, f8e4m3fn[256,256]{1,256}@cuda:0, f8e8m0fnu[2048]{2}@cuda:0, "
     "f8e8m0fnu[2048]@cuda:0, None, None, bfloat16)",
        "!ShapeMismatch"},
    {"_scaled_mm(f8e4m3fn[256,256]@cuda:0, f8e4m3fn[256,256]{1,256}@cuda:0, f8e4m3fn[8192]@cuda:0, "
     "f8e4m3fn[8192]@cuda:0, None, None, bfloat16)",
        "bf16[256,256]@cuda:0"},
    {"_scaled_mm(f8e4m3fn[32,64], f8e4m3fn[64,48], f32[], f32[], None, f32[], float32)", "f32[32,48]"},
    {"_scaled_mm(f8e4m3fn[32,64], f8e4m3fn[64,48], f32[], f32[], bf16[48], None, float32)", "f32[32,48]"},
    {"_scaled_mm(f8e4m3fn[32,64], f8e4m3fn[64,48], f32[], f32[], None, None, int32)", "i32[32,48]"},
    {"_scaled_mm(f8e4m3fn[32,64], f8e4m3fn[64,48], f32[], f32[], None, None, float16)", "f16[32,48]"},
    {"_scaled_mm(f8e4m3fn[32,0], f8e4m3fn[0,48], f32[], f32[], None, None, float16)", "f16[32,48]"},
    {"_scaled_mm(f8e4m3fn[32,64]{1,32}, f8e4m3fn[64,48], f32[], f32[], None, None, float32)", "f32[32,48]"},
    {"_scaled_mm_v2(f8e4m3fn[32,64], f8e4m3fn[64,48]{1,64}, [f32[]], [0], [0], [f32[]], [0], [0], None, bfloat16)",
        "bf16[32,48]"},
    {"_scaled_mm_v2(f8e4m3fn[32,64], f8e4m3fn[64,48], [f32[]], [0], [0], [f32[1,1]], [0], [0], None, None)",
        "f8e4m3fn[32,48]"},
    {"_scaled_mm_v2(f8e4m3fn[32,64], f8e4m3fn[64,48], [f32[2]], [0], [0], [f32[1,1]], [0], [0], None, None)",
        "!ShapeMismatch"},
    {"_scaled_mm_v2(f8e4m3fn[32,64], f8e4m3fn[64,48], [f32[32,1]], [1], [0], [f32[48,1]], [1], [0], None, bfloat16)",
        "!ShapeMismatch"},  // as eager
    {"_scaled_mm_v2(f8e4m3fn[32,64], f8e4m3fn[64,48], [f32[32,1]], [1], [0], [f32[1,48]], [1], [0], None, bfloat16)",
        "bf16[32,48]"},
    {"_scaled_mm_v2(f8e4m3fn[32,64], f8e4m3fn[64,48], [f32[31,1]], [1], [0], [f32[1,48]], [1], [0], None, bfloat16)",
        "!ShapeMismatch"},
    {"_scaled_mm_v2(f8e4m3fn[32,64], f8e4m3fn[64,48], [f32[32]], [1], [0], [f32[1,48]], [1], [0], None, bfloat16)",
        "!ShapeMismatch"},
    {"_scaled_mm_v2(f8e4m3fn[32,64], f8e4m3fn[64,48], [f64[32,1]], [1], [0], [f32[1,48]], [1], [0], None, bfloat16)",
        "!ShapeMismatch"},
    {"_scaled_mm_v2(f8e4m3fn[32,64], f8e4m3fn[64,48], [f32[32,1]], [0], [0], [f32[1,48]], [1], [0], None, bfloat16)",
        "!ValueError"},
    {"_scaled_mm_v2(f8e4m3fn[32,64], f8e4m3fn[64,48], [f32[32,1]], [9], [0], [f32[1,48]], [1], [0], None, bfloat16)",
        "!ValueError"},
    {"_scaled_mm_v2(f8e4m3fn[32,64], f8e4m3fn[63,48], [f32[]], [0], [0], [f32[]], [0], [0], None, bfloat16)",
        "!ShapeMismatch"},  // as eager
    {"_scaled_mm_v2(f32[32,64], f8e4m3fn[64,48], [f32[]], [0], [0], [f32[]], [0], [0], None, bfloat16)",
        "!DtypeMismatch"},
    {"_scaled_mm_v2(f8e4m3fn[32,64,1], f8e4m3fn[64,48], [f32[]], [0], [0], [f32[]], [0], [0], None, bfloat16)",
        "!ShapeMismatch"},
    {"_scaled_mm_v2(f8e4m3fn[256,256]@cuda:0, f8e4m3fn[256,256]{1,256}@cuda:0, [f8e8m0fnu[2048]@cuda:0], [3], [1], "
     "[f8e8m0fnu[2048]@cuda:0], [3], [1], None, bfloat16)",
        "bf16[256,256]@cuda:0"},
    {"_scaled_mm_v2(f8e4m3fn[256,256]@cuda:0, f8e4m3fn[256,256]{1,256}@cuda:0, [f8e8m0fnu[2048]@cuda:0], [3], [0], "
     "[f8e8m0fnu[2048]@cuda:0], [3], [0], None, bfloat16)",
        "!ValueError"},
    {"_scaled_mm_v2(f8e4m3fn[256,256]@cuda:0, f8e4m3fn[256,256]{1,256}@cuda:0, [f32[256,2]{1,256}@cuda:0], [4], [0], "
     "[f32[256,2]{1,256}@cuda:0], [4], [0], None, bfloat16)",
        "bf16[256,256]@cuda:0"},
    {"_scaled_mm_v2(f8e4m3fn[256,256]@cuda:0, f8e4m3fn[256,256]{1,256}@cuda:0, [f32[256,2]@cuda:0], [4], [0], "
     "[f32[256,2]{1,256}@cuda:0], [4], [0], None, bfloat16)",
        "!ShapeMismatch"},
    {"_scaled_mm_v2(f8e4m3fn[256,256]@cuda:0, f8e4m3fn[256,256]{1,256}@cuda:0, [f32[256,2]{1,256}@cuda:0], [4], [0], "
     "[f32[4,2]{1,4}@cuda:0], [5], [0], None, bfloat16)",
        "bf16[256,256]@cuda:0"},
    {"_scaled_mm_v2(f8e4m3fn[256,256]@cuda:0, f8e4m3fn[256,256]{1,256}@cuda:0, [f32[4,2]{1,4}@cuda:0], [5], [0], "
     "[f32[256,2]{1,256}@cuda:0], [4], [0], None, bfloat16)",
        "bf16[256,256]@cuda:0"},
    {"_scaled_mm_v2(f8e4m3fn[256,256]@cuda:0, f8e4m3fn[256,256]{1,256}@cuda:0, [f8e4m3fn[4096]@cuda:0], [2], [1], "
     "[f8e4m3fn[4096]@cuda:0], [2], [1], None, bfloat16)",
        "bf16[256,256]@cuda:0"},
    {"_scaled_mm_v2(f8e4m3fn[256,256]@cuda:0, f8e4m3fn[256,256]{1,256}@cuda:0, [f8e4m3fn[4096]@cuda:0, f32[]@cuda:0], "
     "[2, 0], [1, 0], [f8e4m3fn[4096]@cuda:0, f32[]@cuda:0], [2, 0], [1, 0], None, bfloat16)",
        "bf16[256,256]@cuda:0"},
    {"_scaled_mm.out(f8e4m3fn[32,64], f8e4m3fn[64,48], f32[], f32[], None, None, float32, out=f32[32,48])",
        "arg(4); writes 4"},
    {"_scaled_mm.out(f8e4m3fn[32,64], f8e4m3fn[64,48], f32[], f32[], None, None, float32, out=f32[0])",
        "arg(4); 4 := f32[32,48]; writes 4"},  // as eager
    {"_scaled_mm_v2.out(f8e4m3fn[32,64], f8e4m3fn[64,48], [f32[]], [0], [0], [f32[]], [0], [0], None, float32, "
     "out=f32[32,48])",
        "arg(4); writes 4"},
};

TEST(ScaledMatmul, AsPyTorch) { CheckCalls(kScaledMatmul); }

}  // namespace
}  // namespace fakeprop::testing
