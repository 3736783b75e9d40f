#include "lib/rules/support/matrix_metas.h"

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"

namespace fakeprop::rules {

void RequireMatrix(const Call& call, const TensorMeta& t) {
  if (t.rank() < 2) FailShape(call, "the input must have at least 2 dimensions, but got " + ToString(t.size_span()));
}

void RequireSquare(const Call& call, const TensorMeta& t) {
  RequireMatrix(call, t);
  if (Expect(Eq(Rows(t), Columns(t)))) return;
  FailShape(call, "the input must be batches of square matrices, but they are " + Rows(t).ToString() + " by " +
                      Columns(t).ToString() + " matrices");
}

void RequireLapackDtype(const Call& call, const TensorMeta& t) {
  const ScalarType real = ToRealDtype(t.dtype);
  if (real == ScalarType::Float || real == ScalarType::Double) return;
  FailDtype(call, "takes float32, float64, complex64 or complex128, not " + std::string(DtypeName(t.dtype)));
}

void RequireKernelDtype(const Call& call, const TensorMeta& t) {
  if (!IsEmpty(t)) RequireLapackDtype(call, t);
}

void RequireLinalgDtype(const Call& call, const TensorMeta& t) {
  RequireFloatOrComplex(call, t.dtype);
  RequireKernelDtype(call, t);
}

const TensorMeta& SquareArgument(const Call& call, int i) {
  const TensorMeta& a = call.Meta(i);
  RequireSquare(call, a);
  RequireLinalgDtype(call, a);
  return a;
}

Dim Rows(const TensorMeta& t) { return t.sizes[t.rank() - 2]; }
Dim Columns(const TensorMeta& t) { return t.sizes[t.rank() - 1]; }

Dims Batched(const TensorMeta& t, std::initializer_list<Dim> tail) {
  Dims sizes(t.sizes.begin(), t.sizes.end() - 2);
  sizes.append(tail.begin(), tail.end());
  return sizes;
}

void ReturnInfo(Call& call, const TensorMeta& t) { call.ReturnNew(NewBatch(t, {}, ScalarType::Int)); }

TensorMeta NewBatch(const TensorMeta& t, std::initializer_list<Dim> tail, ScalarType dtype) {
  return ContiguousMeta(Batched(t, tail), dtype, t.device);
}

TensorMeta ColumnMajor(const Dims& sizes, ScalarType dtype, Device device) {
  TensorMeta t = ContiguousMeta(sizes, dtype, device);
  if (t.rank() < 2) return t;
  t.strides[t.rank() - 2] = 1;
  t.strides[t.rank() - 1] = Max(Rows(t), 1);
  return t;
}

TensorMeta ColumnMajorLike(const TensorMeta& t) { return ColumnMajor(t.sizes, t.dtype, t.device); }

Dims BroadcastBatch(const TensorMeta& b, const TensorMeta& a) {
  Dims sizes = BroadcastSizes(b.size_span().subspan(0, b.rank() - 2), a.size_span().subspan(0, a.rank() - 2));
  sizes.push_back(Rows(b));
  sizes.push_back(Columns(b));
  return sizes;
}

void CheckSolver(const Call& call, const TensorMeta& a, const TensorMeta& b, bool left) {
  RequireSquare(call, a);
  RequireMatrix(call, b);
  if (Expect(left ? Eq(Rows(a), Rows(b)) : Eq(Columns(a), Columns(b)))) return;
  FailShape(call, std::string("incompatible shapes of A and B for the equation ") + (left ? "AX = B" : "XA = B") +
                      ": " + ToString(a.size_span()) + " and " + ToString(b.size_span()));
}

}  // namespace fakeprop::rules
