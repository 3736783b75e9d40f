#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kLists[] = {
    {"_foreach_exp([f32[2,3]{1,2}, i64[4], c64[]])", "[f32[2,3]{1,2}, f32[4], c64[]]"},
    {"_foreach_abs([c64[2], f32[30,2]{4,2}])", "[f32[2], f32[30,2]]"},
    {"_foreach_neg([b8[2]])", "!DtypeMismatch"},
    {"_foreach_add.List([f32[2,3]{1,2}, i64[2]], [f32[2,1], f32[]], alpha=2)", "[f32[2,3]{1,2}, f32[2]]"},
    {"_foreach_add.List([f32[2]], [f32[2], f32[3]])", "!ValueError"},
    {"_foreach_add.List([f32[2], f32[2]], [f32[2], f32[3]])", "!ShapeMismatch"},
    {"_foreach_sub.List([i64[2]], [i64[2]], alpha=1.5)", "!DtypeMismatch"},
    {"_foreach_mul.Scalar([], 2)", "!ValueError"},
    {"_foreach_mul.ScalarList([f32[2], i64[2]], [1, 2.5])", "[f32[2], f32[2]]"},
    {"_foreach_mul.ScalarList([f32[2]], [1, 2])", "!ValueError"},
    {"_foreach_div.Tensor([i64[2], f16[3,2]], f32[])", "[f32[2], f16[3,2]]"},
    {"_foreach_div.Tensor([f32[2]], f32[1])", "!ShapeMismatch"},
    {"_foreach_pow.ScalarAndTensor(2, [f32[2,3], i64[3]])", "[f32[2,3], i64[3]]"},
    {"_foreach_pow.List([i64[3]], [f32[3]])", "[f32[3]]"},
    {"_foreach_max([f32[2,3], i64[3]])", "[f32[], i64[]]"},
    {"_foreach_max([f32[2], f32[0]])", "!ValueError"},
    {"_foreach_norm.Scalar([f32[2,3], f16[3]], 1, float64)", "[f64[], f64[]]"},
    {"_foreach_norm.Scalar([f32[2,3], c64[3]])", "[f32[], f32[]]"},
    {"_foreach_mm([f32[3,2], f32[3,1]], [f32[2,4], f32[1,2]])", "[f32[3,4], f32[3,2]]"},
    {"_foreach_sin([f32[2]@cuda:0, f32[3]])", "[f32[2]@cuda:0, f32[3]]"},
    {"_foreach_powsum.Scalar([b8[0], f32[2]])", "[i64[], f32[]]"},
};

constexpr CallCase kWrites[] = {
    {"_foreach_exp_([f32[2,3]{1,2}, f32[4]])", "; writes 0; writes 1"},
    {"_foreach_exp_([i64[4]])", "!DtypeMismatch"},
    {"_foreach_abs_([f32[2], i64[2,2]])", "; writes 0; writes 1"},
    {"_foreach_abs_([c64[2]])", "!DtypeMismatch"},
    {"_foreach_add_.Scalar([f32[2], i64[3]], 1)", "; writes 0; writes 1"},
    {"_foreach_add_.Scalar([i64[3]], 1.5)", "!DtypeMismatch"},
    {"_foreach_add_.Scalar([f32[3,2]{1,0}], 1)", "!ValueError"},
    {"_foreach_add_.List([f32[3]], [f32[2,3]])", "!ShapeMismatch"},
    {"_foreach_pow_.List([f32[3]], [i64[3]])", "; writes 0"},
    {"_foreach_pow_.List([b8[3]], [b8[3]])", "!DtypeMismatch"},
    {"_foreach_copy_([f32[2,3], f32[3]@cuda:0], [f64[3], f32[3]])", "; writes 0; writes 1"},
    {"_foreach_div_.List([f32[3]@cuda:0], [f32[3]])", "; writes 0"},
};

TEST(Foreach, Lists) { CheckCalls(kLists); }
TEST(Foreach, Writes) { CheckCalls(kWrites); }

}  // namespace
}  // namespace fakeprop::testing
