#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kAverage[] = {
    {"adaptive_avg_pool1d(f32[2,3,8], [4])", "f32[2,3,4]"},
    {"adaptive_avg_pool1d(f32[2,3,8]{24,1,3}, [3])", "f32[2,3,3]{9,1,3}"},
    {"adaptive_avg_pool1d(f32[3,8], [1])", "f32[3,1]"},
    {"adaptive_avg_pool1d(f32[8], [1])", "!ShapeMismatch"},
    {"adaptive_avg_pool2d(f32[2,3,8,8], [1,1])", "f32[2,3,1,1]"},
    {"adaptive_avg_pool2d(f32[2,3,8,8]{192,1,24,3}, [3,2])", "f32[2,3,3,2]{18,1,6,3}"},
    {"adaptive_avg_pool2d(f32[3,8,8]{1,24,3}, [3,2])", "f32[3,3,2]"},
    {"adaptive_avg_pool2d(f32[2,3,8,8], [3,-1])", "!ValueError"},
    {"adaptive_avg_pool2d(f32[2,3,8,8], [3])", "!ValueError"},
    {"adaptive_avg_pool2d(i64[2,3,8,8], [1,1])", "!DtypeMismatch"},
    {"adaptive_avg_pool3d(f32[2,3,4,4,4]{192,1,48,12,3}, [2,2,2])", "f32[2,3,2,2,2]"},
    {"adaptive_avg_pool3d(f32[2,3,4,4,4], [1,1,1])", "f32[2,3,1,1,1]"},
    {"adaptive_avg_pool2d(f32[2,3,8,8]{192,1,24,3}, [1,1])", "f32[2,3,1,1]{3,1,3,3}"},
    {"adaptive_avg_pool3d(f32[2,3,4,4,4]{192,1,48,12,3}, [1,1,1])", "f32[2,3,1,1,1]{3,1,3,3,3}"},
    {"adaptive_avg_pool2d(f32[2,3,4,4,4]{192,1,48,12,3}, [1,1])", "f32[2,3,4,1,1]"},
    {"_adaptive_avg_pool2d(f32[0,3,4,4], [2,2])", "f32[0,3,2,2]"},
    {"_adaptive_avg_pool2d(f32[4,4], [2,2])", "!ShapeMismatch"},
    {"_adaptive_avg_pool3d(f32[3,4,4,4], [2,3,2])", "f32[3,2,3,2]"},
    {"_adaptive_avg_pool3d(i64[0,4,4,4,4], [2,3,2])", "!DtypeMismatch"},
    {"_adaptive_avg_pool3d(i64[0,4,4,4,4]@cuda:0, [2,3,2])", "i64[0,4,2,3,2]@cuda:0"},
    {"_adaptive_avg_pool2d_backward(f32[2,3,2,2], f32[2,3,4,4]{48,1,12,3})", "f32[2,3,4,4]{48,1,12,3}"},
    {"_adaptive_avg_pool2d_backward(f64[2,3,2,2], f32[2,3,4,4])", "!DtypeMismatch"},
    {"_adaptive_avg_pool3d_backward(f32[2,3,2,2,2], f32[2,3,4,4,4])", "f32[2,3,4,4,4]"},
    {"_adaptive_avg_pool3d_backward(f32[2,3,2,0,2], f32[2,3,4,4,4])", "!ShapeMismatch"},
    {"adaptive_avg_pool2d.out(f32[2,3,4,4], [2,2], out=f32[2,3,2,2]{12,4,2,0})", "arg(1); 1 := f32[2,3,2,2]; writes 1"},
    {"adaptive_avg_pool2d.out(f32[3,4,4], [2,2], out=f32[3,2,2]{4,2,0})", "!ValueError"},
    {"max_unpool3d.out(f32[1,2,2,3,1], i64[1,2,2,3,1], [6,6,5], [3,2,3], [0,0,0], out=f32[2,2,3,8,5]{240,0,40,5,1})",
        "!ValueError"},
    {"max_unpool3d.out(f32[1,2,2,3,1], i64[1,2,2,3,1], [6,6,5], [3,2,3], [0,0,0], out=f32[0])",
        "arg(2); 2 := f32[1,2,6,6,5]; writes 2"},
    {"max_unpool3d.out(f32[1,2,2,3,1], i64[1,2,2,3,1], [6,6,5], [3,2,3], [0,0,0], out=f64[0])", "!DtypeMismatch"},
    {"max_unpool3d.out(f64[0,8,8,8,8], i64[0,8,8,8,8], [4,4,4], [2,2,2], [0,0,0], out=f32[0,8,4,4,4])",
        "arg(2); writes 2"},
    {"max_unpool2d.out(f64[0,8,8,8], i64[0,8,8,8], [4,4], out=f32[0,8,4,4])", "arg(2); 2 := f32[0,8,4,4]; writes 2"},
    {"max_unpool2d.out(f64[1,8,8,8], i64[1,8,8,8], [16,16], out=f32[1,8,16,16])", "!DtypeMismatch"},
    {"fractional_max_pool2d(f32[0,8,8], [2,2], [4,4], f32[1,0,2])", "f32[0,4,4], i64[0,4,4]"},
    {"fractional_max_pool3d(f32[0,8,8,8], [2,2,2], [4,4,4], f32[1,0,3])", "f32[0,4,4,4], i64[0,4,4,4]"},
};

constexpr CallCase kMaximum[] = {
    {"adaptive_max_pool1d(f32[2,3,8]{24,1,3}, [4])", "f32[2,3,4]{12,1,3}, i64[2,3,4]{12,1,3}"},
    {"adaptive_max_pool1d(f32[3,8], [3])", "f32[3,3], i64[3,3]"},
    {"adaptive_max_pool2d(f32[2,3,8,8]{192,1,24,3}, [4,3])", "f32[2,3,4,3]{36,1,9,3}, i64[2,3,4,3]{36,1,9,3}"},
    {"adaptive_max_pool2d(f32[3,8,8]{1,24,3}, [4,3])", "f32[3,4,3], i64[3,4,3]"},
    {"adaptive_max_pool2d(f32[2,0,8,8], [4,3])", "!ShapeMismatch"},
    {"adaptive_max_pool3d(f32[2,3,4,4,4], [2,2,2])", "f32[2,3,2,2,2], i64[2,3,2,2,2]"},
    {"adaptive_max_pool3d(f32[3,4,4], [2,2,2])", "!ShapeMismatch"},
    {"adaptive_max_pool2d_backward(f32[2,3,2,2], f32[2,3,4,4]{48,1,12,3}, i64[2,3,2,2])", "f32[2,3,4,4]{48,1,12,3}"},
    {"adaptive_max_pool3d_backward(f32[3,2,2,2], f32[3,4,4,4], i64[3,2,2,2])", "f32[3,4,4,4]"},
};

constexpr CallCase kFractionalAndUnpooling[] = {
    {"fractional_max_pool2d(f32[2,3,8,8]{192,1,24,3}, [2,2], [4,4], f32[2,3,2])", "f32[2,3,4,4], i64[2,3,4,4]"},
    {"fractional_max_pool2d(f32[3,8,8], [2,2], [4,4], f32[1,3,2])", "f32[3,4,4], i64[3,4,4]"},
    {"fractional_max_pool2d(f32[2,3,8,8], [2,2], [8,4], f32[2,3,2])", "!ShapeMismatch"},
    {"fractional_max_pool2d(f32[2,3,8,8], [2,2], [4,4], f32[2,2,2])", "!ShapeMismatch"},
    {"fractional_max_pool3d(f32[2,3,5,5,5], [2,2,2], [3,3,3], f32[2,3,3])", "f32[2,3,3,3,3], i64[2,3,3,3,3]"},
    {"fractional_max_pool3d(f32[3,5,5,5], [2,2,2], [4,4,4], f32[1,3,3])", "!ShapeMismatch"},
    {"fractional_max_pool3d(f32[3,6,6,6], [2,2,2], [4,4,4], f32[1,3,3])", "f32[3,4,4,4], i64[3,4,4,4]"},
    {"fractional_max_pool3d(f32[3,5,5,5], [2,2,2], [3,3,3], f64[1,3,3])", "!DtypeMismatch"},
    {"fractional_max_pool2d_backward(f32[2,3,4,4], f32[2,3,8,8]{192,1,24,3}, [2,2], [4,4], i64[2,3,4,4])",
        "f32[2,3,8,8]"},
    {"fractional_max_pool2d_backward(f32[2,3,4,5], f32[2,3,8,8], [2,2], [4,4], i64[2,3,4,4])", "!ShapeMismatch"},
    {"fractional_max_pool3d_backward(f32[3,3,3,3], f32[3,5,5,5], [2,2,2], [3,3,3], i64[3,3,3,3])", "f32[3,5,5,5]"},
    {"max_unpool2d(f32[2,3,4,4]{48,1,12,3}, i64[2,3,4,4], [8,8])", "f32[2,3,8,8]{192,1,24,3}"},
    {"max_unpool2d(f32[3,4,4], i64[3,4,4], [8,8])", "f32[3,8,8]"},
    {"max_unpool2d(f32[2,3,4,4], i32[2,3,4,4], [8,8])", "!DtypeMismatch"},
    {"max_unpool2d(f32[2,3,4,4], i64[2,3,4,5], [8,8])", "!ShapeMismatch"},
    {"adaptive_avg_pool2d.out(f32[1,8,8,8]{512,1,64,8}@cuda:0, [5,7], out=f32[0]@cuda:0)",
        "arg(1); 1 := f32[1,8,5,7]{280,1,56,8}@cuda:0; writes 1"},
    {"max_unpool2d(i32[2,3,4,4], i64[2,3,4,4], [8,8])", "!DtypeMismatch"},
    {"max_unpool2d(i32[2,3,4,4]@cuda:0, i64[2,3,4,4]@cuda:0, [8,8])", "i32[2,3,8,8]@cuda:0"},
    {"max_unpool3d(f32[3,2,2,2], i64[3,2,2,2], [4,4,4], [2,2,2], [0,0,0])", "f32[3,4,4,4]"},
    {"max_unpool3d(f32[3,2,2,2], i64[3,2,2,2], [4,4,4], [0,2,2], [0,0,0])", "!ValueError"},
};

constexpr CallCase kOutOfInner[] = {
    {"adaptive_avg_pool3d_backward.grad_input(f32[1,2,2,2,2], f32[1,2,4,4,4], grad_input=f32[0])",
        "arg(2); 2 := f32[1,2,4,4,4]; writes 2"},
    {"adaptive_avg_pool3d_backward.grad_input(f32[2,2,2,2], f32[2,4,4,4]{1,32,8,2}, grad_input=f32[2,4,4,4])",
        "arg(2); writes 2"},
    {"adaptive_avg_pool3d_backward.grad_input(f32[1,2,2,2,2], f32[1,2,4,4,4], grad_input=f64[0])", "!DtypeMismatch"},
};

TEST(AdaptivePooling, Average) { CheckCalls(kAverage); }
TEST(AdaptivePooling, Maximum) { CheckCalls(kMaximum); }
TEST(AdaptivePooling, FractionalAndUnpooling) { CheckCalls(kFractionalAndUnpooling); }
TEST(AdaptivePooling, OutOfInner) { CheckCalls(kOutOfInner); }

}  // namespace
}  // namespace fakeprop::testing
