#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kCumulative[] = {
    {"cummin.out(i64[2,3], 1, values=i64[2,3]{0,1}, indices=i64[2,3])", "arg(1), arg(2); writes 1; writes 2"},
    {"cumsum(b8[2,3]{1,2}, 0)", "i64[2,3]"},
    {"_masked_softmax(i32[2,3,4], b8[2,3,4], 2, 2)", "!DtypeMismatch"},
    {"_masked_softmax_backward(f32[2,3,4], f32[2,3,4], f16[2,3,4], 2)", "!DtypeMismatch"},
    {"_cummin_helper(f32[3], f32[3], i64[], 0)", "!IndexOutOfRange"},
    {"cumsum(f32[2,3,4], -1, dtype=float64)", "f64[2,3,4]"},
    {"cumsum(f32[2,3], 2)", "!IndexOutOfRange"},
    {"cumprod(i32[2,3]{1,2}, 1)", "i64[2,3]"},
    {"cumprod(f32[], 0)", "f32[]"},
    {"cumprod(f32[2], 1)", "!IndexOutOfRange"},
    {"cumsum_(f32[2,3]{1,2}, 0)", "arg(0); writes 0"},
    {"cumprod_backward(f32[3,4]{1,3}, f32[3,4]{1,3}, 0, f32[3,4]{1,3})", "f32[3,4]"},
    {"cumprod_backward(f32[3,1]{1,5}, f32[3,1], 1, f32[3,1])", "arg(0)"},
    {"cumprod_backward(f32[], f32[], 0, f32[])", "arg(0)"},
    {"cumprod_backward(f32[0,3], f32[0,3], 1, f32[0,3])", "arg(0)"},
    {"cumprod_backward(f64[3], f32[3], 0, f32[3])", "f64[3]"},
    {"cumprod_backward(i32[3], i32[3], 0, i32[3])", "i64[3]"},
    {"cumprod_backward(c64[3], c64[3], 0, c64[3])", "c64[3]"},
    {"cumprod_backward(f32[3], f32[3], 1, f32[3])", "!IndexOutOfRange"},
    {"cumprod_backward(f32[3,4], f32[3,4], 0, f32[2])", "!ShapeMismatch"},
    {"logcumsumexp(f32[2,3]{1,2}, 0)", "f32[2,3]"},
    {"logcumsumexp(f32[3], 1)", "!IndexOutOfRange"},
    {"cummax(f32[3,2,2]{1,3,6}, 0)", "f32[3,2,2], i64[3,2,2]"},
    {"cummax(f32[0,3], 5)", "f32[0,3], i64[0,3]"},
    {"cummax(i64[3], 1)", "!IndexOutOfRange"},
    {"cummin(i64[4], 0)", "i64[4], i64[4]"},
    {"cummin(f32[2,3]{1,2}, 0)", "f32[2,3], i64[2,3]"},
    {"cumsum_(f32[3], 0, dtype=float64)", "!DtypeMismatch"},
    {"cumsum(f32[2], 0, dtype=uint32)", "!DtypeMismatch"},
    {"cumprod.out(f32[2], 0, out=u32[2])", "!DtypeMismatch"},
};

constexpr CallCase kSoftmax[] = {
    {"_softmax(f16[2,3]@cuda:0, 1, True)", "f32[2,3]@cuda:0"},
    {"_log_softmax(bf16[1,1], 1, True)", "!DtypeMismatch"},
    {"_log_softmax.out(f32[5,1,1]{0,1,1}, -1, False, out=f32[5,1,1]{0,1,1})", "arg(1); writes 1"},
    {"_softmax_backward_data(f32[5,1,2], f32[1,1,5,1,2], -1, float32)", "!ShapeMismatch"},
    {"_softmax_backward_data(f32[5,0,2], f32[5,2,0], -1, float32)", "!ShapeMismatch"},
    {"_log_softmax_backward_data(f32[5,1,2], f32[5,2,1], -1, float32)", "f32[5,1,2]"},
    {"softmax.int(f32[2,3,4]{12,1,3}, 1)", "f32[2,3,4]"},
    {"softmax.int(i64[2,3], 1, float32)", "f32[2,3]"},
    {"softmax.int(i64[2,3], 1)", "!DtypeMismatch"},
    {"softmax.int(f32[2], 1)", "!IndexOutOfRange"},
    {"log_softmax.int(f16[2,3]{1,2}, 0, float32)", "f32[2,3]"},
    {"log_softmax.int(f32[], 0)", "f32[]"},
    {"_safe_softmax(f32[2,3]{1,2}, -1)", "f32[2,3]"},
    {"_softmax(f16[2,3]{1,2}, -1, False)", "f16[2,3]"},
    {"_softmax(f16[2]@cuda:0, -1, True)", "f32[2]@cuda:0"},
    {"_softmax(f32[2,3], 2, False)", "!IndexOutOfRange"},
    {"_log_softmax(f32[2,3]{1,2}, 1, False)", "f32[2,3]"},
    {"_log_softmax(f32[2], -2, False)", "!IndexOutOfRange"},
    {"_softmax_backward_data(f32[2,3], f32[2,3], 1, float32)", "f32[2,3]"},
    {"_softmax_backward_data(f16[2,3], f16[2,3], 1, float32)", "f16[2,3]"},
    {"_log_softmax_backward_data(f32[2,3,4], f32[2,3,4], 3, float32)", "!IndexOutOfRange"},
    {"_masked_softmax(f32[2,3]{1,2}, b8[2,3], 1, 2)", "f32[2,3]{1,2}"},
    {"_masked_softmax(f32[2,3,4,4], b8[4,4], 3, 0)", "f32[2,3,4,4]"},
    {"_masked_softmax(f32[2,3,4,4], b8[2,4], 3, 1)", "f32[2,3,4,4]"},
    {"_masked_softmax(f32[2,3,4,4], b8[2,3], 3, 1)", "!ShapeMismatch"},
    {"_masked_softmax(f32[2,3,4,4], b8[4,4], 3)", "!ValueError"},
    {"_masked_softmax(f32[2,3,4], b8[2,3,4], 5, 2)", "!IndexOutOfRange"},
    {"_masked_softmax(f32[2,3,4], b8[2,4], 2, 2)", "!ShapeMismatch"},
    {"_masked_softmax_backward(f32[2,3], f32[2,3], f32[2,3], 1)", "!DtypeMismatch"},
    {"_masked_softmax_backward(f32[2,3], f64[2,3], b8[2,3], 1)", "!DtypeMismatch"},
    {"_masked_softmax_backward(f32[2,3,4]{1,2,6}, f32[2,3,4], b8[2,3,4], 2)", "f32[2,3,4]"},
};

constexpr CallCase kExtremumHelpers[] = {
    {"_cummax_helper(f32[2,3]{1,2}, f32[2,3], i64[2,3], 1)", "; writes 1; writes 2"},
    {"_cummin_helper(f32[3], f32[3], i64[3], 0)", "; writes 1; writes 2"},
    {"_cummax_helper(f32[2,3], f32[2,3], i64[2,3], 3)", "!IndexOutOfRange"},
    {"_cummax_helper(f32[2,3], f32[2,3], i32[2,3], 1)", "!DtypeMismatch"},
    {"_cummax_helper(f32[2,3], f64[2,3], i64[2,3], 1)", "!DtypeMismatch"},
    {"_cummin_helper(c64[2,3], c64[2,3], i64[2,3], 1)", "!DtypeMismatch"},
    {"_cummin_helper(f32[], f32[], i64[], 0)", "!IndexOutOfRange"},
};

TEST(Scan, Cumulative) { CheckCalls(kCumulative); }
TEST(Scan, Softmax) { CheckCalls(kSoftmax); }
TEST(Scan, ExtremumHelpers) { CheckCalls(kExtremumHelpers); }

}  // namespace
}  // namespace fakeprop::testing
