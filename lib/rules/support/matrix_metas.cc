#include "lib/rules/support/matrix_metas.h"

#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"

namespace fakeprop::rules {
namespace {

ArgumentName MatrixName(const Call& call) {
  for (ArgumentName name : ArgumentNames{"A", "self"})
    if (call.Declares(name)) return name;
  return "input";
}

}  // namespace

void RequireMatrix(const Call& call, const TensorMeta& t) {
  RequireShape(call, t.rank() >= 2, {"the input must have at least 2 dimensions, but got {}", t.sizes});
}

void RequireSquare(const Call& call, const TensorMeta& t) {
  RequireMatrix(call, t);
  RequireShape(call, Eq(Rows(t), Columns(t)),
      {"takes square matrices: A must be batches of square matrices, but they are {} by {} matrices", Rows(t),
          Columns(t)});
}

void RequireKernelDtype(const Call& call, const TensorMeta& t) {
  if (!IsEmpty(t)) RequireDtype(call, t.dtype, kLapackDtypes);
}

// Source: checkFloatingOrComplex.
constexpr DtypeClass kLinalgDtypes{kFloatingOrComplex.dtypes,
    "takes floating-point or complex tensors, not {}: expected a floating point or complex tensor as input"};

void RequireLinalgDtype(const Call& call, const TensorMeta& t) {
  RequireDtype(call, t.dtype, kLinalgDtypes);
  RequireKernelDtype(call, t);
}

Operand MatrixOperand(const Call& call) { return call.In(MatrixName(call)); }

Operand SquareOperand(const Call& call) { return SquareOperand(call, MatrixName(call)); }

Operand SquareOperand(const Call& call, ArgumentName name) {
  const Operand a = call.In(name);
  RequireSquare(call, a);
  RequireLinalgDtype(call, a);
  return a;
}

Dim Rows(const TensorMeta& t) { return t.sizes[t.rank() - 2]; }
Dim Columns(const TensorMeta& t) { return t.sizes[t.rank() - 1]; }
DimSpan BatchSizes(const TensorMeta& t) { return t.size_span().subspan(0, t.rank() - 2); }

Dims CommonBatch(const TensorMeta& a, const TensorMeta& b) { return BroadcastSizes(BatchSizes(a), BatchSizes(b)); }

Dims Batched(Dims batch, std::initializer_list<Dim> tail) {
  batch.append(tail.begin(), tail.end());
  return batch;
}

Dims Batched(const TensorMeta& t, std::initializer_list<Dim> tail) {
  return Batched(Dims(t.sizes.begin(), t.sizes.end() - 2), tail);
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

bool IsVector(const TensorMeta& a, const TensorMeta& b) {
  return b.rank() == 1 ||
         (a.rank() - 1 == b.rank() && GuardSame(a.size_span().subspan(0, a.rank() - 1), b.size_span()));
}

Dims BroadcastBatch(const TensorMeta& b, const TensorMeta& a) {
  return Batched(CommonBatch(b, a), {Rows(b), Columns(b)});
}

void CheckSolver(const Call& call, const TensorMeta& a, const TensorMeta& b, bool left) {
  RequireSquare(call, a);
  RequireMatrix(call, b);
  RequireShape(call, left ? Eq(Rows(a), Rows(b)) : Eq(Columns(a), Columns(b)),
      {"incompatible shapes of A and B for the equation {} ({}x{} and {}x{})", left ? "AX = B" : "XA = B",
          a.sizes[a.rank() - 2], a.sizes.back(), b.sizes[b.rank() - 2], b.sizes.back()});
}

}  // namespace fakeprop::rules
