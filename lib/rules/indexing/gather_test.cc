#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kGather[] = {
    {"gather(f32[2,3]{1,2}, 1, i64[2,2]{1,2})", "f32[2,2]"},
    {"gather_backward(f32[2,2], f32[2,3], 1, f64[2,2], False)", "!DtypeMismatch"},
    {"gather(f32[3], 0, i64[])", "f32[]"},
    {"gather(f32[2,3], 0, i64[2,4])", "!ShapeMismatch"},
    {"gather(f32[2,3], 0, f32[2,3])", "!DtypeMismatch"},
    {"gather(f32[2,3], 2, i64[2,3])", "!IndexOutOfRange"},
    {"gather_backward(f32[2,2], f32[2,3]{1,2}, 1, i64[2,2], False)", "f32[2,3]"},
    {"value_selecting_reduction_backward(f32[3]{2}, 0, i64[3], [2,3], False)", "f32[2,3]"},
    {"value_selecting_reduction_backward(f32[2,1], 1, i64[2,1], [2,3], True)", "f32[2,3]"},
    {"value_selecting_reduction_backward(f32[], 0, i64[], [], False)", "f32[]"},
    {"value_selecting_reduction_backward(f32[], 0, i64[], [3], False)", "f32[3]"},
    {"value_selecting_reduction_backward(f32[2,4], 1, i32[2,4], [2,3,4], False)", "f32[2,3,4]"},
    {"value_selecting_reduction_backward(f32[4], 1, i64[2], [2,3], False)", "f32[2,3]"},
    {"value_selecting_reduction_backward(f64[2], -1, i64[3], [2,3], False)", "!ShapeMismatch"},
    {"value_selecting_reduction_backward(f32[2], 2, i64[2], [2,3], False)", "!IndexOutOfRange"},
    {"value_selecting_reduction_backward(f32[2], 1, f32[2], [2,3], False)", "!DtypeMismatch"},
    {"value_selecting_reduction_backward(f32[2,1], 1, i64[2], [2,3], True)", "!ShapeMismatch"},
    {"cummaxmin_backward(f32[3,4]{1,3}, f32[3,4]{1,3}, i64[3,4], 1)", "f32[3,4]"},
    {"cummaxmin_backward(f32[0,4], f32[0,4]{1,1}, i64[0,4], 1)", "arg(1)"},
    {"cummaxmin_backward(f32[], f32[], i64[], 0)", "f32[]"},
    {"cummaxmin_backward(f32[3,4], f64[3,4], i64[3,4], 0)", "!DtypeMismatch"},
    {"cummaxmin_backward(f32[3,4], f32[3,4], i64[3,4], 2)", "!IndexOutOfRange"},
    {"cummaxmin_backward(f32[3,4], f32[3,4], i64[4,4], 1)", "!ShapeMismatch"},
    {"cummaxmin_backward(f32[3], f32[3], f32[3], 0)", "!DtypeMismatch"},
    {"gather_backward(f32[2,2], f32[2,3], 1, i64[2], False)", "!ShapeMismatch"},
    {"take(f32[2,3]{1,2}, i64[4,2]{1,4})", "f32[4,2]"},
    {"take(f32[2], i32[4])", "!DtypeMismatch"},
    {"take(f32[0], i64[4])", "!IndexOutOfRange"},
    {"take_along_dim(f32[2,3]{1,2}, i64[1,2], 1)", "f32[2,2]"},
    {"take_along_dim(f32[2,3], i64[4])", "f32[4]"},
    {"take_along_dim(f32[2,3], i64[2,3])", "f32[6]"},
    {"take_along_dim(f32[2,3], f32[2,3], 0)", "!DtypeMismatch"},
    {"index_select(f32[2,3,4,5]{60,1,15,3}, 1, i64[2])", "f32[2,2,4,5]"},
    {"index_select(f32[], 0, i64[1])", "f32[]"},
    {"index_select(f32[2,3], 0, i64[2,2])", "!ShapeMismatch"},
    {"index_select(f32[2,3], 2, i64[2])", "!IndexOutOfRange"},
    {"index_select_backward(f32[2,2], [2,3], 1, i64[2])", "f32[2,3]"},
    {"index_select_backward(f32[2,2], [2,3], 1, i64[3])", "!ShapeMismatch"},
    {"index_select.out(f32[1], 0, i64[1], out=f32[3,4]{0,0})", "!ValueError"},
    {"repeat_interleave.self_Tensor(c64[0,2], repeats=i32[], dim=0, output_size=6)", "c64[0,2]"},
};

constexpr CallCase kScatter[] = {
    {"scatter.src(f32[2,3]{1,2}, 0, i64[1,3], f32[2,3])", "f32[2,3]"},
    {"scatter.src(f32[2,3], 0, i64[1,3], f64[2,3])", "!DtypeMismatch"},
    {"scatter.src(f32[2,3], 1, i64[3,1], f32[3,1])", "!ShapeMismatch"},
    {"scatter.value(f32[2,3]{1,2}, 0, i64[1,3], 1.0)", "f32[2,3]"},
    {"scatter.value(f32[], 0, i64[], 1)", "f32[]"},
    {"scatter.value(f32[2,3], 0, f32[1,3], 1.0)", "!DtypeMismatch"},
    {"scatter.reduce(f32[2,3], 0, i64[1,3], f32[2,3], reduce=\"add\")", "f32[2,3]"},
    {"scatter.reduce(f32[2,3], 0, i64[1,3], f32[2,3], reduce=\"sum\")", "!ValueError"},
    {"scatter.value_reduce(f32[2,3]{1,2}, 0, i64[1,3], 2.0, reduce=\"multiply\")", "f32[2,3]"},
    {"scatter_add(f32[2,3]{1,2}, 0, i64[1,3], f32[1,3])", "f32[2,3]"},
    {"scatter_add(f32[3], 0, i64[4], f32[3])", "!ShapeMismatch"},
    {"scatter_reduce.two(f32[2,3]{1,2}, 0, i64[1,3], f32[2,3], \"amax\")", "f32[2,3]"},
    {"scatter_reduce.two(f32[3], 0, i64[2], f32[3], \"add\")", "!ValueError"},
    {"index_add(f32[2,3]{1,2}, 0, i64[1], f32[1,3])", "f32[2,3]"},
    {"index_add(f32[4], 0, i64[2], f32[3])", "!ShapeMismatch"},
    {"index_reduce(f32[2,3]{1,2}, 0, i64[1], f32[1,3], \"prod\")", "f32[2,3]"},
    {"index_reduce(f32[4], 0, i64[1], f32[1], \"sum\")", "!ValueError"},
    {"index_copy(f32[2,3]{1,2}, 1, i64[2], f32[2,2])", "f32[2,3]"},
    {"index_copy(f32[2], 0, i32[1], f32[1])", "!DtypeMismatch"},
    {"index_fill.int_Scalar(f32[2,3]{1,2}, 0, i64[1], 1.0)", "f32[2,3]{1,2}"},
    {"index_fill.int_Scalar(f32[2], 1, i64[1], 1.0)", "!IndexOutOfRange"},
    {"index_fill.int_Tensor(f32[2,3], 0, i64[1], f32[])", "f32[2,3]"},
    {"index_fill_.int_Scalar(f32[5]{0}, -1, i64[], 3.0)", "arg(0); writes 0"},
    {"index_fill.int_Tensor(f32[2], 0, i64[1], f32[1])", "!ShapeMismatch"},
    {"put(f32[2,3]{1,2}, i64[2], f32[2])", "f32[2,3]{1,2}"},
    {"put(f32[2], i64[2], f32[3])", "!ShapeMismatch"},
};

constexpr CallCase kShapes[] = {
    {"take_along_dim(f32[2,3], i32[2,3], 1)", "!DtypeMismatch"},
    {"take_along_dim(f32[2,3], i32[2,3])", "f32[6]"},
    {"take_along_dim(i64[2,3,1], i16[3,4])", "!DtypeMismatch"},
    {"one_hot(i64[2,3]{1,2}, 5)", "i64[2,3,5]"},
    {"one_hot(i64[2])", "!DataDependentOutput"},
    {"one_hot(f32[2], 3)", "!DtypeMismatch"},
    {"tril(f32[2,3]{1,2})", "f32[2,3]"},
    {"triu(f32[2,3,4], 1)", "f32[2,3,4]"},
    {"triu(f32[3])", "!ShapeMismatch"},
    {"repeat_interleave.Tensor(i64[3])", "!DynamicOutputShape"},
    {"repeat_interleave.Tensor(i64[3], output_size=7)", "i64[7]"},
    {"repeat_interleave.Tensor(f32[3])", "!DtypeMismatch"},
    {"repeat_interleave.self_Tensor(f32[2,3]{1,2}, i64[3], 1, output_size=7)", "f32[2,7]"},
    {"repeat_interleave.self_Tensor(f32[2,3], i64[2], 1, output_size=7)", "!ShapeMismatch"},
    {"repeat_interleave.self_Tensor(f32[2,3], i64[6], output_size=9)", "f32[9]"},
    {"repeat_interleave.self_int(f32[2,3]{1,2}, 2, 1)", "f32[2,6]"},
    {"repeat_interleave.self_int(f32[2,3], 2)", "f32[12]"},
    {"repeat_interleave.self_int(f32[2], -1)", "!ValueError"},
};

TEST(Gather, Gather) { CheckCalls(kGather); }
TEST(Gather, Scatter) { CheckCalls(kScatter); }
TEST(Gather, Shapes) { CheckCalls(kShapes); }

}  // namespace
}  // namespace fakeprop::testing
