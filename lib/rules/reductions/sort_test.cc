#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kSorting[] = {
    {"sort(f32[2,3,4]{1,16,2}, 1)", "f32[2,3,4]{1,8,2}, i64[2,3,4]{1,8,2}"},
    {"sort(f32[2,3]{3,0})", "f32[2,3], i64[2,3]"},
    {"sort(i64[3], 1)", "!IndexOutOfRange"},
    {"sort.stable(f32[2,3]{1,2}, stable=True, dim=0, descending=True)", "f32[2,3]{1,2}, i64[2,3]{1,2}"},
    {"argsort(f32[4,2]{1,4}, 0, True)", "i64[4,2]{1,4}"},
    {"argsort(f32[3], 1)", "!IndexOutOfRange"},
    {"argsort.stable(f32[2,3], stable=True)", "i64[2,3]"},
    {"msort(f32[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"topk(f32[2,3]{1,2}, 2, 0)", "f32[2,3], i64[2,3]"},
    {"topk(f32[2,3], 4)", "!ValueError"},
    {"topk(f32[], 1)", "f32[], i64[]"},
    {"topk(b8[3], 1)", "!DtypeMismatch"},
    {"bucketize.Tensor(c64[3], f32[0])", "!DtypeMismatch"},
    {"bucketize.Tensor(c64[0], f32[2])", "i64[0]"},
    {"bucketize.Tensor(f32[2,0], c64[3])", "i64[2,0]"},
    {"bucketize.Tensor(f32[], c64[3])", "!DtypeMismatch"},
    {"searchsorted.Tensor(f32[0], c64[3])", "!DtypeMismatch"},
    {"searchsorted.Tensor(c64[3], c64[0])", "i64[0]"},
    {"_unique.out(i64[3], False, out0=i64[1,1,1], out1=i64[0])", "arg(1), arg(2); writes 1; writes 2"},
    {"_unique2.out(f32[5,5], False, False, True, out0=f32[1], out1=i64[1,1,0], out2=i64[1])",
        "arg(1), arg(2), arg(3); writes 1; writes 2; writes 3"},
    {"unique_dim.out(f32[5,1,5], 0, False, False, True, out0=f32[5,1,5], out1=i64[5], out2=i32[5])", "!DtypeMismatch"},
    {"bincount.out(i64[5], None, 0, out=i64[3])", "arg(1); writes 1"},
    {"searchsorted.Tensor(b8[2,0], b8[2,2])", "!DtypeMismatch"},
    {"bucketize.Tensor(b8[2], b8[0])", "!DtypeMismatch"},
    {"searchsorted.Tensor(u32[3], u32[0])", "i64[0]"},
};

constexpr CallCase kSearching[] = {
    {"searchsorted.Tensor(f32[2,5], f32[2,3]{1,2}, out_int32=True)", "i32[2,3]"},
    {"searchsorted.Tensor(f32[5], f32[2,3,4])", "i64[2,3,4]"},
    {"searchsorted.Tensor(f32[2,5], f32[3])", "!ShapeMismatch"},
    {"searchsorted.Tensor(f32[5], f32[3], right=True, side=\"left\")", "!ValueError"},
    {"searchsorted.Scalar(f32[5], 2.0)", "i64[]"},
    {"searchsorted.Scalar(f32[2,5], 2.0)", "!ShapeMismatch"},
    {"bucketize.Tensor(f32[2,3]{1,2}, f32[5])", "i64[2,3]"},
    {"bucketize.Tensor(f32[2], f32[5,1])", "!ShapeMismatch"},
    {"bucketize.Scalar(2, f32[5], out_int32=True)", "i32[]"},
    {"isin.Tensor_Tensor(i64[2,3]{1,2}, i64[4])", "b8[2,3]{1,2}"},
    {"isin.Tensor_Tensor(i64[2], b8[4])", "!DtypeMismatch"},
    {"isin.Tensor_Scalar(f32[2,3], 2.0)", "b8[2,3]"},
    {"isin.Scalar_Tensor(2, i64[3])", "b8[]"},
};

constexpr CallCase kCounting[] = {
    {"unique_dim(f32[0,0], 1)", "!ShapeMismatch"},
    {"unique_dim(f32[3,0,3], 1)", "f32[3,0,3], i64[0], i64[0]"},
    {"unique_dim_consecutive(f32[0,2], 1)", "!ShapeMismatch"},
    {"unique_dim_consecutive(f32[3,2], 1)", "!DynamicOutputShape"},
    {"histc(f32[4,2], 7)", "f32[7]"},
    {"histc(f32[4,2]{1,4})", "f32[100]"},
    {"histc(i64[4], 3)", "!DtypeMismatch"},
    {"histc(f32[4], 0)", "!ValueError"},
    {"bincount(i64[5])", "!DynamicOutputShape"},
    {"_unique2(f32[5,2]{1,5})", "!DynamicOutputShape"},
    {"unique_dim(f32[2,3], 0)", "!DynamicOutputShape"},
    {"unique_consecutive(f32[3])", "!DynamicOutputShape"},
};

TEST(Sort, Sorting) { CheckCalls(kSorting); }
TEST(Sort, Searching) { CheckCalls(kSearching); }
TEST(Sort, Counting) { CheckCalls(kCounting); }

}  // namespace
}  // namespace fakeprop::testing
