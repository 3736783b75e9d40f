#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

// Which dtypes an out tensor may have. torch 2.13; clamp.out as eager, FakeTensorMode lets it pass.
constexpr CallCase kDtypes[] = {
    {"add.out(f32[2,3], f32[3], out=f32[3,3]{0,1})", "!ValueError"},
    {"mean.out(i32[2,3], [0], out=f32[3])", "!DtypeMismatch"},
    {"mean.dtype_out(f32[2,3], out=f64[])", "arg(1); writes 1"},
    {"less.Tensor_out(f32[2,3], f32[3], out=f32[2,3])", "arg(2); writes 2"},
    {"special_gammainc.out(f32[2], f32[2], out=f64[2])", "arg(2); writes 2"},
    {"cat.out([f32[2,3], f32[2,3]], 1, out=f64[2,6])", "arg(2); writes 2"},
    {"stack.out([f32[2], f32[2]], out=f64[2,2])", "arg(2); writes 2"},
    {"floor.out(f32[2,3], out=f64[2,3])", "!DtypeMismatch"},
    {"clamp.out(f32[2], 0, 1, out=f64[2])", "!DtypeMismatch"},
    {"clip.Tensor_out(f32[2], f32[2], None, out=f64[2])", "arg(2); writes 2"},
    {"abs.out(f32[2], out=f64[2])", "!DtypeMismatch"},
    {"abs.out(c64[2], out=f32[2])", "arg(1); writes 1"},
    {"where.self_out(b8[2], f32[2], f32[2], out=f64[2])", "!DtypeMismatch"},
    {"min.unary_out(f32[2,3], out=f64[])", "arg(1); writes 1"},
    {"lerp.Scalar_out(f32[2], f32[2], 0.5, out=f64[2])", "arg(2); writes 2"},
    {"softshrink_backward.grad_input(f32[2], f32[2], 0.5, grad_input=f64[2])", "arg(2); writes 2"},
    {"_foreach_abs.out([f32[2,3]{1,2}], out=[f64[2,3]])", "!DtypeMismatch"},
    {"fft_irfft.out(c64[2,4], out=c64[2,6])", "!DtypeMismatch"},
    {"le.Tensor_out(qu8[2,3], qu8[2,3], out=b8[2,3])", "arg(2); writes 2"},
    {"le.Tensor_out(qu8[2,3], qu8[2,3], out=qu8[2,3])", "!DtypeMismatch"},
    {"le_.Tensor(qu8[2,3], qu8[2,3])", "!DtypeMismatch"},
    {"max.unary_out(qu8[2,3], out=qu8[])", "arg(1); writes 1"},
};

// Operators of which no kernel for quantized tensors is there, or that make no result of a quantized dtype. torch 2.15.
constexpr CallCase kWithoutQuantizedKernel[] = {
    {"acos(qu8[3,4])", "!DtypeMismatch"},
    {"add.Scalar(qu8[3,4], 1)", "!DtypeMismatch"},
    {"add_.Scalar(qu8[3,4], 1)", "!DtypeMismatch"},
    {"clamp(qu8[3,4], 0.5)", "qu8[3,4]"},
    {"fft_fft(qu8[4])", "!DtypeMismatch"},
    {"_to_copy(qu8[3,4])", "qu8[3,4]"},
    {"_foreach_mul.ScalarList([f32[2,2], qu8[3,3]], [8, 2])", "!DtypeMismatch"},
    {"_foreach_add_.Scalar([qu8[3,4]], 2)", "!DtypeMismatch"},
    {"_foreach_copy_([qu8[3,4]], [qu8[3,4]])", "; writes 0"},
};

// The strides of an out tensor that is resized. torch 2.13; greater and add as eager, FakeTensorMode makes them
// contiguous.
constexpr CallCase kStrides[] = {
    {"log_sigmoid_forward.output(f32[2,3]{1,2}, output=f32[3,3], buffer=f32[2,3])",
        "arg(1), arg(2); 1 := f32[2,3]; writes 1; writes 2"},
    {"greater.Scalar_out(f32[2,3]{1,2}, 1, out=i64[0])", "arg(1); 1 := i64[2,3]{1,2}; writes 1"},
    {"add.out(f32[3,2]{1,3}, f32[3,2]{1,3}, out=f32[0])", "arg(2); 2 := f32[3,2]{1,3}; writes 2"},
    {"sort.values(f32[3,2]{1,3}, 0, values=f32[0], indices=i64[0])",
        "arg(1), arg(2); 1 := f32[3,2]{1,3}; writes 1; 2 := i64[3,2]{1,3}; writes 2"},
    {"copy.out(f32[2,3]{1,2}, f32[3], out=f32[0])", "arg(2); 2 := f32[2,3]; writes 2"},
    {"_foreach_abs.out([f32[2,3]{1,2}], out=[f32[0]])", "; 1 := f32[2,3]; writes 1"},
    {"binomial.out(f32[2,3]{1,2}, f32[2,3]{1,2}, out=f32[2,3]{1,2})", "arg(2); writes 2"},
    {"fft_irfft.out(c64[2,4], out=f64[0])", "arg(1); 1 := f64[2,6]; writes 1"},
    {"_fft_c2c.out(c64[2,3,4], [1], 0, True, out=c64[0])", "arg(1); 1 := c64[2,3,4]; writes 1"},
    {"kron.out(f32[2,2], f32[3,3], out=f64[0])", "arg(2); 2 := f64[6,6]; writes 2"},
    {"split_copy.Tensor_out(f32[4,3], 2, out=[f32[2,3], f64[2,3]])", "; writes 1; writes 2"},
    {"split_copy.Tensor_out(f32[4,3], 2, out=[f32[2,3], f32[0]])", "!ShapeMismatch"},
    {"cholesky.out(f32[3,3], out=f32[0])", "arg(1); 1 := f32[3,3]; writes 1"},
    {"mvlgamma.out(f32[3,8], 3, out=f32[3,3]{3,0})", "arg(1); 1 := f32[3,8]; writes 1"},
};

TEST(OutForms, Dtypes) { CheckCalls(kDtypes); }
TEST(OutForms, WithoutQuantizedKernel) { CheckCalls(kWithoutQuantizedKernel); }
TEST(OutForms, Strides) { CheckCalls(kStrides); }

}  // namespace
}  // namespace fakeprop::testing
