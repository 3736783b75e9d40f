// Checks and layouts of batches of matrices.
// Source: aten/src/ATen/native/LinearAlgebraUtils.h, torch/_meta_registrations.py (torch 2.13).
#pragma once

#include <initializer_list>

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

// The dtypes that LAPACK computes in.
inline constexpr DtypeClass kLapackDtypes{
    {ScalarType::Float, ScalarType::Double, ScalarType::ComplexFloat, ScalarType::ComplexDouble},
    "takes float32, float64, complex64 or complex128, not {}"};

// The demands below are errors of class ShapeMismatch or DtypeMismatch. Demands at least two dimensions.
void RequireMatrix(const Call& call, const TensorMeta& t);
void RequireSquare(const Call& call, const TensorMeta& t);
// Demands kLapackDtypes. Empty tensors may have any dtype.
void RequireKernelDtype(const Call& call, const TensorMeta& t);
// Demands kLapackDtypes. Empty tensors may have any floating or complex dtype.
void RequireLinalgDtype(const Call& call, const TensorMeta& t);

// The matrices that the operator works on: the argument that its schema calls `A`, `self` or `input`.
Operand MatrixOperand(const Call& call);
// The same, or another argument: square matrices of a dtype that RequireLinalgDtype takes.
Operand SquareOperand(const Call& call);
Operand SquareOperand(const Call& call, ArgumentName name);

Dim Rows(const TensorMeta& t);
Dim Columns(const TensorMeta& t);
// All sizes except the last two.
DimSpan BatchSizes(const TensorMeta& t);
// The batch dimensions of both tensors, broadcast.
Dims CommonBatch(const TensorMeta& a, const TensorMeta& b);
// Batch dimensions, followed by `tail`.
Dims Batched(Dims batch, std::initializer_list<Dim> tail);
// t's batch dimensions, followed by `tail`.
Dims Batched(const TensorMeta& t, std::initializer_list<Dim> tail);
TensorMeta NewBatch(const TensorMeta& t, std::initializer_list<Dim> tail, ScalarType dtype);
// Returns LAPACK's code of success for each matrix.
void ReturnInfo(Call& call, const TensorMeta& t);

// Each matrix column by column, as LAPACK writes it.
TensorMeta ColumnMajor(const Dims& sizes, ScalarType dtype, Device device);
TensorMeta ColumnMajorLike(const TensorMeta& t);

// Returns true if the right-hand side `b` is one vector for each matrix of `a`, and not a matrix.
// Source: at::native::linalg_solve_is_vector_rhs.
bool IsVector(const TensorMeta& a, const TensorMeta& b);
// b's sizes with the batch dimensions of a and b broadcast.
Dims BroadcastBatch(const TensorMeta& b, const TensorMeta& a);
// Checks the operands of A X = B (left) or X A = B: A is square, and B has as many rows (columns).
void CheckSolver(const Call& call, const TensorMeta& a, const TensorMeta& b, bool left);

}  // namespace fakeprop::rules
