#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kOnStrided[] = {
    {"_indices(f32[2,3]{1,2})", "!TypeError"},
    {"to_dense(f32[2,3]{1,2})", "arg(0)"},
    {"to_dense(f32[2,3]{1,2}, float64)", "f64[2,3]{1,2}"},
    {"to_dense(f32[3], float64)", "f64[3]"},
    {"to_dense(f32[2,3], masked_grad=True)", "arg(0)"},
    {"_to_dense(f32[2,3])", "!TypeError"},
    {"_sparse_mm(f32[2,3]{1,2}, f32[3,4])", "f32[2,4]{1,2}"},
    {"_sparse_mm(f32[2,3], f32[4,4])", "!ShapeMismatch"},
    {"_sparse_mm(f32[2,3,4], f32[2,4,5])", "!ShapeMismatch"},
    {"_sparse_mm(f32[2,3], f64[3,4])", "!DtypeMismatch"},
    {"_sparse_addmm(f32[2,4]{1,2}, f32[2,3], f32[3,4])", "f32[2,4]"},
    {"_sparse_addmm(f32[4], f32[2,3], f32[3,4])", "f32[2,4]"},
    {"_sparse_addmm(f32[5], f32[2,3], f32[3,4])", "!ShapeMismatch"},
    {"_sparse_addmm(f64[4], f32[2,3], f32[3,4])", "!DtypeMismatch"},
    {"mkldnn_linear(f32[2,3]{1,2}, f32[4,3])", "!TypeError"},
    {"_mkldnn_reshape(f32[2,3], [6])", "!TypeError"},
    {"to_mkldnn_backward(f32[2,3]{1,2}, f32[2,3])", "arg(0)"},
    {"to_mkldnn_backward(f32[3], f32[3])", "arg(0)"},
};

TEST(SparseOnly, OnStridedTensors) { CheckCalls(kOnStrided); }

}  // namespace
}  // namespace fakeprop::testing
