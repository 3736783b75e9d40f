// Operators that take tensors of other layouts than strided: what they say of strided ones. lib/rules/other_layouts has
// their rules. Source: the dispatch entries of native_functions.yaml (torch 2.15).
#include "lib/meta/value_visit.h"
#include "lib/rules/core/results.h"
#include "lib/rules/families.h"

namespace fakeprop::rules {
namespace {

const Tensor* FirstTensor(const Call& call) {
  const Tensor* first = nullptr;
  for (const Value* argument : call.arguments())
    ForEachTensor(*argument, [&](const Tensor& t) { first = first ? first : &t; });
  return first;
}

[[noreturn]] void FailStrided(const Call& call, const char* wanted) {
  const Tensor* t = FirstTensor(call);
  FailAs(call, ErrorClass::kTypeError, {"takes {}, not {}", wanted, t->meta}, {t});
}

// Takes a sparse tensor, but all tensors of the call are strided.
void WantsSparse(Call& call) { FailStrided(call, "a sparse tensor"); }
void WantsMkldnn(Call& call) { FailStrided(call, "a tensor in the layout of oneDNN"); }

void GradientItself(Call& call) { call.ReturnArgument(call.In("grad").tensor()); }

void ToDense(Call& call) {
  const Operand self = call.In("self");
  const auto dtype = TryDtype(call);
  if (!dtype || *dtype == self->dtype) return void(call.ReturnArgument(self.tensor()));
  ReturnLike(call, self, *dtype);
}

Dims ProductSizes(const Call& call, const Operand& a, const Operand& b) {
  a.Rank(2);
  b.Rank(2).SameDtypeAs(a);
  RequireEqual(
      call, a->sizes[1], b->sizes[0], {"multiplies matrices of fitting shapes, not {} and {}", a->sizes, b->sizes});
  return {a->sizes[0], b->sizes[1]};
}

// The kernel computes (b' a')'.
void Product(Call& call) {
  const Operand a = call.In("sparse"), b = call.In("dense");
  TensorMeta result = NewMeta(call, ProductSizes(call, a, b), a->dtype);
  result.strides = Dims{1, Max(result.sizes[0], 1)};
  call.ReturnNew(std::move(result));
}

void SumOfProduct(Call& call) {
  const Operand a = call.In("mat1");
  const Dims sizes = ProductSizes(call, a, call.In("mat2"));
  call.In("self").BroadcastsTo(sizes).SameDtypeAs(a);
  ReturnContiguous(call, sizes, a->dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::_indices", WantsSparse},
    {"aten::_values", WantsSparse},
    {"aten::indices", WantsSparse},
    {"aten::values", WantsSparse},
    {"aten::crow_indices", WantsSparse},
    {"aten::col_indices", WantsSparse},
    {"aten::ccol_indices", WantsSparse},
    {"aten::row_indices", WantsSparse},
    {"aten::_nnz", WantsSparse},
    {"aten::_dimI", WantsSparse},
    {"aten::_dimV", WantsSparse},
    {"aten::coalesce", WantsSparse},
    {"aten::_coalesce", WantsSparse},
    {"aten::_coalesced", WantsSparse},
    {"aten::_coalesced_", WantsSparse},
    {"aten::copy_sparse_to_sparse", WantsSparse},
    {"aten::copy_sparse_to_sparse_", WantsSparse},
    {"aten::is_coalesced", WantsSparse},
    {"aten::sparse_resize", WantsSparse},
    {"aten::sparse_resize_", WantsSparse},
    {"aten::sparse_resize_and_clear", WantsSparse},
    {"aten::sparse_resize_and_clear_", WantsSparse},
    {"aten::resize_as_sparse", WantsSparse},
    {"aten::resize_as_sparse_", WantsSparse},
    {"aten::to_dense", ToDense},
    {"aten::_to_dense", WantsSparse},
    {"aten::sparse_mask", WantsSparse},
    {"aten::_sparse_mask_projection", WantsSparse},
    {"aten::_sparse_broadcast_to", WantsSparse},
    {"aten::_sparse_sum", WantsSparse},
    {"aten::_sparse_sum.dtype", WantsSparse},
    {"aten::_sparse_sum.dim", WantsSparse},
    {"aten::_sparse_sum.dim_dtype", WantsSparse},
    {"aten::_sparse_sum_backward", WantsSparse},
    {"aten::_sparse_csr_sum.dim_dtype", WantsSparse},
    {"aten::_sparse_csr_prod.dim_dtype", WantsSparse},
    {"aten::_sparse_softmax", WantsSparse},
    {"aten::_sparse_softmax.int", WantsSparse},
    {"aten::_sparse_softmax_backward_data", WantsSparse},
    {"aten::_sparse_log_softmax", WantsSparse},
    {"aten::_sparse_log_softmax.int", WantsSparse},
    {"aten::_sparse_log_softmax_backward_data", WantsSparse},
    {"aten::_sparse_mm", Product},
    {"aten::_sparse_addmm", SumOfProduct},
    {"aten::_sparse_mm.reduce", WantsSparse},
    {"aten::_sparse_mm_reduce_impl", WantsSparse},
    {"aten::_sparse_mm_reduce_impl_backward", WantsSparse},
    {"aten::_sparse_sparse_matmul", WantsSparse},
    {"aten::sparse_sampled_addmm", WantsSparse},
    {"aten::smm", WantsSparse},
    {"aten::hspmm", WantsSparse},
    {"aten::sspaddmm", WantsSparse},
    {"aten::_spsolve", WantsSparse},
    {"aten::native_norm", WantsSparse},
    {"aten::native_norm.ScalarOpt_dim_dtype", WantsSparse},
    {"aten::_mkldnn_reshape", WantsMkldnn},
    {"aten::_mkldnn_transpose", WantsMkldnn},
    {"aten::mkldnn_linear", WantsMkldnn},
    {"aten::mkldnn_linear_backward", WantsMkldnn},
    {"aten::mkldnn_linear_backward_input", WantsMkldnn},
    {"aten::mkldnn_linear_backward_weights", WantsMkldnn},
    {"aten::mkldnn_max_pool2d", WantsMkldnn},
    {"aten::mkldnn_max_pool2d_backward", WantsMkldnn},
    {"aten::mkldnn_max_pool3d", WantsMkldnn},
    {"aten::mkldnn_max_pool3d_backward", WantsMkldnn},
    {"aten::mkldnn_adaptive_avg_pool2d", WantsMkldnn},
    {"aten::mkldnn_adaptive_avg_pool2d_backward", WantsMkldnn},
    {"aten::mkldnn_reorder_conv2d_weight", WantsMkldnn},
    {"aten::mkldnn_reorder_conv3d_weight", WantsMkldnn},
    {"aten::to_mkldnn_backward", GradientItself},
};

}  // namespace

RuleRows SparseOnlyRules() { return kRows; }

}  // namespace fakeprop::rules
