// Solvers, inverses, determinants and ranks of matrices; cross products.
// Source: torch/_meta_registrations.py, aten/src/ATen/native/{BatchLinearAlgebra,LinearAlgebra}.cpp (torch 2.13).
#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_words.h"
#include "lib/rules/families.h"
#include "lib/rules/support/autograd_demands.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/matmul_metas.h"
#include "lib/rules/support/matrix_metas.h"
#include "lib/rules/support/memory_overlap.h"
#include "lib/rules/support/reshape_metas.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

// ---- A X = B

void CheckSolverOfOneDtype(const Call& call, const TensorMeta& a, const TensorMeta& b, bool left) {
  CheckSolver(call, a, b, left);
  RequireDtype(call, a.dtype == b.dtype, {"expects matrices of one dtype, not {} and {}", a.dtype, b.dtype});
}

// A solution of A X = B lies column by column, one of X A = B row by row.
TensorMeta SolutionOf(const Dims& sizes, const TensorMeta& b, bool left) {
  return left ? ColumnMajor(sizes, b.dtype, b.device) : ContiguousMeta(sizes, b.dtype, b.device);
}

void Solve(Call& call) {
  const bool left = call.Bool("left");
  const Operand a = call.In("A");
  RequireMatrix(call, a);
  RequireLinalgDtype(call, a);
  const Operand rhs = call.In("B");
  const bool is_vector = IsVector(a, rhs);
  RequireShape(call, left || !is_vector, "a vector as right-hand side takes left=True");
  const TensorMeta b = is_vector ? Unsqueezed(rhs, -1) : *rhs;
  CheckSolverOfOneDtype(call, a, b, left);
  Dims sizes = BroadcastBatch(b, a);
  if (is_vector) sizes.pop_back();
  call.ReturnNew(SolutionOf(sizes, b, left));
}

void SolveEx(Call& call) {
  Solve(call);
  ReturnInfo(call, call.In("A"));
}

// The LU factors of a batch of square matrices, and their pivots.
void ReturnLuAndPivots(Call& call, const TensorMeta& a) {
  call.ReturnNew(ColumnMajorLike(a));
  call.ReturnNew(NewBatch(a, {Rows(a)}, ScalarType::Int));
}

void SolvePrimitive(Call& call) {
  const Operand a = call.In("A");
  Solve(call);
  ReturnLuAndPivots(call, a);
  ReturnInfo(call, a);
}

void SolveTriangular(Call& call) {
  const Operand a = call.In("self"), b = call.In("B");
  if (call.OnCpu()) a.Takes(kLapackDtypes);
  CheckSolver(call, a, b, call.Bool("left"));
  const Dims sizes = BroadcastBatch(b, a);
  // A conjugated matrix that lies column by column is not copied. Then the result is row-major.
  const bool in_place = a->is_conj && IsContiguous(Transposed(BroadcastTo(a, BroadcastBatch(a, b)), -2, -1));
  call.ReturnNew(in_place ? ContiguousMeta(sizes, a->dtype, a->device) : ColumnMajor(sizes, a->dtype, a->device));
}

// The kernel computes in an out tensor that lies row by row or column by column, and copies to others.
// Source: linalg_solve_triangular_out in aten/src/ATen/native/BatchLinearAlgebra.cpp (torch 2.13).
OutDtype OutDtypeOfSolution(const Call& out_form) {
  const TensorMeta& out = out_form.In("out");
  const bool is_resized = !ExpectSame(out.size_span(), BroadcastBatch(out_form.In("B"), out_form.In("self")));
  const bool is_used = is_resized || IsContiguous(out) || IsContiguous(Transposed(out, -2, -1));
  return out_form.OnCpu() && !is_used ? OutDtype::kAny : OutDtype::kExact;
}

// The older operators take B first.
void TriangularSolve(Call& call) {
  const Operand b = call.In("self"), a = call.In("A");
  CheckSolverOfOneDtype(call, a, b, true);
  call.ReturnNew(SolutionOf(BroadcastBatch(b, a), b, true));
  call.ReturnNew(ColumnMajor(BroadcastBatch(a, b), a->dtype, a->device));
}

void CholeskySolve(Call& call) {
  const Operand b = call.In("self"), a = call.In("input2");
  CheckSolverOfOneDtype(call, a, b, true);
  call.ReturnNew(SolutionOf(BroadcastBatch(b, a), b, true));
}

void CholeskySolveHelper(Call& call) {
  const Operand b = call.In("self");
  RequireMatrix(call, b);
  if (b->device.is_cpu()) call.In("A").SameDtypeAs(b.Takes(kLapackDtypes));
  call.ReturnNew(ColumnMajorLike(b));
}

void CheckPivots(const TensorMeta& a, const Operand& pivots) {
  pivots.Sizes(a.size_span().subspan(0, a.rank() - 1), {"expected pivots for the rows of {}, but got {}", a.sizes});
}

template <ArgumentName Lu, ArgumentName Pivots, ArgumentName Rhs>
void ReturnLuSolution(Call& call, bool left) {
  const Operand a = call.In(Lu), b = call.In(Rhs), pivots = call.In(Pivots);
  a.Takes(kFloatingOrComplex,
      "takes floating-point or complex tensors, not {}: expected a floating point or complex tensor as input");
  if (!IsKnownEmpty(b)) RequireKernelDtype(call, a);
  pivots.Takes(ScalarType::Int, "expects pivots of int32");
  CheckSolverOfOneDtype(call, a, b, left);
  CheckPivots(a, pivots);
  call.ReturnNew(SolutionOf(BroadcastBatch(b, a), b, left));
}

void LinalgLuSolve(Call& call) { ReturnLuSolution<"LU", "pivots", "B">(call, call.Bool("left")); }
void LuSolve(Call& call) { ReturnLuSolution<"LU_data", "LU_pivots", "self">(call, true); }

void LdlSolve(Call& call) {
  const Operand a = SquareOperand(call, "LD"), pivots = call.In("pivots"), b = call.In("B");
  CheckSolverOfOneDtype(call, a, b, true);
  CheckPivots(a, pivots);
  pivots.Takes(kInteger, "expects pivots of integers");
  call.ReturnNew(SolutionOf(BroadcastBatch(b, a), b, true));
}

// ---- inverses

void Inverse(Call& call) { call.ReturnNew(ColumnMajorLike(SquareOperand(call).Takes(kLapackDtypes))); }

void InverseEx(Call& call) {
  Inverse(call);
  ReturnInfo(call, MatrixOperand(call));
}

// Returns true if the operand is the out tensor too, which gets its size before the operand is read.
bool IsOut(const Call& call, const Operand& t) { return call.Has("out") && &call.In("out").tensor() == &t.tensor(); }

// a's batch dimensions. Tolerances that are tensors broadcast with them, unless there is no matrix to compare.
Dims BatchOfSpectrum(const Call& call, const TensorMeta& a, bool hermitian) {
  static constexpr ArgumentName kTolerances[] = {"tol", "rcond", "atol", "rtol"};
  for (ArgumentName name : kTolerances) call.TryIn(name).Takes(~kComplexDtypes, "takes no complex tolerance");
  Dims batch = Batched(a, {});
  if (IsEmpty(a)) return batch;
  if (hermitian) RequireSquare(call, a);
  for (ArgumentName name : kTolerances)
    if (const Operand tolerance = call.TryIn(name); tolerance && !IsOut(call, tolerance))
      batch = BroadcastSizes(batch, tolerance->size_span());
  return batch;
}

void PseudoInverse(Call& call) {
  const Operand a = call.In("self");
  RequireMatrix(call, a);
  a.Takes(kLapackDtypes);
  const bool is_hermitian = call.Flag("hermitian");
  const Dims batch = BatchOfSpectrum(call, a, is_hermitian);
  ReturnContiguous(call, Batched(batch, {Columns(a), Rows(a)}), a->dtype);
}

// linalg_pinv has no formula for its tolerance.
void RequireUnfollowedTolerance(const Call& call) { RequireNoGrad(call, {"rcond"}); }

// The tensor as a matrix: the dimensions before `ind` are its rows, the others its columns.
void TensorInverse(Call& call) {
  const Operand a = call.In("self");
  RequireLinalgDtype(call, a);
  const int64_t ind = call.Int("ind");
  RequireValue(call, ind > 0, {"expected a strictly positive integer for ind, but got {}", ind});
  a.RankAtLeast(ind, {"expected at least {} dimensions, but got {}", ind});
  const DimSpan head = a->size_span().subspan(0, ind), tail = a->size_span().subspan(ind);
  const Dim n = Numel(tail);
  a.Require(Eq(Numel(head), n), "expected the dimensions before and after ind to have one product, but got {}");
  Dims sizes(tail.begin(), tail.end());
  sizes.append(head.begin(), head.end());
  call.ReturnNew(Reshaped(ColumnMajor(Dims{n, n}, a->dtype, a->device), sizes));
}

// `a` with these dimensions moved behind the others.
TensorMeta MovedToEnd(const TensorMeta& a, const std::vector<int64_t>& last) {
  std::vector<int64_t> order;
  for (int64_t d = 0; d < a.rank(); ++d)
    if (std::find(last.begin(), last.end(), d) == last.end()) order.push_back(d);
  order.insert(order.end(), last.begin(), last.end());
  return Permuted(a, order);
}

void TensorSolve(Call& call) {
  const Operand a = call.In("self"), b = call.In("other");
  RequireLinalgDtype(call, a);
  a.SameDtypeAs(b);
  std::vector<int64_t> last;
  if (call.Has("dims")) last = WrapDims(call.Ints("dims"), a->rank());
  const TensorMeta moved = MovedToEnd(a, last);
  const DimSpan sizes = moved.size_span().subspan(std::min(b->rank(), a->rank()));
  const Dim n = b.Numel();
  b.Require(Expect(Eq(Numel(sizes), n)) && HasNumel(a, n * n),
      {"a tensor {} has no square matrix for the right-hand side {}", a->sizes});
  ReturnContiguous(call, sizes, a->dtype);
}

// `info` has a factorization's code of success for each matrix.
void CheckErrors(Call& call) {
  const Operand info = call.In("info");
  info.Takes(ScalarType::Int);
}

// ---- numbers of matrices

void Determinant(Call& call) {
  const Operand a = SquareOperand(call);
  call.ReturnNew(NewBatch(a, {}, a->dtype));
}

void Logdet(Call& call) {
  call.In("self").Takes(kLapackDtypes);
  Determinant(call);
}

void DeterminantPrimitive(Call& call) {
  Determinant(call);
  ReturnLuAndPivots(call, call.In("A"));
}

void Slogdet(Call& call) {
  const Operand a = SquareOperand(call).Takes(kLapackDtypes);
  call.ReturnNew(NewBatch(a, {}, a->dtype));
  call.ReturnNew(NewBatch(a, {}, ToRealDtype(a->dtype)));
}

void SlogdetPrimitive(Call& call) {
  Slogdet(call);
  ReturnLuAndPivots(call, call.In("A"));
}

void MatrixRank(Call& call) {
  const Operand a = MatrixOperand(call);
  RequireMatrix(call, a);
  // The default tolerance depends on the dtype, even for an empty matrix.
  if (call.Declares("rtol") && call.IsNone("rtol")) a.Takes(kLapackDtypes);
  RequireKernelDtype(call, a);
  ReturnContiguous(call, BatchOfSpectrum(call, a, call.Bool("hermitian")), ScalarType::Long);
}

// Tolerances of more matrices than there are: the out tensor is resized to the matrices' batch first, and then to the
// tolerances', which makes it contiguous. Source: at::native::linalg_matrix_rank_out.
void MatrixRankOut(Call& call) {
  MatrixRank(call);
  const Dims sizes = TakeResult(call).sizes;
  const Operand a = MatrixOperand(call), out = call.In("out").SameDeviceAs(a);
  if (IsOut(call, a) && !IsEmpty(sizes))
    a.RankAtLeast(4, "reads the out tensor: linalg.svd: The input tensor A must have at least 2 dimensions.");
  RequireCast(call, ScalarType::Long, out->dtype);
  if (GuardSameOrFalse(a->size_span().first(a->rank() - 2), sizes)) return WriteOfSizes(call, out.tensor(), sizes);
  TensorMeta resized = ContiguousMeta(sizes, out->dtype, out->device);
  resized.storage_offset = out->storage_offset;
  const Dim nbytes = StorageNbytes(resized);
  call.SetMeta(out.tensor(), std::move(resized));
  call.effects().mutations.back().nbytes = nbytes;
  call.Write(out.tensor());
  call.ReturnArgument(out.tensor());
}

// ---- cross products and Vandermonde matrices

void ReturnCross(Call& call, int64_t dim) {
  const Operand a = call.In("self"), b = call.In("other");
  RequireShape(call, a->rank() == b->rank(), "inputs must have the same number of dimensions");
  dim = WrapDim(dim, a->rank());
  RequireShape(call, a->rank() > 0 && Expect(Eq(a->sizes[dim], 3)) && Expect(Eq(b->sizes[dim], 3)),
      {"multiplies {} and {}: inputs dimension {} must have length 3", a->sizes, b->sizes, dim});
  a.SameDtypeAs(b);
  ReturnContiguous(call, BroadcastSizes(a->size_span(), b->size_span()), a->dtype);
}

void LinalgCross(Call& call) { ReturnCross(call, call.Int("dim")); }

// If no dimension is given, it is the first one of size 3.
void Cross(Call& call) {
  if (call.Has("dim")) return LinalgCross(call);
  const Operand a = call.In("self");
  for (int64_t d = 0; d < a->rank(); ++d)
    if (GuardOrFalse(Eq(a->sizes[d], 3))) return ReturnCross(call, d);
  FailShape(call, {"no dimension of size 3 in the input {}", a->sizes});
}

void Vander(Call& call) {
  const Operand x = call.In("x");
  const bool is_integer = kInteger.dtypes.Has(x->dtype);
  if (!is_integer) x.Takes(kLapackDtypes);
  Dims sizes = x->rank() > 0 ? x->sizes : Dims{1};
  const Dim n = call.OptionalDim("N").value_or(sizes.back());
  RequireValue(call, Gt(n, 1), {"N must be greater than 1, but got {}", n});
  sizes.push_back(n);
  ReturnContiguous(call, sizes, is_integer ? ScalarType::Long : x->dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::linalg_solve", Solve},
    {"aten::linalg_solve_ex", SolveEx},
    {"aten::_linalg_solve_ex", SolvePrimitive, OutStrides::kOfResultEverywhere},
    {"aten::linalg_solve_triangular", SolveTriangular, OutDtypeOfSolution},
    {"aten::triangular_solve", TriangularSolve},
    {"aten::cholesky_solve", CholeskySolve, OutDtype::kCast | OutStrides::kContiguous},
    {"aten::_cholesky_solve_helper", CholeskySolveHelper},
    {"aten::linalg_lu_solve", LinalgLuSolve},
    {"aten::lu_solve", LuSolve},
    {"aten::linalg_ldl_solve", LdlSolve},
    {"aten::linalg_inv", Inverse, OutStrides::kOfResultEverywhere},
    {"aten::inverse", Inverse, OutStrides::kOfResultEverywhere},
    {"aten::linalg_inv_ex", InverseEx},
    {"aten::pinverse", PseudoInverse},
    {"aten::linalg_pinv", PseudoInverse, OutDtype::kCast},
    {"aten::linalg_pinv.atol_rtol_float", PseudoInverse, OutDtype::kCast},
    {"aten::linalg_pinv.atol_rtol_tensor", PseudoInverse, OutDtype::kCast},
    {"aten::linalg_pinv.rcond_tensor", InOrder<RequireUnfollowedTolerance, PseudoInverse>, OutDtype::kCast},
    {"aten::linalg_tensorinv", InOrder<TensorInverse, EndInView>, OutDtype::kCast | OutStrides::kContiguous},
    {"aten::linalg_tensorsolve", TensorSolve, OutDtype::kCast | OutStrides::kContiguous},
    {"aten::linalg_det", Determinant},
    {"aten::det", Determinant},
    {"aten::logdet", Logdet},
    {"aten::_linalg_det", DeterminantPrimitive},
    {"aten::linalg_slogdet", Slogdet},
    {"aten::slogdet", Slogdet},
    {"aten::_linalg_slogdet", SlogdetPrimitive},
    {"aten::linalg_matrix_rank", MatrixRank},
    {"aten::linalg_matrix_rank.tol_tensor", MatrixRank, Devices::kSame},
    {"aten::linalg_matrix_rank.atol_rtol_float", MatrixRank},
    {"aten::linalg_matrix_rank.atol_rtol_tensor", MatrixRank, Devices::kSame},
    {"aten::linalg_matrix_rank.out", MatrixRankOut},
    {"aten::linalg_matrix_rank.atol_rtol_float_out", MatrixRankOut},
    {"aten::linalg_matrix_rank.out_tol_tensor", MatrixRankOut, Devices::kSame},
    {"aten::linalg_matrix_rank.atol_rtol_tensor_out", MatrixRankOut, Devices::kSame},
    {"aten::linalg_cross", LinalgCross, ReadsWritten::kNothingInOut},
    {"aten::cross", Cross, ReadsWritten::kNothingInOut},
    {"aten::linalg_vander", Vander},
    {"aten::_linalg_check_errors", CheckErrors, Composite::kOnMetaTensors},
};

}  // namespace

RuleRows LinalgRules() { return kRows; }

}  // namespace fakeprop::rules
