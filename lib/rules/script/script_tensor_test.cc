#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kTensors[] = {
    {"to.prim_Device(f32[2,3]{1,2}, cpu)", "arg(0)"},
    {"to.prim_dtype(f32[2,3]{1,2}, 3)", "i32[2,3]{1,2}"},
    {"to.prim_dtype(f32[2], None)", "arg(0)"},
    {"to.prim_other(f32[2])", "arg(0)"},
    {"as_tensor(f32[2,3]{1,2}, dtype=float64)", "f64[2,3]{1,2}"},
    {"as_tensor(f32[2,3])", "arg(0)"},
    {"cpu(f32[2])", "arg(0)"},
    {"as_tensor.int(1)", "i64[]"},
    {"as_tensor.float(1.5, dtype=int32)", "i32[]"},
    {"as_tensor.bool(True)", "b8[]"},
    {"tensor.int(3)", "i64[]"},
    {"tensor.float(3.5, dtype=float64)", "f64[]"},
    {"tensor.complex(1.0+2.0j)", "c64[]"},
    {"_list_to_tensor([1,2])", "i32[2]"},
    {"copy_.int(f32[2,3]{1,2}, 3)", "arg(0); writes 0"},
    {"copy_.float(i64[2], 3.5)", "arg(0); writes 0"},
    {"copy_.Tensor(f32[2,3]{1,2}, f32[3])", "arg(0); writes 0"},
    {"copy_.Tensor(f32[2], f32[3])", "!ShapeMismatch"},
    {"_no_grad_fill_(f32[2,3]{1,2}, 3.0)", "arg(0); writes 0"},
    {"_no_grad_zero_(f32[2])", "arg(0); writes 0"},
    {"_grad_sum_to_size(f32[2,3]{1,2}, [3])", "f32[3]"},
    {"_grad_sum_to_size(f32[2,3]{1,2}, None)", "arg(0)"},
    {"_grad_sum_to_size(f32[2,3], [4])", "!ShapeMismatch"},
    {"Int.Tensor(i64[])", "!DataDependentOutput"},
    {"Float.Tensor(f32[2])", "!ValueError"},
    {"Bool.Tensor(b8[])", "!DataDependentOutput"},
    {"ScalarImplicit(f32[])", "!DataDependentOutput"},
    {"_grad_sum_to_size(f32[4,2,3], [3])", "f32[3]"},
    {"_list_to_tensor([1])", "i32[1]"},
    {"_no_grad_fill_(f32[2], 3.0)", "arg(0); writes 0"},
    {"_no_grad_zero_(f32[2,3]{1,2})", "arg(0); writes 0"},
    {"as_tensor(f32[2], dtype=float64)", "f64[2]"},
    {"as_tensor.complex(1.0+2.0j)", "c64[]"},
    {"tensor.bool(True)", "b8[]"},
    {"copy_.float(i64[2,3]{1,2}, 3.5)", "arg(0); writes 0"},
    {"copy_.int(f32[2], 3)", "arg(0); writes 0"},
    {"cpu(f32[2,3]{1,2})", "arg(0)"},
    {"to.prim_Device(f32[2], cpu, 7)", "f64[2]"},
    {"to.prim_other(f32[2,3]{1,2})", "arg(0)"},
    {"IntImplicit(i64[1,1])", "!DataDependentOutput"},
    {"Bool.Tensor(b8[1])", "!DataDependentOutput"},
    {"Int.Tensor(i64[1])", "!DataDependentOutput"},
    {"IntImplicit(i64[])", "!DataDependentOutput"},
    {"ScalarImplicit(f32[1,1])", "!DataDependentOutput"},
};

TEST(ScriptTensor, Tensors) { CheckCalls(kTensors); }

}  // namespace
}  // namespace fakeprop::testing
