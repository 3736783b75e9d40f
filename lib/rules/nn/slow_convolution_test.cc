#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kKernels[] = {
    {"slow_conv_transpose2d(f32[2,3,2], f32[2,4,3,3]{36,1,12,4}, [3,3])", "!ShapeMismatch"},
    {"slow_conv_transpose2d(f32[1,2,3,2], f32[2,4,3,3]{36,1,12,4}, [3,3])", "f32[1,4,5,4]{80,1,16,4}"},
    {"slow_conv_transpose2d(f32[4,4,1,1], f32[4,4,1,1], [1,1], None, [2,2], [1,1], [1,1])", "!ShapeMismatch"},
    {"slow_conv_dilated2d(f32[0,10,3], f32[8,0,3,3], [3,3], None, [1,1], [1,1], [2,2])", "f32[8,8,1]"},
    {"slow_conv_dilated2d(f32[0,3,8,8], f64[4,3,3,3], [3,3])", "f32[0,4,6,6]"},
    {"slow_conv_dilated2d(f32[2,3,5,6], f32[0,3,2,2], [2,2])", "f32[2,0,4,5]"},
    {"slow_conv_dilated3d(f32[3,5,6,7], f32[0,3,2,2,2], [2,2,2])", "f32[0,4,5,6]"},
    {"slow_conv_dilated2d(i64[2,3,5,6], i64[4,3,2,2], [2,2])", "i64[2,4,4,5]"},
    {"slow_conv_dilated2d(u8[0,3,5,6], u8[4,3,2,2], [2,2])", "!DtypeMismatch"},
    {"slow_conv_dilated3d(i8[2,3,5,6,7], i8[4,3,2,2,2], [2,2,2])", "!DtypeMismatch"},
    {"thnn_conv2d(f32[2,0,5,5], f32[4,0,2,2], [2,2])", "!ShapeMismatch"},
    {"slow_conv3d(f32[2,0,5,5,5], f32[4,0,2,2,2], [2,2,2])", "!ShapeMismatch"},
    {"slow_conv_transpose2d(f32[0,3,5,6], f32[3,0,2,2], [2,2])", "!ShapeMismatch"},
    {"slow_conv_transpose3d(f32[2,3,5,6,7], f32[3,0,2,2,2], [2,2,2])", "!ShapeMismatch"},
    {"thnn_conv2d(f32[0,3,5,5], f64[4,3,3,3], [3,3])", "!DtypeMismatch"},
    {"thnn_conv2d(f32[0,3,8,8], f32[4,3,3,3], [3,3], f64[4])", "f32[0,4,6,6]"},
    {"slow_conv3d(f32[2,3,5,5,5], f32[4,3,2,2,2], [2,2,2])", "f32[2,4,4,4,4]"},
    {"_slow_conv2d_backward.output_mask(f32[2,8,5,6], f32[2,6,5,7], f32[8,6,3,3], [3,3], [1,1], [1,1], "
     "[True,True,True])",
        "!ShapeMismatch"},
    {"_slow_conv2d_backward.output_mask(f32[2,8,5,7], f32[2,6,5,7], f32[8,6,3,3], [3,3], [1,1], [1,1], "
     "[True,True,True])",
        "f32[2,6,5,7], f32[8,6,3,3], f32[8]"},
    {"conv_tbc_backward(f32[5,2,5], f32[5,2,3], f32[2,3,5], f32[5], 1)", "!ShapeMismatch"},
    {"conv_tbc_backward(f32[7,2,5], f32[5,2,3], f32[2,3,5], f32[5], 1)", "f32[5,2,3], f32[2,3,5], f32[5]"},
    {"slow_conv3d(f32[2,3,5,5,5]{375,1,75,15,3}, f32[4,3,2,2,2], [2,2,2])", "f32[2,4,4,4,4]"},
    {"slow_conv3d_forward(f32[3,5,5,5], f32[4,3,2,2,2], [2,2,2], None, [1,1,1], [0,0,0])", "!ShapeMismatch"},
    {"slow_conv_dilated2d(f32[2,3,8,8]{192,1,24,3}, f32[4,3,3,3], [3,3])", "f32[2,4,6,6]{144,1,24,4}"},
    {"slow_conv_dilated2d(f32[3,8,8], f32[4,3,3,3], [3,3])", "f32[4,6,6]"},
    {"slow_conv_dilated2d(f32[4,3,8,8], f32[4,3,3,3], [3])", "!ValueError"},
    {"slow_conv_dilated2d(f32[4,3,8,8], f32[4,3,3,3], [3,3], None, [1])", "!ValueError"},
    {"thnn_conv2d(f32[4,3,8,8], f32[4,3,3,3], [3,3], None, [1])", "!ValueError"},
    {"slow_conv_dilated3d(f32[2,3,5,5,5], f32[4,3,2,2,2], [2,2,2])", "f32[2,4,4,4,4]"},
    {"slow_conv_transpose2d(f32[2,3,8,8]{192,1,24,3}, f32[3,4,3,3], [3,3])", "f32[2,4,10,10]{400,1,40,4}"},
    {"slow_conv_transpose3d(f32[2,3,5,5,5], f32[3,4,2,2,2], [2,2,2])", "f32[2,4,6,6,6]"},
    {"thnn_conv2d(f32[2,3,8,8]{192,1,24,3}, f32[4,3,3,3], [3,3])", "f32[2,4,6,6]{144,1,24,4}"},
    {"_slow_conv2d_forward(f32[2,3,8,8], f32[4,3,3,3], [3,3], None, [1,1], [0,0])", "f32[2,4,6,6]"},
    {"_slow_conv2d_forward(f32[3,8,8], f32[4,3,3,3], [3,3], None, [1,1], [0,0])", "!ShapeMismatch"},
    {"slow_conv_dilated2d(f32[2,3,8,8], f32[4,3,3,3], [2,2])", "!ShapeMismatch"},
    {"_slow_conv2d_backward.output_mask(f32[2,4,6,6], f32[2,3,8,8], f32[4,3,3,3], [3,3], [1,1], [0,0], "
     "[True,False,True])",
        "f32[2,3,8,8], None, f32[4]"},
    {"conv_tbc(f32[5,2,3]{0,3,1}, f32[3,3,4], f32[4])", "!ViewError"},
    {"slow_conv3d_forward.output(f32[2,3,5,6,7], f32[4,3,2,2,2], [2,2,2], None, [1,1,1], [0,0,0], "
     "output=f32[2,4,4,5,6]{480,120,30,1,5})",
        "!ValueError"},
    {"slow_conv_transpose2d(f32[6,5,7], f32[6,4,3,3], [3,3])", "f32[1,4,7,9]"},
    {"slow_conv_dilated2d(f32[6,5,7], f32[8,6,3,3]{54,1,18,6}, [3,3], None, [1,1], [1,1], [2,2])", "!ShapeMismatch"},
    {"slow_conv_dilated3d(f32[6,5,7,4], f32[8,6,3,3,3]{162,1,54,18,6}, [3,3,3], None, [1,1,1], [1,1,1], [1,1,1])",
        "f32[8,5,7,4]"},
    {"slow_conv_transpose2d(f32[0,8,2,1], f32[8,4,3,3], [3,3])", "!ShapeMismatch"},
    {"conv_tbc(f32[3,1,1], f64[1,1,4], f32[4])", "!DtypeMismatch"},
    {"conv_tbc(f32[0,1,1], f64[1,1,4], f32[4], 1)", "f32[2,1,4]"},
    {"conv_tbc(f32[3,1,1], f32[1,1,4], f64[4])", "f32[3,1,4]"},
    {"conv_tbc(u8[2,3,3], i64[3,3,4], i64[4])", "u8[0,3,4]"},
};

constexpr CallCase kTime[] = {
    {"conv_tbc(f32[10,2,3], f32[3,3,5], f32[5], 1)", "f32[10,2,5]"},
    {"conv_tbc(f32[10,2,3]{1,10,20}, f32[3,3,5], f32[4], 1)", "!ShapeMismatch"},
    {"conv_tbc_backward(f32[10,2,5], f32[10,2,3], f32[3,3,5], f32[5], 1)", "f32[10,2,3], f32[3,3,5], f32[5]"},
    {"conv_tbc(f32[10,2], f32[3,3,5], f32[5], 1)", "!ShapeMismatch"},
    {"slow_conv_dilated2d(f16[0,3,5], f32[8,0,3,3], [3,3], None, [1,1], [1,1], [2,2])", "!DtypeMismatch"},
    {"slow_conv_dilated2d(f16[0,3,5,5], f32[8,3,3,3], [3,3], None, [1,1], [1,1], [2,2])", "f16[0,8,3,3]"},
    {"slow_conv_dilated2d(f32[2,2,5,5], f32[8,2,3,3], [3,3], f64[8], [1,1], [1,1], [2,2])", "f32[2,8,3,3]"},
    {"thnn_conv2d(f32[2,2,5,5], f32[8,2,3,3], [3,3], c64[8], [1,1], [1,1])", "f32[2,8,5,5]"},
    {"slow_conv_transpose2d(f32[2,2,5,5], f32[2,8,3,3], [3,3], f64[8], [1,1], [1,1], [0,0], [2,2])", "f32[2,8,7,7]"},
    {"slow_conv_transpose3d(f32[2,2,5,5,5], f32[2,8,3,3,3], [3,3,3], f64[8])", "!DtypeMismatch"},
};

constexpr CallCase kBackwardInto[] = {
    {"_slow_conv2d_backward.grad_input(f32[1,2,4,4], f32[1,3,6,6], f32[2,3,3,3], [3,3], [1,1], [0,0], "
     "grad_input=f32[1,3,6,6], grad_weight=f32[2,3,3,3], grad_bias=f32[2])",
        "arg(3), arg(4), arg(5); writes 3; writes 4; writes 5"},
    {"_slow_conv2d_backward.grad_input(f32[1,2,4,4], f32[1,3,6,6], f32[2,3,3,3], [3,3], [1,1], [0,0], "
     "grad_input=f32[0], grad_weight=f32[0], grad_bias=f32[0])",
        "arg(3), arg(4), arg(5); 3 := f32[1,3,6,6]; writes 3; 4 := f32[2,3,3,3]; writes 4; 5 := f32[2]; writes 5"},
};

TEST(SlowConvolution, Kernels) { CheckCalls(kKernels); }
TEST(SlowConvolution, Time) { CheckCalls(kTime); }
TEST(SlowConvolution, BackwardInto) { CheckCalls(kBackwardInto); }

}  // namespace
}  // namespace fakeprop::testing
