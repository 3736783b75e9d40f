#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kGradients[] = {
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
};

TEST(ActivationBackward, Gradients) { CheckCalls(kGradients); }

}  // namespace
}  // namespace fakeprop::testing
