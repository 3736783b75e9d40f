#include "lib/rules/support/matmul_metas.h"

#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/failures.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_words.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

Dims WithoutLast(DimSpan sizes, int count) { return Dims(sizes.begin(), sizes.end() - count); }

// Matrices that do not fit, in PyTorch's words. `b` may have another shape in the call, as linear's weight does.
// Source: addmm_impl_cpu_, mm's meta function.
[[noreturn]] void FailMatrices(Dim rows, Dim inner_a, Dim inner_b, Dim columns, const Text& why) {
  FailShape({"mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{}): {}", rows, inner_a, inner_b, columns,
      why.ToString()});
}

// Source: addmv's meta function.
[[noreturn]] void FailVector(const TensorMeta& a, const TensorMeta& v, Dim rows) {
  const Dim inner = a.sizes.back(), elements = v.sizes[0];
  FailShape({"size mismatch, got input ({}), mat ({}x{}), vec ({}): {} columns meet {} elements", rows, rows, inner,
      elements, inner, elements});
}

// Source: common_checks_baddbmm_bmm.
[[noreturn]] void FailBatches(const TensorMeta& a, const TensorMeta& b, Dim batch_a, Dim batch_b) {
  const Dim inner_a = a.sizes.back(), inner_b = b.sizes[b.rank() - 2];
  FailShape(
      {"expected size for first two dimensions of batch2 tensor to be: [{}, {}] but "
       "got: [{}, {}], for operands of shape {} and {}",
          batch_a, inner_a, batch_b, inner_b, a.sizes, b.sizes});
}

// What matmul of any ranks ends in where the columns of `a` do not meet the rows of `b`: mm or mv of all rows of `a`,
// or bmm. Source: at::native::_matmul_impl.
[[noreturn]] void FailMatmul(const TensorMeta& a, const TensorMeta& b) {
  const Dim rows = Numel(WithoutLast(a.size_span(), 1));
  if (b.rank() == 1) FailVector(a, b, rows);
  const Dim inner_a = a.sizes.back(), inner_b = b.sizes[b.rank() - 2];
  if (b.rank() == 2)
    FailMatrices(rows, inner_a, inner_b, b.sizes.back(),
        {"{} columns of {} meet {} rows of {}", inner_a, a.sizes, inner_b, b.sizes});
  const Dims batch_a = WithoutLast(a.size_span(), std::min<int64_t>(a.rank(), 2)),
             batch_b = WithoutLast(b.size_span(), 2);
  const Dim batch = Numel(BroadcastSizes(batch_a, batch_b));
  FailBatches(a, b, batch, batch);
}

}  // namespace

void RequireSameDtype(const TensorMeta& a, const TensorMeta& b, std::string_view op) {
  if (a.dtype == b.dtype) return;
  FailDtype(
      {"{} takes operands of one dtype, not {} and {}: expected scalar type {} but "
       "found {}",
          op, a.dtype, b.dtype, TorchName(a.dtype), TorchName(b.dtype)});
}

void RequireMatrix(const Operand& t) {
  if (t->rank() != 2)
    t.Rank(2, {"takes a matrix: {} must be a matrix, got {}-D tensor of shape {}", TorchName(t), t->rank()});
}

void RequireRank(const TensorMeta& t, int64_t rank, std::string_view what) {
  RequireShape(t.rank() == rank, {"{} must have {} dimensions, not shape {}", what, rank, t.sizes});
}

namespace {

void RequireMatrixDtype(const TensorMeta& a, const TensorMeta& b) {
  if (a.dtype != b.dtype)
    FailDtype(
        {"a matrix product takes operands of one dtype: expected m1 and m2 to have the "
         "same dtype, but got: {} != {}",
            TorchCppName(a.dtype), TorchCppName(b.dtype)});
}

// Where there is nothing to multiply, the cpu's kernel for batches of matrices does not compare dtypes.
// Source: bmm_out_or_baddbmm_ in aten/src/ATen/native/LinearAlgebra.cpp.
bool MultipliesNothing(const TensorMeta& a, const TensorMeta& b) {
  return a.device.is_cpu() && (IsKnownEmpty(a) || IsKnownEmpty(b));
}

}  // namespace

TensorMeta MatrixProduct(const TensorMeta& a, const TensorMeta& b) {
  RequireRank(a, 2, "the first matrix");
  RequireRank(b, 2, "the second matrix");
  if (!Expect(Eq(a.sizes[1], b.sizes[0])))
    FailMatrices(a.sizes[0], a.sizes[1], b.sizes[0], b.sizes[1], {"{} columns meet {} rows", a.sizes[1], b.sizes[0]});
  RequireMatrixDtype(a, b);
  return ContiguousMeta(Dims{a.sizes[0], b.sizes[1]}, a.dtype, a.device);
}

TensorMeta BatchProduct(const TensorMeta& a, const TensorMeta& b) {
  for (const TensorMeta* t : {&a, &b})
    RequireShape(t->rank() == 3,
        {"{} must be a 3D tensor, a batch of matrices, but has shape {}", t == &a ? "batch1" : "batch2", t->sizes});
  if (!MultipliesNothing(a, b)) RequireSameDtype(a, b, "a batched matrix product");
  if (!Expect(Eq(a.sizes[0], b.sizes[0])) || !Expect(Eq(a.sizes[2], b.sizes[1])))
    FailBatches(a, b, a.sizes[0], b.sizes[0]);
  return ContiguousMeta(Dims{a.sizes[0], a.sizes[1], b.sizes[2]}, b.dtype, a.device);
}

TensorMeta MatrixVectorProduct(const TensorMeta& a, const TensorMeta& v) {
  if (a.rank() != 2 || v.rank() != 1)
    FailShape(
        {"vector + matrix @ vector expected, got 1, {}, {} dimensions: a matrix is multiplied by a vector, not {} "
         "by {}",
            a.rank(), v.rank(), a.sizes, v.sizes});
  if (!Expect(Eq(a.sizes[1], v.sizes[0]))) FailVector(a, v, a.sizes[0]);
  RequireSameDtype(a, v, "a matrix-vector product");
  return ContiguousMeta(Dims{a.sizes[0]}, a.dtype, a.device);
}

TensorMeta DotProduct(const TensorMeta& a, const TensorMeta& b) {
  RequireShape(a.rank() == 1 && b.rank() == 1,
      {"1D tensors expected, but got {}D and {}D tensors: shapes {} and {}", a.rank(), b.rank(), a.sizes, b.sizes});
  if (a.dtype != b.dtype)
    FailDtype({"dot : expected both vectors to have same dtype, but found {} and {}", TorchName(a.dtype),
        TorchName(b.dtype)});
  if (!Expect(Eq(a.sizes[0], b.sizes[0]))) {
    FailShape(
        {"inconsistent tensor size, expected tensor {} and src {} to have the same number of elements, but got {} "
         "and {} elements respectively",
            a.sizes, b.sizes, a.sizes[0], b.sizes[0]});
  }
  return ContiguousMeta({}, a.dtype, a.device);
}

// However _matmul_impl folds or expands its batches, the result is a contiguous tensor of its own.
TensorMeta Matmul(const TensorMeta& a, const TensorMeta& b) {
  RequireShape(a.rank() != 0 && b.rank() != 0,
      {"both arguments to matmul need to be at least 1D, but they are {}D and {}D", a.rank(), b.rank()});
  if (a.rank() == 1 && b.rank() == 1) return DotProduct(a, b);
  const Dim inner_b = b.sizes[b.rank() > 1 ? b.rank() - 2 : 0];
  if (!Expect(Eq(a.sizes.back(), inner_b))) FailMatmul(a, b);
  if (b.rank() == 2) RequireMatrixDtype(a, b);
  else if (a.rank() < 2 || b.rank() < 2 || !MultipliesNothing(a, b)) RequireSameDtype(a, b, "matmul");
  const Dims batch_a = WithoutLast(a.size_span(), a.rank() > 1 ? 2 : 1);
  const Dims batch_b = WithoutLast(b.size_span(), b.rank() > 1 ? 2 : 1);
  Dims sizes = BroadcastSizes(batch_a, batch_b);
  if (a.rank() > 1) sizes.push_back(a.sizes[a.rank() - 2]);
  if (b.rank() > 1) sizes.push_back(b.sizes.back());
  return ContiguousMeta(sizes, b.dtype, a.device);
}

void FailAddend(std::string_view what, const TensorMeta& addend, const TensorMeta& product) {
  Fail(ErrorClass::kShapeMismatch, ExpandMismatch(addend.size_span(), product.size_span()) +
                                       Format(": {} does not expand to the product's shape", what));
}

namespace {

// `names`: what addmm, in which linear ends, calls them.
void RequireLinearDtype(std::string_view names, const TensorMeta& a, const TensorMeta& b) {
  if (a.dtype == b.dtype) return;
  FailDtype(
      {"linear takes operands of one dtype: {} must have the same dtype, but got {} "
       "and {}",
          names, TorchName(a.dtype), TorchName(b.dtype)});
}

}  // namespace

TensorMeta Linear(const TensorMeta& input, const TensorMeta& weight, const TensorMeta* bias) {
  RequireShape(input.rank() != 0 && weight.rank() != 0,
      {"linear takes input and weight with at least one dimension, not {} and {}", input.sizes, weight.sizes});
  RequireShape(weight.rank() <= 2, {"linear transposes its weight of shape {}: t() expects a tensor with <= 2 "
                                    "dimensions, but self is {}D",
                                       weight.sizes, weight.rank()});
  // The product names the weight as it is written in the graph.
  if (weight.rank() == 2 && !Expect(Eq(input.sizes.back(), weight.sizes[1])))
    FailMatrices(Numel(WithoutLast(input.size_span(), 1)), input.sizes.back(), weight.sizes[1], weight.sizes[0],
        {"the input has {} features, the weight {} takes {}", input.sizes.back(), weight.sizes, weight.sizes[1]});
  if (weight.rank() == 2) RequireLinearDtype("mat1 and mat2", input, weight);
  const TensorMeta product = Matmul(input, weight.rank() == 2 ? Transposed(weight, 0, 1) : weight);
  if (!bias) return product;
  RequireLinearDtype("self and mat2", *bias, product);
  if (!CanExpandTo(bias->size_span(), product.size_span())) {
    FailAddend("linear's bias", *bias, product);
  }
  return product;
}

}  // namespace fakeprop::rules
