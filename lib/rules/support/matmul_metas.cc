#include "lib/rules/support/matmul_metas.h"

#include "lib/meta/dtype.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

void RequireInner(const TensorMeta& a, const TensorMeta& b, Dim inner_a, Dim inner_b) {
  if (Expect(Eq(inner_a, inner_b))) return;
  Fail(ErrorClass::kShapeMismatch,
      Format("shapes {} and {} cannot be multiplied: {} columns meet {} rows", a.sizes, b.sizes, inner_a, inner_b));
}

Dims WithoutLast(DimSpan sizes, int count) { return Dims(sizes.begin(), sizes.end() - count); }

}  // namespace

void RequireSameDtype(const TensorMeta& a, const TensorMeta& b, std::string_view op) {
  if (a.dtype == b.dtype) return;
  Fail(ErrorClass::kDtypeMismatch, Format("{} takes operands of one dtype, not {} and {}", op, a.dtype, b.dtype));
}

void RequireRank(const TensorMeta& t, int64_t rank, std::string_view what) {
  if (t.rank() != rank)
    Fail(ErrorClass::kShapeMismatch, Format("{} must have {} dimensions, not shape {}", what, rank, t.sizes));
}

TensorMeta MatrixProduct(const TensorMeta& a, const TensorMeta& b) {
  RequireRank(a, 2, "the first matrix");
  RequireRank(b, 2, "the second matrix");
  RequireInner(a, b, a.sizes[1], b.sizes[0]);
  RequireSameDtype(a, b, "a matrix product");
  return ContiguousMeta(Dims{a.sizes[0], b.sizes[1]}, a.dtype, a.device);
}

TensorMeta BatchProduct(const TensorMeta& a, const TensorMeta& b) {
  RequireRank(a, 3, "the first batch of matrices");
  RequireRank(b, 3, "the second batch of matrices");
  RequireSameDtype(a, b, "a batched matrix product");
  if (!Expect(Eq(a.sizes[0], b.sizes[0])))
    Fail(ErrorClass::kShapeMismatch,
        Format("batches of matrices {} and {} differ in number: {} and {}", a.sizes, b.sizes, a.sizes[0], b.sizes[0]));
  RequireInner(a, b, a.sizes[2], b.sizes[1]);
  return ContiguousMeta(Dims{a.sizes[0], a.sizes[1], b.sizes[2]}, a.dtype, a.device);
}

TensorMeta MatrixVectorProduct(const TensorMeta& a, const TensorMeta& v) {
  RequireRank(a, 2, "the matrix");
  RequireRank(v, 1, "the vector");
  RequireInner(a, v, a.sizes[1], v.sizes[0]);
  RequireSameDtype(a, v, "a matrix-vector product");
  return ContiguousMeta(Dims{a.sizes[0]}, a.dtype, a.device);
}

TensorMeta DotProduct(const TensorMeta& a, const TensorMeta& b) {
  RequireRank(a, 1, "the first vector");
  RequireRank(b, 1, "the second vector");
  RequireSameDtype(a, b, "dot");
  if (!Expect(Eq(a.sizes[0], b.sizes[0]))) {
    Fail(ErrorClass::kShapeMismatch,
        Format("vectors of {} and {} elements have no dot product", a.sizes[0], b.sizes[0]));
  }
  return ContiguousMeta({}, a.dtype, a.device);
}

// However _matmul_impl folds or expands its batches, the result is a contiguous tensor of its own.
TensorMeta Matmul(const TensorMeta& a, const TensorMeta& b) {
  if (a.rank() == 0 || b.rank() == 0)
    Fail(ErrorClass::kShapeMismatch,
        Format("matmul takes tensors with at least one dimension, not {} and {}", a.sizes, b.sizes));
  if (a.rank() == 1 && b.rank() == 1) return DotProduct(a, b);
  const Dim inner_b = b.sizes[b.rank() > 1 ? b.rank() - 2 : 0];
  RequireInner(a, b, a.sizes.back(), inner_b);
  RequireSameDtype(a, b, "matmul");
  const Dims batch_a = WithoutLast(a.size_span(), a.rank() > 1 ? 2 : 1);
  const Dims batch_b = WithoutLast(b.size_span(), b.rank() > 1 ? 2 : 1);
  Dims sizes = BroadcastSizes(batch_a, batch_b);
  if (a.rank() > 1) sizes.push_back(a.sizes[a.rank() - 2]);
  if (b.rank() > 1) sizes.push_back(b.sizes.back());
  return ContiguousMeta(sizes, a.dtype, a.device);
}

TensorMeta Linear(const TensorMeta& input, const TensorMeta& weight, const TensorMeta* bias) {
  if (input.rank() == 0 || weight.rank() == 0)
    Fail(ErrorClass::kShapeMismatch,
        Format("linear takes input and weight with at least one dimension, not {} and {}", input.sizes, weight.sizes));
  if (weight.rank() > 2) RequireRank(weight, 2, "linear's weight");
  const TensorMeta product = Matmul(input, weight.rank() == 2 ? Transposed(weight, 0, 1) : weight);
  if (!bias) return product;
  RequireSameDtype(product, *bias, "linear");
  if (!CanExpandTo(bias->size_span(), product.size_span())) {
    Fail(ErrorClass::kShapeMismatch,
        Format("linear's bias of shape {} does not broadcast to the result's shape {}", bias->sizes, product.sizes));
  }
  return product;
}

}  // namespace fakeprop::rules
