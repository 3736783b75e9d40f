#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kConvolutions[] = {
    {"conv2d(f32[2,3,8,8], f32[4,3,3,3], f32[4])", "f32[2,4,6,6]"},
    {"conv2d(f64[2,3,8,8], f64[4,3,3,0])", "!ShapeMismatch"},
    {"conv2d(f32[2,3,8,8]{192,1,24,3}, f32[4,3,3,3], f32[4])", "f32[2,4,6,6]{144,1,24,4}"},
    {"conv2d(f32[2,3,8,8], f32[4,3,3,3]{27,1,9,3})", "f32[2,4,6,6]{144,1,24,4}"},
    {"conv2d(f64[2,3,8,8]{192,1,24,3}, f64[4,3,3,3])", "f64[2,4,6,6]{144,1,24,4}"},
    {"conv2d(f32[3,8,8]{1,24,3}, f32[4,3,3,3], f32[4])", "f32[4,6,6]"},
    {"conv2d(f32[3,8,8], f32[4,3,3,3], f64[4])", "!DtypeMismatch"},
    {"conv2d(f32[3,8,8], f32[4,3,3,3], f32[3])", "!ShapeMismatch"},
    {"conv2d(f32[2,3,8,8], f32[4,3,3,3], None, [2,2], [1,1], [2,2], 1)", "f32[2,4,3,3]"},
    {"conv2d(f32[2,4,8,8], f32[4,1,3,3], None, [1], [1], [1], 4)", "f32[2,4,8,8]"},
    {"conv2d(f32[2,4,8,8], f32[4,1,3,3], None, [1], [1], [1], 3)", "!ShapeMismatch"},
    {"conv2d(f32[2,3,8,8], f32[4,3,9,9])", "!ShapeMismatch"},
    {"conv2d(f32[2,3,8,8], f32[4,3,3,3], None, [1,1], [-1,0])", "!ValueError"},
    {"conv2d(f32[2,3,8,8], f32[4,3,3,3], None, [0,1])", "!ValueError"},
    {"conv2d(f32[2,3,8,8], f32[4,3,3,3], None, [1,1,1])", "!ValueError"},
    {"conv2d(f32[0,3,8,8], f32[4,3,3,3])", "f32[0,4,6,6]"},
    {"conv2d(f32[2,0,8,8], f32[4,0,3,3])", "f32[2,0,6,6]"},
    {"conv2d(f32[0,3,8,8], f64[4,3,3,3])", "f32[0,4,6,6]"},
    {"conv2d(bf16[0,3,8,8], c64[4,3,3,3])", "c64[0,4,6,6]"},
    {"conv2d(f32[2,0,8,8], f64[4,0,3,3])", "f64[2,0,6,6]"},
    {"conv2d(f32[0,3,8,8], f64[4,3,3,3], f64[4])", "!DtypeMismatch"},
    {"conv2d(f32[2,3,0,8], f32[4,3,3,3], None, [1,1], [2,2])", "!ShapeMismatch"},
    {"conv2d(f32[8,8], f32[4,3,3,3])", "!ShapeMismatch"},
    {"conv2d(c64[2,3,8,8], c64[4,3,3,3], c64[4])", "c64[2,4,6,6]"},
    {"conv2d(i64[2,3,8,8], i64[4,3,3,3])", "i64[2,4,6,6]"},
    {"conv2d(i64[2,3,7,7], i64[4,3,3,3], None, [1,1], [0,0], [2,2])", "i64[2,4,3,3]"},
    {"conv2d(u8[2,3,7,7], u8[4,3,3,3])", "u8[2,4,5,5]"},
    {"conv2d(u8[2,3,7,7], u8[4,3,3,3], None, [1,1], [0,0], [1,2])", "!DtypeMismatch"},
    {"conv2d(u8[0,3,7,7], u8[4,3,3,3], None, [1,1], [0,0], [2,2])", "u8[0,4,3,3]"},
    {"conv1d(i16[2,3,7], i16[4,3,3], None, [1], [0], [2])", "!DtypeMismatch"},
    {"conv3d(i32[2,3,7,7,7], i32[4,3,3,3,3], None, [1,1,1], [0,0,0], [2,2,2])", "!DtypeMismatch"},
    {"convolution(i64[2,3,7,7], i64[3,4,3,3], None, [1,1], [0,0], [1,1], True, [0,0], 1)", "i64[2,4,9,9]"},
    {"conv_transpose2d.input(f32[2,3,5,5], f32[3,0,3,3])", "!ShapeMismatch"},
    {"conv_transpose2d.input(f32[2,3,5,5], f32[3,4,0,3])", "!ShapeMismatch"},
    {"conv_transpose1d(f32[0,3,5], f32[3,0,3])", "!ShapeMismatch"},
    {"convolution(u8[2,3,7,7], u8[3,4,3,3], None, [1,1], [0,0], [1,1], True, [0,0], 1)", "!DtypeMismatch"},
    {"conv1d(f32[2,3,8], f32[4,3,3])", "f32[2,4,6]"},
    {"conv1d(f32[2,3,8]{24,1,3}, f32[4,3,3])", "f32[2,4,6]"},
    {"conv1d(f32[2,3,8], f32[4,3,3]{9,1,3})", "f32[2,4,6]{24,1,4}"},
    {"conv1d(f32[3,8], f32[4,3,3])", "f32[4,6]"},
    {"conv1d(f32[2,1,8], f32[4,1,3])", "f32[2,4,6]"},
    {"conv1d.padding(f32[2,3,8], f32[4,3,3], None, [1], \"same\")", "f32[2,4,8]"},
    {"conv1d.padding(f32[2,3,8], f32[4,3,4], None, [1], \"same\")", "f32[2,4,8]"},
    {"conv1d.padding(f32[2,3,8], f32[4,3,4], None, [2], \"same\")", "!ValueError"},
    {"conv1d.padding(f32[2,3,8], f32[4,3,4], None, [2], \"valid\")", "f32[2,4,3]"},
    {"conv1d.padding(f32[2,3,8], f32[4,3,4], None, [2], \"full\")", "!ValueError"},
    {"conv2d.padding(f32[2,3,8,8]{192,1,24,3}, f32[4,3,4,3], None, [1], \"same\", [2,3])", "f32[2,4,8,8]{256,1,32,4}"},
    {"conv3d(f32[2,3,5,5,5]{375,1,75,15,3}, f32[4,3,2,2,2])", "f32[2,4,4,4,4]{256,1,64,16,4}"},
    {"conv3d(f32[1,3,5,5,5]{375,1,75,15,3}, f32[4,3,2,2,2])", "f32[1,4,4,4,4]"},
    {"conv3d(bf16[1,3,5,5,5]{375,1,75,15,3}, bf16[4,3,2,2,2])", "bf16[1,4,4,4,4]{256,1,64,16,4}"},
    {"conv3d(f64[2,3,5,5,5]{375,1,75,15,3}, f64[4,3,2,2,2])", "f64[2,4,4,4,4]"},
    {"conv3d(f32[3,5,5,5], f32[4,3,2,2,2])", "f32[4,4,4,4]"},
    {"conv2d(f32[2,0,4,4], f32[2,0,0,2])", "f32[2,0,5,3]"},
    {"conv2d(f32[0,3,4,4], f32[2,3,0,2])", "!ShapeMismatch"},
    {"conv3d.padding(f32[3,1,4,4,3], f32[1,1,1,1,1], f64[1])", "f32[3,1,4,4,3]"},
    {"conv_transpose3d.input(f32[3,3,3,1,1]{9,1,3,3,3}, f32[3,3,3,1,1]{9,1,3,3,3})", "f32[3,3,5,1,1]"},
    {"conv_transpose2d.input(f32[3,1,4,4], f32[1,1,1,1], f64[1])", "f32[3,1,4,4]"},
};

constexpr CallCase kTransposed[] = {
    {"convolution(f32[4,4,1], f32[4,4,1], None, [2], [1], [1], True, [1], 1)", "f32[4,4,0]"},
    {"convolution(f64[4,4,1], f64[4,4,1], None, [2], [1], [1], True, [1], 1)", "!ShapeMismatch"},
    {"convolution(f32[4,4,1,1], f32[4,4,1,1], None, [2,2], [1,1], [1,1], True, [1,1], 1)", "f32[4,4,0,0]"},
    {"conv_transpose1d(f32[2,3,8], f32[3,4,3], f32[4])", "f32[2,4,10]"},
    {"conv_transpose2d.input(f32[2,3,8,8], f32[3,4,3,3], f32[4], [2,2], [1,1], [1,1], 1, [1,1])", "f32[2,4,16,16]"},
    {"conv_transpose2d.input(f32[2,3,8,8]{192,1,24,3}, f32[3,4,3,3], f32[4], [2,2], [1,1], [1,1], 1, [1,1])",
        "f32[2,4,16,16]{1024,1,64,4}"},
    {"conv_transpose2d.input(f32[2,3,8,8], f32[3,4,3,3], f32[4], [2,2], [1,1], [2,2], 1, [1,1])", "!ValueError"},
    {"conv_transpose2d.input(f32[2,4,8,8], f32[4,3,3,3], f32[6], [2,2], [1,1], [0,0], 2, [1,1])", "f32[2,6,15,15]"},
    {"conv_transpose3d.input(f32[2,3,5,5,5]{375,1,75,15,3}, f32[3,4,2,2,2])", "f32[2,4,6,6,6]{864,1,144,24,4}"},
    {"conv_transpose2d.input(f32[2,3,1,1], f32[3,4,1,1], None, [1,1], [1,1])", "!ShapeMismatch"},
    {"conv_transpose2d.input(f32[2,3,1,9], f32[3,4,1,1], None, [1,1], [1,1])", "!ShapeMismatch"},
};

constexpr CallCase kGeneral[] = {
    {"convolution(f32[0,8,5], f64[8,8,3], f64[8], [1], [0], [1], False, [0], 1)", "f32[0,8,3]"},
    {"convolution(f32[0,8,5], f64[8,8,3], c64[8], [1], [0], [1], False, [0], 1)", "!DtypeMismatch"},
    {"convolution(i64[0,8,5], bf16[8,8,3], None, [1], [0], [1], True, [0], 1)", "bf16[0,8,7]"},
    {"mkldnn_convolution(f32[2,3,5,5]{75,1,15,3}, f32[4,3,3,3], None, [1,1], [1,1], [1,1], 1)",
        "f32[2,4,5,5]{100,1,20,4}"},
    {"mkldnn_convolution(f32[2,3,5,5,5], f32[4,3,3,3,3], f32[4], [1,1,1], [1,1,1], [1,1,1], 1)", "f32[2,4,5,5,5]"},
    {"mkldnn_convolution(i64[2,3,5,5], i64[4,3,3,3], None, [1,1], [1,1], [1,1], 1)", "!DtypeMismatch"},
    {"mkldnn_convolution(f32[2,3,5,5], f32[4,2,3,3], None, [1,1], [1,1], [1,1], 1)", "!ShapeMismatch"},
    {"convolution(f32[2,3,8,8]@cuda:0, f32[4,3,3,3]{27,1,9,3}@cuda:0, None, [1,1], [0,0], [1,1], False, [0,0], 1)",
        "f32[2,4,6,6]{144,1,24,4}@cuda:0"},
    {"convolution(f32[2,3,8], f32[4,3,3]{9,1,3}, None, [1], [0], [1], False, [0], 1)", "f32[2,4,6]{24,1,4}"},
    {"convolution(f32[2,3,8,8], f64[4,3,3,3], None, [1,1], [0,0], [1,1], False, [0,0], 1)", "!DtypeMismatch"},
    {"convolution(f32[2,3,8,8], f32[4,3,3,3], f64[4], [1,1], [0,0], [1,1], False, [0,0], 1)", "!DtypeMismatch"},
    // Which kernel runs, and so whether it casts the bias, goes by the image that a 1-d input runs as.
    {"convolution(f32[1,4,30], f32[5,4,5], f64[5], [1], [0], [1], False, [0], 1)", "f32[1,5,26]"},
    {"convolution(f32[1,4,6000], f32[5,4,3], f64[5], [1], [0], [1], False, [0], 1)", "!DtypeMismatch"},
    {"convolution(f32[2,4,30], f32[5,4,5], f64[5], [1], [0], [1], False, [0], 1)", "!DtypeMismatch"},
    {"convolution_backward(f32[2,4,6,6], f32[2,3,8,8]{192,1,24,3}, f32[4,3,3,3], [4], [1,1], [0,0], [1,1], False, "
     "[0,0], 1, [True,True,True])",
        "f32[2,3,8,8]{192,1,24,3}, f32[4,3,3,3]{27,1,9,3}, f32[4]"},
    {"convolution_backward(f32[2,4,6,6]{144,1,24,4}, f32[2,3,8,8], f32[4,3,3,3], [4], [1,1], [0,0], [1,1], False, "
     "[0,0], 1, [True,False,True])",
        "f32[2,3,8,8], None, f32[4]"},
    {"convolution_backward(f32[2,4,6], f32[2,3,8], f32[4,3,3]{9,1,3}, [4], [1], [0], [1], False, [0], 1, "
     "[True,True,True])",
        "f32[2,3,8]{24,1,3}, f32[4,3,3]{9,1,3}, f32[4]"},
    {"convolution_backward(f32[2,4,6], f32[2,3,8], f32[4,3,3], None, [1], [0], [1], False, [0], 1, [True,True,False])",
        "f32[2,3,8], f32[4,3,3], None"},
    {"conv2d(f32[2,6,5,7]@cuda:0, f32[8,6,3,3])", "!DeviceMismatch"},
};

TEST(Convolution, Convolutions) { CheckCalls(kConvolutions); }
TEST(Convolution, Transposed) { CheckCalls(kTransposed); }
TEST(Convolution, General) { CheckCalls(kGeneral); }

}  // namespace
}  // namespace fakeprop::testing
