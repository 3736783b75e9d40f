#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kSums[] = {
    {"sum(f32[2,3,4]{1,8,2})", "f32[]"},
    {"sum(i32[])", "i64[]"},
    {"sum(b8[2,3])", "i64[]"},
    {"sum(c32[3])", "!DtypeMismatch"},
    {"sum(c32[0])", "c32[]"},
    {"prod.dim_int(c64[3], 0, False, dtype=complex32)", "!DtypeMismatch"},
    {"sum(f16[2,3]{1,2}, dtype=float32)", "f32[]"},
    {"sum.dim_IntList(f32[2,3,4]{1,8,2}, [1])", "f32[2,4]"},
    {"sum.dim_IntList(i32[2,3], [-1], True)", "i64[2,1]"},
    {"sum.dim_IntList(b8[2,3], [], dtype=float64)", "f64[]"},
    {"sum.dim_IntList(b8[2,3], None)", "i64[]"},
    {"sum.dim_IntList(f32[2,3], [0,0])", "!ValueError"},
    {"sum.dim_IntList(f32[2,3], [2])", "!IndexOutOfRange"},
    {"sum.dim_IntList(f32[0,3], [0])", "f32[3]"},
    {"nansum(f32[2,3]{1,2}, [0])", "f32[3]"},
    {"nansum(i64[3])", "i64[]"},
    {"nansum(c64[3])", "!DtypeMismatch"},
    {"nansum(c64[3]@cuda:0)", "c64[]@cuda:0"},
    {"nanmean(c64[3])", "!DtypeMismatch"},
    {"nanmean(c64[3]@cuda:0)", "c64[]@cuda:0"},
    {"mean(f32[2,3]{1,2})", "f32[]"},
    {"mean(i64[2,3])", "!DtypeMismatch"},
    {"mean(i64[2,3], dtype=float64)", "f64[]"},
    {"mean.dim(f32[2,3,4]{12,1,3}, [0,2])", "f32[3]"},
    {"mean.dim(i64[2], [0])", "!DtypeMismatch"},
    {"nanmean(f32[2,3]{1,2}, [1], True)", "f32[2,1]"},
    {"nanmean(i64[2])", "!DtypeMismatch"},
    {"prod(b8[2,3]{1,2})", "i64[]"},
    {"prod.dim_int(f32[2,3,4], 1, True)", "f32[2,1,4]"},
    {"prod.dim_int(i32[2,3], 0)", "i64[3]"},
    {"prod.dim_int(i32[2,3], 3)", "!IndexOutOfRange"},
    {"trace(i32[3,3]{1,3})", "i64[]"},
    {"trace(f32[3])", "!ShapeMismatch"},
    {"hash_tensor(f32[2,3]{1,2}, [0])", "u64[3]"},
    {"count_nonzero(f32[2,3]{1,2}, 1)", "i64[2]"},
    {"count_nonzero(c64[2])", "i64[]"},
    {"count_nonzero.dim_IntList(i64[2,3,4], [0,1])", "i64[4]"},
    {"count_nonzero.dim_IntList(i64[2,3], [2])", "!IndexOutOfRange"},
    {"std.correction_out(f16[3], out=f32[])", "!DtypeMismatch"},
    {"std.correction_out(f16[3], out=bf16[])", "arg(1); writes 1"},
    {"var.correction_out(f16[3,2], [0], out=f32[2])", "arg(1); writes 1"},
    {"linalg__powsum(i64[3,0], 2, [0], False)", "i64[0]"},
    {"linalg__powsum(b8[0], 2, [0], False)", "i64[]"},
    {"var.out(c64[2,3], [0], out=f32[2]{0})", "!ValueError"},
    {"std.correction_out(c64[2,3], [0], out=f32[3]{0})", "!ValueError"},
    {"var.out(f32[2,3], [0], out=f32[3]{0})", "arg(1); writes 1"},
    {"kthvalue.values(f32[2,3], 1, 0, values=f32[2]{0}, indices=i64[3])",
        "arg(1), arg(2); 1 := f32[3]; writes 1; writes 2"},
    {"kthvalue.values(f32[2,3], 1, 0, values=f32[3]{0}, indices=i64[3])", "!ValueError"},
    {"max.dim(u64[], 0)", "u64[], i64[]"},
    {"max.dim(u64[1], 0)", "!DtypeMismatch"},
    {"mode(u64[], 0)", "u64[], i64[]"},
    {"sum(f32[2], dtype=uint32)", "!DtypeMismatch"},
    {"sum(u32[2])", "i64[]"},
    {"sum(f32[0], dtype=uint32)", "u32[]"},
    {"prod.int_out(f32[], 0, out=u32[])", "!DtypeMismatch"},
    {"nansum.out(f32[2], [0], out=c64[])", "!DtypeMismatch"},
    {"aminmax(u64[], dim=0)", "u64[], u64[]"},
    {"aminmax(u64[3], dim=0)", "!DtypeMismatch"},
    {"aminmax(u64[0,2], dim=1)", "!DtypeMismatch"},
    {"hash_tensor(c64[0,2], [1])", "u64[0]"},
};

constexpr CallCase kLogic[] = {
    {"any(f32[2,3]{1,2})", "b8[]"},
    {"any.dim(u8[2,3]{1,2}, 0)", "u8[3]"},
    {"any.dim(u8[2,3], 2)", "!IndexOutOfRange"},
    {"any.dims(f32[2,3,4], [0,2], True)", "b8[1,3,1]"},
    {"any.dims(f32[2,3]{1,2}, None)", "b8[]"},
    {"all(u8[2])", "u8[]"},
    {"all.dim(f32[2,3,4]{1,2,6}, -1, True)", "b8[2,3,1]"},
    {"all.dims(b8[2,3], [])", "b8[2,3]"},
    {"all.dims(b8[2,3]{1,2}, [1,1])", "!ValueError"},
    {"_is_all_true(b8[2,3]{1,2})", "b8[]"},
    {"_is_all_true(f32[2])", "!DtypeMismatch"},
    {"_is_any_true(b8[])", "b8[]"},
    {"_is_any_true(i64[2])", "!DtypeMismatch"},
};

constexpr CallCase kExtrema[] = {
    {"max(f32[2,3]{1,2})", "f32[]"},
    {"max(f32[0])", "!IndexOutOfRange"},
    {"min(i64[])", "i64[]"},
    {"min(f32[0,2])", "!IndexOutOfRange"},
    {"max.dim(f32[2,3]{1,2}, 1, True)", "f32[2,1], i64[2,1]"},
    {"max.dim(i64[4], 0)", "i64[], i64[]"},
    {"max.dim(f32[2,0], 1)", "!IndexOutOfRange"},
    {"max.dim(f32[0,2], 1)", "f32[0], i64[0]"},
    {"min.dim(bf16[2,3,4], -2)", "bf16[2,4], i64[2,4]"},
    {"min.dim(bf16[], 0)", "bf16[], i64[]"},
    {"min.dim(f32[2,3]{1,2}, 2)", "!IndexOutOfRange"},
    {"amax(f32[2,3,4]{1,2,6}, [0,-1])", "f32[3]"},
    {"amax(f32[3])", "f32[]"},
    // More dimensions than a set of them has bits.
    {"amax(f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
     "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1], [64])",
        "!ShapeMismatch"},
    {"amax(f32[0])", "!IndexOutOfRange"},
    {"amin(f32[2,3], [], True)", "f32[1,1]"},
    {"amin(f32[0,3], [0])", "!IndexOutOfRange"},
    {"amin(c64[2,0], [0])", "c64[0]"},
    {"amax(c64[2,0], [0])", "c64[0]"},
    {"amax(c64[2,3], [0])", "!DtypeMismatch"},
    {"argmax(f32[2,3]{1,2}, None, True)", "i64[1,1]"},
    {"argmax(f32[2,3], 1)", "i64[2]"},
    {"argmax(f32[0])", "!IndexOutOfRange"},
    {"argmin(f32[2,3,4], 1, True)", "i64[2,1,4]"},
    {"argmin(f32[2,0], 1)", "!IndexOutOfRange"},
    {"aminmax(f32[2,3]{1,2}, dim=0)", "f32[3], f32[3]"},
    {"aminmax(f32[2,3,4], keepdim=True)", "f32[1,1,1], f32[1,1,1]"},
    {"aminmax(f32[0])", "!IndexOutOfRange"},
    {"_aminmax.dim(f32[2,3]{1,2}, 1, True)", "f32[2,1], f32[2,1]"},
    {"median(f32[2,3]{1,2})", "f32[]"},
    {"median.dim(i64[2,3,4]{1,2,6}, 1)", "i64[2,4], i64[2,4]"},
    {"median.dim(f32[3], 1)", "!IndexOutOfRange"},
    {"nanmedian.dim(f32[2,3], 1, True)", "f32[2,1], i64[2,1]"},
    {"mode(f32[2,3]{1,2}, 0)", "f32[3], i64[3]"},
    {"mode(i64[2,3,4])", "i64[2,3], i64[2,3]"},
    {"mode(f32[2,3], 2)", "!IndexOutOfRange"},
    {"kthvalue(f32[2,5]{1,2}, 2, 0)", "f32[5], i64[5]"},
    {"kthvalue(f32[5], 3)", "f32[], i64[]"},
    {"kthvalue(f32[2,5], 6)", "!ValueError"},
    {"max.dim_max(f32[2,3], 0, max=f32[0], max_values=i64[0])",
        "arg(1), arg(2); 1 := f32[3]; writes 1; 2 := i64[3]; writes 2"},
};

constexpr CallCase kMoments[] = {
    {"var(f32[2,3]{1,2})", "f32[]"},
    {"var.dim(f64[2,3,4], [0], False, True)", "f64[1,3,4]"},
    {"var.correction(c64[2,3], [1], correction=0)", "f32[2]"},
    {"var.correction(i64[3])", "!DtypeMismatch"},
    {"std(f32[4])", "f32[]"},
    {"std.dim(f32[2,3]{1,2}, [0,1])", "f32[]"},
    {"std.correction(bf16[2,3,4], [-1], keepdim=True)", "bf16[2,3,1]"},
    {"var_mean(f32[3])", "f32[], f32[]"},
    {"var_mean.dim(f32[2,3], [1])", "f32[2], f32[2]"},
    {"var_mean.correction(c64[2,3]{1,2}, [1], keepdim=True)", "f32[2,1], c64[2,1]"},
    {"std_mean.correction(f32[2,3,4], [0,1], correction=1)", "f32[4], f32[4]"},
    {"std_mean(i64[2])", "!DtypeMismatch"},
};

constexpr CallCase kNorms[] = {
    {"linalg_vector_norm(c64[2,3]{1,2}, 2, [0])", "f32[3]"},
    {"linalg_vector_norm(f32[3], 2, None, True, dtype=float64)", "f64[1]"},
    {"linalg_vector_norm(f64[2], 2, dtype=float32)", "!DtypeMismatch"},
    {"linalg_vector_norm(i64[2])", "!DtypeMismatch"},
    {"linalg__powsum(f32[3,4]{1,3}, 3, [0], True)", "f32[1,4]"},
    {"linalg__powsum(c64[3], 2)", "f32[]"},
    {"linalg__powsum(f16[3,4], 2, dtype=float32)", "f32[]"},
    {"linalg__powsum(i64[2])", "!DtypeMismatch"},
    {"norm.Scalar(f32[2,3]{1,2})", "f32[]"},
    {"norm.ScalarOpt_dim(f32[2,3], 2, [0], True)", "f32[1,3]"},
    {"norm.ScalarOpt_dim(i64[3], 2, [0])", "!DtypeMismatch"},
    {"norm.ScalarOpt_dim_dtype(f32[2,3]{1,2}, None, [1], False, dtype=float64)", "f64[2]"},
    {"frobenius_norm.dim(f32[2,3]{1,2}, [0,1])", "f32[]"},
    {"logsumexp(i64[2,3]{1,2}, [1])", "f32[2]"},
    {"logsumexp(f32[2,3,4], [0,2], True)", "f32[1,3,1]"},
    {"logsumexp(f32[2], [1])", "!IndexOutOfRange"},
};

constexpr CallCase kOuts[] = {
    {"var.correction_out(f32[1,2], [1], out=c64[1])", "arg(1); writes 1"},
    {"var.correction_out(f32[3,2], [1], out=c64[3])", "!DtypeMismatch"},
    {"std.correction_out(f32[3,2], [0,1], out=c64[])", "arg(1); writes 1"},
    {"sum.IntList_out(f32[2,3]{1,2}, [0], out=f64[3])", "arg(1); writes 1"},
    {"sum.out(i32[2], out=f32[])",
        "!DtypeMismatch"},  // Expected out tensor to have dtype long int, but got float instead
    {"mean.out(f32[2], [0], out=i64[])", "!DtypeMismatch"},
    {"var.out(f32[2], [0], out=f64[])", "arg(1); writes 1"},
    {"amax.out(f32[2], [0], out=f64[])", "!DtypeMismatch"},
    {"max.dim_max(f32[2,3], 0, max=f64[3], max_values=i64[3])", "!DtypeMismatch"},
};

constexpr CallCase kSumToSize[] = {
    {"sum_to_size(f32[2,3]{1,2}, [2,1])", "f32[2,1]"},
    {"sum_to_size(f32[2,3]{1,2}, [2,3])", "arg(0)"},
    {"sum_to_size(i32[2,3], [1])", "i64[1]"},
    {"sum_to_size(b8[2,3], [3])", "i64[3]"},
    {"sum_to_size(f32[4,2,3], [])", "f32[]"},
    {"sum_to_size(f32[], [])", "f32[]"},
    {"sum_to_size(f32[2,3], [2])", "!ShapeMismatch"},
};

TEST(Reduction, Sums) { CheckCalls(kSums); }
TEST(Reduction, Logic) { CheckCalls(kLogic); }
TEST(Reduction, Extrema) { CheckCalls(kExtrema); }
TEST(Reduction, Moments) { CheckCalls(kMoments); }
TEST(Reduction, Norms) { CheckCalls(kNorms); }
TEST(Reduction, Outs) { CheckCalls(kOuts); }
TEST(Reduction, SumToSize) { CheckCalls(kSumToSize); }

}  // namespace
}  // namespace fakeprop::testing
