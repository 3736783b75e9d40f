#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kIndices[] = {
    {"_convert_indices_from_coo_to_csr(i64[4]{2}, 5)", "i64[6]"},
    {"_convert_indices_from_coo_to_csr(i32[4], 5, out_int32=True)", "i32[6]"},
    {"_convert_indices_from_coo_to_csr(i64[0], 5)", "i64[6]"},
    {"_convert_indices_from_coo_to_csr(i64[], 1)", "i64[2]"},
    {"_convert_indices_from_coo_to_csr(i64[2,4], 5)", "!ShapeMismatch"},
    {"_convert_indices_from_coo_to_csr(f32[4], 5)", "!DtypeMismatch"},
    {"_convert_indices_from_coo_to_csr(i64[4], -2)", "!ValueError"},
    {"_convert_indices_from_csr_to_coo(i64[4]{2}, i64[5])", "i64[2,5]"},
    {"_convert_indices_from_csr_to_coo(i32[4], i32[5], out_int32=True, transpose=True)", "i32[2,5]"},
    {"_convert_indices_from_csr_to_coo(i64[2,4], i64[2,5])", "i64[3,10]"},
    {"_convert_indices_from_csr_to_coo(i64[1], i64[0])", "i64[2,0]"},
    {"_convert_indices_from_csr_to_coo(i64[4], i64[2,5])", "!ShapeMismatch"},
    {"_convert_indices_from_csr_to_coo(f32[4], i64[5])", "!DtypeMismatch"},
    {"_convert_indices_from_csr_to_coo(i64[3,3], i64[8,3])", "!ShapeMismatch"},
    {"_convert_indices_from_csr_to_coo(i64[1,2,3], i64[1,1,1])", "!ShapeMismatch"},
    {"_convert_indices_from_csr_to_coo(i64[2,3,4], i64[2,3,5])", "i64[4,30]"},
    {"_convert_indices_from_csr_to_coo(i64[1,5,1], i64[1,1,1])", "i64[4,1]"},
};

constexpr CallCase kConversions[] = {
    {"_to_sparse(f32[5,5])", "!DynamicOutputShape"},
    {"_to_sparse(f32[4], blocksize=[3])", "!ValueError"},
    {"_to_sparse(f32[4,4], blocksize=[2,2])", "!ValueError"},
    {"_to_sparse(f32[4,4], dense_dim=3)", "!ValueError"},
    {"to_sparse(f32[4,4], dense_dim=5)", "!ValueError"},
    {"_to_sparse.sparse_dim(f32[2,4,6], -1)", "!ValueError"},
    {"_to_sparse.sparse_dim(f32[2,4,6], 4)", "!ValueError"},
    {"_to_sparse.sparse_dim(f32[2,4]{1,2}, 0)", "!ValueError"},
    {"_to_sparse.sparse_dim(f32[], 0)", "!DynamicOutputShape"},
    {"_to_sparse_csr(f64[3])", "!ShapeMismatch"},
    {"_to_sparse_csr(i64[3,3,3], -1)", "!ValueError"},
    {"_to_sparse_csr(i64[3,3,3], 1)", "!DynamicOutputShape"},
    {"to_sparse_csr(i64[3,3,3], 2)", "!ValueError"},
    {"_to_sparse_csc(i64[3,3]{1,3}, 1)", "!ValueError"},
    {"_to_sparse_bsr(f32[4], [1, 1])", "!ShapeMismatch"},
    {"_to_sparse_bsr(f32[4,4], [1])", "!ValueError"},
    {"_to_sparse_bsr(f32[4,4], [3, 1])", "!ShapeMismatch"},
    {"_to_sparse_bsr(f32[4,4], [0, 1])", "!ValueError"},
    {"_to_sparse_bsr(f32[4,4,3]{1,4,16}, [2, 1], 1)", "!DynamicOutputShape"},
    {"to_sparse_bsc(i64[4], [3])", "!ValueError"},
    {"to_mkldnn(i64[2,3])", "!DtypeMismatch"},
    {"to_mkldnn(f32[2,3]{1,2})", "f32[2,3]:mkldnn"},
    {"_spdiags(f32[2,3], i64[2,3], [3, 4])", "!ShapeMismatch"},
    {"_spdiags(f32[2,3], i64[3], [3, 4])", "!ShapeMismatch"},
    {"_spdiags(f32[2,3]{1,2}, f32[2], [3, 4])", "!DtypeMismatch"},
    {"_spdiags(f32[2,3,1], i64[2], [3, 4])", "!ShapeMismatch"},
    {"_spdiags(f32[2,3], i64[2], [3, 4, 1])", "!ValueError"},
};

constexpr CallCase kLayouts[] = {
    {"_to_sparse(f32[5,5]{1,5})", "!DynamicOutputShape"},
    {"_to_sparse(f32[4,6,3], dense_dim=1)", "!DynamicOutputShape"},
    {"_to_sparse(f32[4,4]{1,4}, layout=sparse_csr)", "!DynamicOutputShape"},
    {"_to_sparse(f32[4,4], layout=sparse_bsr)", "!ValueError"},
    {"_to_sparse.sparse_dim(f32[2,4]{1,2}, 1)", "!DynamicOutputShape"},
    {"to_sparse(f32[2,4]{1,2})", "!DynamicOutputShape"},
    {"to_sparse(f32[2,3,4])", "!DynamicOutputShape"},
    {"to_sparse.sparse_dim(f32[2,4]{1,2}, 1)", "!DynamicOutputShape"},
    {"to_sparse.sparse_dim(f32[2,3,4], 2)", "!DynamicOutputShape"},
    {"to_sparse.sparse_dim(f32[2,3,4], 4)", "!ValueError"},
    {"_to_sparse_csr(f32[2,4]{1,2})", "!DynamicOutputShape"},
    {"_to_sparse_csr(f32[2,3,4])", "!DynamicOutputShape"},
    {"to_sparse_csr(f32[2,4]{1,2})", "!DynamicOutputShape"},
    {"_to_sparse_csc(f32[2,4]{1,2})", "!DynamicOutputShape"},
    {"_to_sparse_csc(f32[2,3,4])", "!DynamicOutputShape"},
    {"to_sparse_csc(f32[2,4]{1,2})", "!DynamicOutputShape"},
    {"to_sparse_csc(f32[2,3,4])", "!DynamicOutputShape"},
    {"to_sparse_csc(f32[4])", "!ShapeMismatch"},
    {"to_sparse_bsr(f32[4,4]{1,4}, [2,2])", "!DynamicOutputShape"},
    {"to_sparse_bsr(f32[2,4,4], [2,2])", "!DynamicOutputShape"},
    {"to_sparse_bsr(f32[4,4], [3,2])", "!ShapeMismatch"},
    {"_to_sparse_bsc(f32[4,4]{1,4}, [2,2])", "!DynamicOutputShape"},
    {"_to_sparse_bsc(f32[2,4,4], [2,2])", "!DynamicOutputShape"},
    {"_to_sparse_bsc(f32[4,4], [3,2])", "!ShapeMismatch"},
    {"to_sparse_bsc(f32[4,4]{1,4}, [2,2])", "!DynamicOutputShape"},
    {"to_mkldnn(f32[2,3,4])", "f32[2,3,4]:mkldnn"},
    {"to_mkldnn(f32[2,3], bfloat16)", "bf16[2,3]:mkldnn"},
    {"_spdiags(f32[2,3]{1,2}, i64[2], [3, 4])", "!DynamicOutputShape"},
    {"_spdiags(f32[3], i64[], [3, 4])", "!DynamicOutputShape"},
    {"_spdiags(f32[2,3], i64[2], [3, 4], sparse_csr)", "!DynamicOutputShape"},
    {"_spdiags(f32[2,3], i64[2], [3, 4], strided)", "!ValueError"},
};

constexpr CallCase kRefusals[] = {
    {"_to_sparse.out(f32[2,3]{1,2}, out=f32[2,3])", "!TypeError"},
    {"_to_sparse.sparse_dim_out(f32[2,3], 1, out=f32[2,3])", "!TypeError"},
    {"_to_sparse_csr.out(f32[2,3], out=f32[2,3])", "!TypeError"},
    {"_to_sparse_csc.out(f64[2,4,3], out=f64[2,4,3])", "!TypeError"},
    {"_to_sparse_bsr.out(f32[4,4], [2, 2], out=f32[4,4])", "!TypeError"},
    {"_to_sparse_bsc.out(f32[4,4], [2, 2], out=f32[4,4])", "!TypeError"},
    {"_empty_affine_quantized([2,3])", "!DtypeMismatch"},
    {"_empty_affine_quantized([2,3], dtype=float64)", "!DtypeMismatch"},
    {"_empty_affine_quantized.out([0, 4], zero_point=4, out=f32[2,3])", "!DtypeMismatch"},
    {"_empty_per_channel_affine_quantized([2], scales=f32[3,3]{1,3}, zero_points=i64[3], axis=0)", "!DtypeMismatch"},
    {"_empty_per_channel_affine_quantized.out([2], scales=f32[3], zero_points=i64[3], axis=0, out=f32[2])",
        "!DtypeMismatch"},
    {"smm(f32[2,3]{1,2}, f32[3,2])", "!TypeError"},
    {"sspaddmm(f32[2,2], f32[2,2], f32[2,2])", "!TypeError"},
    {"_make_per_tensor_quantized_tensor(f32[2,4,3], 1.0, -1)", "!DtypeMismatch"},
    {"_make_per_channel_quantized_tensor(i8[3,3]{1,3}, f32[3], i64[3], 1)", "!UnsupportedOperator"},
    {"quantized_gru.data_legacy(i64[2], i64[2], i64[2], [i64[2]], False, 1, 0.5, False, True)", "!TypeError"},
    {"quantized_lstm.input_legacy(f32[2,3], [f32[2,3]], [f32[2,3]], True, 0, 0.5, False, False, False)", "!TypeError"},
};

TEST(Sparse, Conversions) { CheckCalls(kConversions); }
TEST(Sparse, Indices) { CheckCalls(kIndices); }
TEST(Sparse, Layouts) { CheckCalls(kLayouts); }
TEST(Sparse, Refusals) { CheckCalls(kRefusals); }

}  // namespace
}  // namespace fakeprop::testing
