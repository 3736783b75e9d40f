#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kGradients[] = {
    {"rrelu_with_noise_backward(f64[2,3], f64[2,3]{1,2}, f64[2,3]{1,2}, 0.0, 1.0, False, False)", "f64[2,3]{1,2}"},
    {"rrelu_with_noise_backward(f64[], f64[2], f64[], 0.0, 1.0, True, False)", "f64[]"},
    {"threshold_backward(f32[2,3]{1,2}, f32[2,3]{1,2}, 0)", "f32[2,3]{1,2}"},
    {"threshold_backward(f32[2], f32[3], 0)", "!ShapeMismatch"},
    {"leaky_relu_backward(f32[2,3]{1,2}, f32[3], 0.1, False)", "f32[2,3]{1,2}"},
    {"gelu_backward(f32[2,3]{1,2}, f32[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"silu_backward(f32[2,3], f32[2,3]{1,2})", "f32[2,3]"},
    {"elu_backward(f32[2,3]{1,2}, 1.0, 1, 1, False, f64[2,3])", "f64[2,3]{1,2}"},
    {"hardtanh_backward(f32[2,3]{1,2}, f32[2,3], -1, 1)", "f32[2,3]{1,2}"},
    {"hardsigmoid_backward(f32[2,3]{1,2}, f32[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"sigmoid_backward(f32[2,3]{1,2}, f32[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"tanh_backward(f32[2,3,4]{1,2,6}, f32[2,3,4]{1,2,6})", "f32[2,3,4]{1,2,6}"},
    {"log_sigmoid_backward(f32[2,3]{1,2}, f32[2,3]{1,2}, f32[2,3])", "f32[2,3]{1,2}"},
    {"glu_backward(f32[2,2]{1,2}, f32[2,4]{1,2}, 1)", "f32[2,4]"},
    {"glu_backward(f32[2,2], f32[2,3], 1)", "!ShapeMismatch"},
    {"_prelu_kernel_backward(f32[2,3]{1,2}, f32[2,3]{1,2}, f32[1,3])", "f32[2,3]{1,2}, f32[2,3]{1,2}"},
    {"native_dropout_backward(f32[2,3]{1,2}, b8[2,3]{1,2}, 2.0)", "f32[2,3]{1,2}"},
    {"threshold_backward(b8[5], b8[5], 0)", "!DtypeMismatch"},
    {"glu_backward(f32[9,4], f32[8,8], 1)", "!ShapeMismatch"},
};

constexpr CallCase kTangents[] = {
    {"glu_jvp(f32[2,3]{1,2}, f32[2,6], f32[2,6], -1)", "f32[2,3]{1,2}"},
    {"glu_jvp(f32[3,2]{1,3}, f32[6,2]{1,6}, f32[6,2]{1,6}, 0)", "f32[3,2]{1,3}"},
    {"glu_jvp(f32[2], f32[5], f32[5], 0)", "f32[2]"},
    {"glu_jvp(f32[1,2], f32[3,4], f32[3,4], 1)", "f32[3,2]"},
    {"glu_jvp(f32[2,3], f32[2,4], f32[2,4], 1)", "!IndexOutOfRange"},
    {"glu_jvp(f32[2,2], f64[2,4], f32[2,4], 1)", "!DtypeMismatch"},
    {"glu_jvp(f16[2,2], f16[2,4], f16[2,4], 1)", "!DtypeMismatch"},
    {"glu_jvp(f32[], f32[], f32[], 0)", "!IndexOutOfRange"},
    {"glu_backward_jvp(f32[2,4]{1,2}, f32[2,2]{1,2}, f32[2,4]{1,2}, f32[2,2]{1,2}, f32[2,4]{1,2}, 1)", "f32[2,4]"},
    {"glu_backward_jvp(f32[4], f32[2], f32[4], f32[2], f32[4], 0)", "f32[4]"},
    {"glu_backward_jvp(i64[4], i64[2], i64[4], i64[2], i64[4], 0)", "f32[4]"},
    {"glu_backward_jvp(f64[4], f32[2], f32[4], f32[2], f32[4], 0)", "f64[4]"},
    {"glu_backward_jvp(f32[2,4,2,2]{16,1,8,4}, f32[2,2,2,2]{8,1,4,2}, f32[2,4,2,2]{16,1,8,4}, f32[2,2,2,2]{8,1,4,2}, "
     "f32[2,4,2,2]{16,1,8,4}, 1)",
        "f32[2,4,2,2]{16,1,8,4}"},
    {"glu_backward_jvp(f32[4], f32[3], f32[4], f32[2], f32[4], 0)", "!IndexOutOfRange"},
};

TEST(ActivationBackward, Gradients) { CheckCalls(kGradients); }
TEST(ActivationBackward, Tangents) { CheckCalls(kTangents); }

}  // namespace
}  // namespace fakeprop::testing
