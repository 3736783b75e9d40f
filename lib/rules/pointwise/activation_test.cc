#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kFunctions[] = {
    {"rrelu_with_noise(f64[3], f32[3], 0.1, 0.3, True)", "!DtypeMismatch"},
    {"hardtanh(u8[2], -0.5, 0.5)", "u8[2]"},
    {"log_sigmoid_forward.output(f32[3,4], output=f32[3,4]{1,3}, buffer=f32[3,4]{1,3})",
        "arg(1), arg(2); writes 1; writes 2; 2 := f32[3,4]"},
    {"relu(f32[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"relu(i64[3])", "i64[3]"},
    {"relu(b8[2])", "!DtypeMismatch"},
    {"relu6(f32[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"leaky_relu(f32[2,3,4]{1,2,6}, 0.2)", "f32[2,3,4]{1,2,6}"},
    {"leaky_relu(i64[2])", "!DtypeMismatch"},
    {"gelu(f32[2,3]{1,2}, approximate=\"tanh\")", "f32[2,3]{1,2}"},
    {"gelu(f32[2], approximate=\"no\")", "!ValueError"},
    {"silu(c64[2,3]{1,2})", "c64[2,3]{1,2}"},
    {"silu(i64[2])", "!DtypeMismatch"},
    {"elu(f32[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"elu_(f32[3])", "arg(0); writes 0"},
    {"celu(f32[2,3]{1,2}, 0.5)", "f32[2,3]{1,2}"},
    {"selu(i64[2])", "!DtypeMismatch"},
    {"hardtanh(f32[2,3]{1,2}, 0.0, 6.0)", "f32[2,3]{1,2}"},
    {"hardtanh(b8[2])", "!DtypeMismatch"},
    {"hardtanh(u8[20], 0, 1)", "u8[20]"},
    {"hardtanh(u8[20], -1.0, 1.0)", "!ValueError"},
    // Maps of 1x1 stay channels-last beside operands of another shape, such as numbers.
    {"hardtanh(f32[2,3,1,1]{3,1,3,3})", "f32[2,3,1,1]{3,1,3,3}"},
    {"relu6(f32[2,3,1,1]{3,1,3,3})", "f32[2,3,1,1]{3,1,3,3}"},
    {"relu(f32[2,3,1,1]{3,1,3,3})", "f32[2,3,1,1]"},
    {"prelu(f32[2,3,1,1]{3,1,3,3}, f32[3])", "f32[2,3,1,1]{3,1,3,3}"},
    {"rrelu(f32[3,4]{1,3})", "f32[3,4]"},
    {"hardsigmoid(f32[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"hardswish(i64[2])", "!DtypeMismatch"},
    {"hardshrink(f32[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"softshrink(f32[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"softshrink(f32[2], -1.0)", "!ValueError"},
    {"softplus(f32[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"mish(f32[3])", "f32[3]"},
    {"threshold(i64[2,3]{1,2}, 1, 2)", "i64[2,3]{1,2}"},
    {"log_sigmoid(f32[2,3]{1,2})", "f32[2,3]"},  // as the kernel; FakeTensorMode keeps the strides
    {"log_sigmoid(f32[2,3]{1,2}@cuda:0)", "f32[2,3]{1,2}@cuda:0"},
    {"log_sigmoid_forward(f32[2,3]{1,2})", "f32[2,3], f32[2,3]"},
    {"log_sigmoid_forward(f32[2]@cuda:0)", "f32[2]@cuda:0, f32[0]@cuda:0"},
    {"log_sigmoid_forward(i64[2])", "!DtypeMismatch"},
    {"glu(f32[2,4]{1,2}, 1)", "f32[2,2]{1,2}"},
    {"glu(f32[4,3,2])", "f32[4,3,1]"},
    {"glu(f32[2,3])", "!ShapeMismatch"},
    {"prelu(f32[2,3,4]{1,2,6}, f32[3])", "f32[2,3,4]{1,2,6}"},
    {"prelu(f32[2,3], f32[1])", "f32[2,3]"},
    {"prelu(f32[2,3], f32[4])", "!ShapeMismatch"},
    {"prelu(f32[2], f64[1])", "!DtypeMismatch"},
    {"rrelu(f32[2,3]{1,2})", "f32[2,3]"},
    {"rrelu(f32[3], 0.3, 0.1)", "!ValueError"},
    {"rrelu_with_noise(f32[3], f32[3], 0.3, 0.1)", "f32[3]; writes 1"},
    {"rrelu_with_noise(f32[3], f32[3], 0.1, 0.3, True)", "f32[3]; writes 1"},
    {"rrelu_with_noise(f32[4,3], f32[3,2], 0.1, 0.3, True)", "!ShapeMismatch"},
    {"rrelu_with_noise(f32[4,3]@cuda:0, f32[3,2]@cuda:0, 0.1, 0.3, True)", "f32[4,3]@cuda:0; writes 1"},
    {"rrelu_with_noise_functional(f32[2,3]{1,2}, f32[2,3])", "f32[2,3]{1,2}, f32[2,3]"},
    {"rrelu(f32[5,5], 0.3, 0.1)", "!ValueError"},
    {"feature_dropout(f32[1,1,4,3]{12,1,3,1}, 0.5, True)", "f32[1,1,4,3]{12,1,3,1}"},
    {"dropout(f32[2,1,5,4]{20,1,4,1}, 1.0, True)", "f32[2,1,5,4]{20,1,4,1}"},
};

constexpr CallCase kDropout[] = {
    {"feature_dropout(f32[0], 0.5, True)", "arg(0)"},
    {"native_dropout(f32[0,3], 0.5, True)", "arg(0), f32[0,3]"},
    {"native_dropout(f32[0,3]@cuda:0, 0.5, True)", "f32[0,3]@cuda:0, b8[0,3]@cuda:0"},
    {"dropout_(f32[4,3], 0.5, False)", "arg(0)"},
    {"alpha_dropout_(f32[0,3], 0.5, True)", "arg(0)"},
    {"dropout_(f32[4,3], 0.5, True)", "arg(0); writes 0"},
    {"dropout(f32[2,3]{1,2}, 0.5, False)", "arg(0)"},
    {"dropout(f32[2,3]{1,2}, 0.5, True)", "f32[2,3]{1,2}"},
    {"dropout(f32[2], 0.0, True)", "arg(0)"},
    {"dropout(f32[2], 1.5, True)", "!ValueError"},
    {"dropout(i64[2], 0.5, True)", "!DtypeMismatch"},
    {"dropout_(f32[2,3]{1,2}, 0.5, True)", "arg(0); writes 0"},
    {"feature_dropout(f32[2,3,4]{1,2,6}, 0.5, True)", "f32[2,3,4]{1,2,6}"},
    {"feature_dropout(f32[2], 0.5, True)", "!ShapeMismatch"},
    {"alpha_dropout(f32[2,3]{1,2}, 0.5, True)", "f32[2,3]{1,2}"},
    {"native_dropout(f32[2,3]{1,2}, 0.5, True)", "f32[2,3]{1,2}, b8[2,3]{1,2}"},
    {"native_dropout(f32[3], 0.5, None)", "f32[3], b8[3]"},
};

TEST(Activation, Functions) { CheckCalls(kFunctions); }
TEST(Activation, Dropout) { CheckCalls(kDropout); }

}  // namespace
}  // namespace fakeprop::testing
