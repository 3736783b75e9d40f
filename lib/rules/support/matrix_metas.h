// Checks and layouts of batches of matrices.
// Source: aten/src/ATen/native/LinearAlgebraUtils.h, torch/_meta_registrations.py (torch 2.13).
#pragma once

#include <initializer_list>

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

// At least two dimensions.
void RequireMatrix(const Call& call, const TensorMeta& t);
void RequireSquare(const Call& call, const TensorMeta& t);
// What LAPACK computes in: float32, float64 and their complex kin.
void RequireLapackDtype(const Call& call, const TensorMeta& t);
// The same where there is something to compute; empty tensors pass in any floating or complex dtype,
void RequireLinalgDtype(const Call& call, const TensorMeta& t);
// or in any at all.
void RequireKernelDtype(const Call& call, const TensorMeta& t);

// Argument i, checked: square matrices of a dtype that linalg computes in.
const TensorMeta& SquareArgument(const Call& call, int i = 0);

Dim Rows(const TensorMeta& t);
Dim Columns(const TensorMeta& t);
// t's batch dimensions, followed by `tail`.
Dims Batched(const TensorMeta& t, std::initializer_list<Dim> tail);
TensorMeta NewBatch(const TensorMeta& t, std::initializer_list<Dim> tail, ScalarType dtype);
// LAPACK's code of success for each matrix.
void ReturnInfo(Call& call, const TensorMeta& t);

// Each matrix column by column, as LAPACK writes it.
TensorMeta ColumnMajor(const Dims& sizes, ScalarType dtype, Device device);
TensorMeta ColumnMajorLike(const TensorMeta& t);

// b's sizes with the batch dimensions of a and b broadcast.
Dims BroadcastBatch(const TensorMeta& b, const TensorMeta& a);
// A X = B (left) or X A = B: square A, as many rows (columns) in B, one dtype.
void CheckSolver(const Call& call, const TensorMeta& a, const TensorMeta& b, bool left);

}  // namespace fakeprop::rules
