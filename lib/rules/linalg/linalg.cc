// Solvers, inverses, determinants, powers and ranks of matrices.
// Source: torch/_meta_registrations.py, aten/src/ATen/native/{BatchLinearAlgebra,LinearAlgebra}.cpp (torch 2.13).
#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/matmul_metas.h"
#include "lib/rules/support/matrix_metas.h"
#include "lib/rules/support/reshape_metas.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

// ---- A X = B

void CheckSolverOfOneDtype(const Call& call, const TensorMeta& a, const TensorMeta& b, bool left) {
  CheckSolver(call, a, b, left);
  if (a.dtype == b.dtype) return;
  FailDtype(call, "expects matrices of one dtype, not " + std::string(DtypeName(a.dtype)) + " and " +
                      std::string(DtypeName(b.dtype)));
}

// A vector, or a batch of them that A's batch says, instead of a matrix.
bool IsVector(const TensorMeta& a, const TensorMeta& b) {
  return b.rank() == 1 ||
         (a.rank() - 1 == b.rank() && GuardSame(a.size_span().subspan(0, a.rank() - 1), b.size_span()));
}

TensorMeta Solution(const Call& call, bool left) {
  const TensorMeta& a = call.Meta(0);
  RequireMatrix(call, a);
  RequireLinalgDtype(call, a);
  const bool vector = IsVector(a, call.Meta(1));
  if (vector && !left) FailShape(call, "a vector as right-hand side takes left=True");
  const TensorMeta b = vector ? Unsqueezed(call.Meta(1), -1) : call.Meta(1);
  CheckSolverOfOneDtype(call, a, b, left);
  Dims sizes = BroadcastBatch(b, a);
  if (vector) sizes.pop_back();
  return left ? ColumnMajor(sizes, b.dtype, b.device) : ContiguousMeta(sizes, b.dtype, b.device);
}

void Solve(Call& call) { call.ReturnNew(Solution(call, call.Bool(2))); }

void SolveEx(Call& call) {
  Solve(call);
  ReturnInfo(call, call.Meta(0));
}

void SolvePrimitive(Call& call) {
  const TensorMeta& a = call.Meta(0);
  Solve(call);
  call.ReturnNew(ColumnMajorLike(a));
  call.ReturnNew(NewBatch(a, {Rows(a)}, ScalarType::Int));
  ReturnInfo(call, a);
}

void SolveTriangular(Call& call) {
  const TensorMeta &a = call.Meta(0), &b = call.Meta(1);
  CheckSolver(call, a, b, call.Bool(3));
  const Dims sizes = BroadcastBatch(b, a);
  // A conjugated matrix that lies column by column needs no copy, and then the result is row-major.
  const bool in_place = a.is_conj && IsContiguous(Transposed(BroadcastTo(a, BroadcastBatch(a, b)), -2, -1));
  call.ReturnNew(in_place ? ContiguousMeta(sizes, a.dtype, a.device) : ColumnMajor(sizes, a.dtype, a.device));
}

// The older operators take B first.
void TriangularSolve(Call& call) {
  const TensorMeta &b = call.Meta(0), &a = call.Meta(1);
  CheckSolverOfOneDtype(call, a, b, true);
  call.ReturnNew(ColumnMajor(BroadcastBatch(b, a), b.dtype, b.device));
  call.ReturnNew(ColumnMajor(BroadcastBatch(a, b), a.dtype, a.device));
}

void CholeskySolve(Call& call) {
  const TensorMeta &b = call.Meta(0), &a = call.Meta(1);
  CheckSolverOfOneDtype(call, a, b, true);
  call.ReturnNew(ColumnMajor(BroadcastBatch(b, a), b.dtype, b.device));
}

void CholeskySolveHelper(Call& call) {
  RequireMatrix(call, call.Meta(0));
  call.ReturnNew(ColumnMajorLike(call.Meta(0)));
}

void CheckPivots(const Call& call, const TensorMeta& a, const TensorMeta& pivots) {
  if (!ExpectSame(pivots.size_span(), a.size_span().subspan(0, a.rank() - 1)))
    FailShape(call,
        "expected pivots for the rows of " + ToString(a.size_span()) + ", but got " + ToString(pivots.size_span()));
}

void ReturnLuSolution(Call& call, int lu, int pivots, int rhs, bool left) {
  const TensorMeta &a = SquareArgument(call, lu), &b = call.Meta(rhs);
  if (call.Meta(pivots).dtype != ScalarType::Int) FailDtype(call, "expects pivots of int32");
  CheckSolverOfOneDtype(call, a, b, left);
  CheckPivots(call, a, call.Meta(pivots));
  const Dims sizes = BroadcastBatch(b, a);
  call.ReturnNew(left ? ColumnMajor(sizes, b.dtype, b.device) : ContiguousMeta(sizes, b.dtype, b.device));
}

void LinalgLuSolve(Call& call) { ReturnLuSolution(call, 0, 1, 2, call.Bool(3)); }
void LuSolve(Call& call) { ReturnLuSolution(call, 1, 2, 0, true); }

void LdlSolve(Call& call) {
  const TensorMeta &a = SquareArgument(call), &pivots = call.Meta(1), &b = call.Meta(2);
  CheckSolverOfOneDtype(call, a, b, true);
  CheckPivots(call, a, pivots);
  if (!IsIntegral(pivots.dtype) || pivots.dtype == ScalarType::Bool) FailDtype(call, "expects pivots of integers");
  call.ReturnNew(ColumnMajor(BroadcastBatch(b, a), b.dtype, b.device));
}

// ---- inverses

void Inverse(Call& call) {
  RequireLapackDtype(call, SquareArgument(call));
  call.ReturnNew(ColumnMajorLike(call.Meta(0)));
}

void InverseEx(Call& call) {
  Inverse(call);
  ReturnInfo(call, call.Meta(0));
}

// The tolerances that are tensors.
std::vector<const TensorMeta*> Tolerances(const Call& call) {
  std::vector<const TensorMeta*> tolerances;
  for (size_t i = 1; i < call.size(); ++i) {
    const Tensor* tolerance = call.Arg(static_cast<int>(i)).TryTensor();
    if (!tolerance) continue;
    if (IsComplex(tolerance->meta.dtype)) FailDtype(call, "takes no complex tolerance");
    tolerances.push_back(&tolerance->meta);
  }
  return tolerances;
}

// a's batch, broadcast with the tolerances where there is a matrix to compare with them.
Dims BatchOfSpectrum(const Call& call, const TensorMeta& a, bool hermitian) {
  const std::vector<const TensorMeta*> tolerances = Tolerances(call);
  Dims batch = Batched(a, {});
  if (IsEmpty(a)) return batch;
  if (hermitian) RequireSquare(call, a);
  for (const TensorMeta* tolerance : tolerances) batch = BroadcastSizes(batch, tolerance->size_span());
  return batch;
}

void PseudoInverse(Call& call) {
  const TensorMeta& a = call.Meta(0);
  RequireMatrix(call, a);
  RequireLapackDtype(call, a);
  const bool hermitian = call.schema().FindArgument("hermitian") >= 0 && call.Bool("hermitian");
  Dims sizes = BatchOfSpectrum(call, a, hermitian);
  sizes.push_back(Columns(a));
  sizes.push_back(Rows(a));
  ReturnContiguous(call, sizes, a.dtype);
}

// The dimensions before `ind` against those after it.
void TensorInverse(Call& call) {
  const TensorMeta& a = call.Meta(0);
  RequireLinalgDtype(call, a);
  const int64_t ind = call.Int(1);
  if (ind <= 0) FailValue(call, "expected a strictly positive integer for ind, but got " + std::to_string(ind));
  if (ind > a.rank())
    FailShape(call, "expected at least " + std::to_string(ind) + " dimensions, but got " + ToString(a.size_span()));
  const DimSpan head = a.size_span().subspan(0, ind), tail = a.size_span().subspan(ind);
  const Dim n = Numel(tail);
  if (!Expect(Eq(Numel(head), n)))
    FailShape(
        call, "expected the dimensions before and after ind to have one product, but got " + ToString(a.size_span()));
  Dims sizes(tail.begin(), tail.end());
  sizes.append(head.begin(), head.end());
  call.ReturnNew(Reshaped(ColumnMajor(Dims{n, n}, a.dtype, a.device), sizes));
}

void TensorSolve(Call& call) {
  const TensorMeta &a = call.Meta(0), &b = call.Meta(1);
  RequireLinalgDtype(call, a);
  RequireSameDtype(call, 0, 1);
  std::vector<int64_t> order, last;
  if (!call.IsNone(2)) last = WrapDims(call.Ints(2), a.rank());
  for (int64_t d = 0; d < a.rank(); ++d)
    if (std::find(last.begin(), last.end(), d) == last.end()) order.push_back(d);
  order.insert(order.end(), last.begin(), last.end());
  const TensorMeta moved = Permuted(a, order);
  const DimSpan sizes = moved.size_span().subspan(std::min(b.rank(), a.rank()));
  const Dim n = Numel(b.size_span());
  if (!Expect(Eq(Numel(sizes), n)) || !HasNumel(a, n * n))
    FailShape(call, "a tensor " + ToString(a.size_span()) + " has no square matrix for the right-hand side " +
                        ToString(b.size_span()));
  ReturnContiguous(call, sizes, a.dtype);
}

// The codes of success that a factorization gave.
void CheckErrors(Call& call) {
  if (call.Meta(0).dtype != ScalarType::Int) FailDtype(call, "takes int32 codes, not " + ToString(call.Meta(0)));
}

// ---- numbers of matrices

void Determinant(Call& call) { call.ReturnNew(NewBatch(SquareArgument(call), {}, call.Meta(0).dtype)); }

void Logdet(Call& call) {
  RequireLapackDtype(call, call.Meta(0));
  Determinant(call);
}

void DeterminantPrimitive(Call& call) {
  const TensorMeta& a = SquareArgument(call);
  Determinant(call);
  call.ReturnNew(ColumnMajorLike(a));
  call.ReturnNew(NewBatch(a, {Rows(a)}, ScalarType::Int));
}

void Slogdet(Call& call) {
  const TensorMeta& a = SquareArgument(call);
  RequireLapackDtype(call, a);
  Determinant(call);
  call.ReturnNew(NewBatch(a, {}, ToRealDtype(a.dtype)));
}

void SlogdetPrimitive(Call& call) {
  const TensorMeta& a = SquareArgument(call);
  Slogdet(call);
  call.ReturnNew(ColumnMajorLike(a));
  call.ReturnNew(NewBatch(a, {Rows(a)}, ScalarType::Int));
}

void MatrixRank(Call& call) {
  const TensorMeta& a = call.Meta(0);
  RequireMatrix(call, a);
  // The default tolerance is made from the dtype, even of an empty matrix.
  if (const int rtol = call.schema().FindArgument("rtol"); rtol >= 0 && call.IsNone(rtol)) RequireLapackDtype(call, a);
  RequireKernelDtype(call, a);
  ReturnContiguous(call, BatchOfSpectrum(call, a, call.Bool(static_cast<int>(call.size()) - 1)), ScalarType::Long);
}

// ---- powers

void MatrixPower(Call& call) {
  const TensorMeta& a = call.Meta(0);
  RequireSquare(call, a);
  const int64_t n = call.Int(1);
  if (n < 0) RequireLapackDtype(call, a);
  call.ReturnNew(n == -1 ? ColumnMajorLike(a) : EmptyLike(a, MemoryFormat::Contiguous));
}

void MatrixExp(Call& call) {
  const TensorMeta& a = call.Meta(0);
  RequireSquare(call, a);
  RequireFloatOrComplex(call, a.dtype);
  call.ReturnNew(EmptyLike(a, MemoryFormat::Contiguous));
}

// The upper right block of the exponential of a matrix twice the size, which is made like the gradient.
void MatrixExpBackward(Call& call) {
  const TensorMeta &a = call.Meta(0), &grad = call.Meta(1);
  RequireFloatOrComplex(call, grad.dtype);  // the dtype of the blocks that both are copied into
  RequireSquare(call, a);
  if (!CanExpandTo(grad.size_span(), a.size_span()))
    FailShape(call, "a gradient " + ToString(grad.size_span()) + " does not expand to " + ToString(a.size_span()));
  const Dim n = Rows(a);
  TensorMeta block = NewBatch(a, {Dim(2) * n, Dim(2) * n}, grad.dtype);
  block.sizes = a.sizes;
  block.storage_offset = n;
  block.device = grad.device;  // both are copied into blocks of one matrix
  call.ReturnNew(std::move(block));
}

// Sums of the matrices of `input` ([N, ...]), of which the first two dimensions of `coefficients` say how many and how.
void CheckCombined(const Call& call) {
  const TensorMeta &input = call.Meta(0), &coefficients = call.Meta(1);
  if (input.rank() < 1 || IsEmpty(input))
    FailShape(call, "takes no empty tensors, but got " + ToString(input.size_span()));
  if (coefficients.rank() < 2)
    FailShape(
        call, "coefficients " + ToString(coefficients.size_span()) + " do not combine " + ToString(input.size_span()));
}

void LinearCombination(Call& call) {
  CheckCombined(call);
  Dims sizes = call.Meta(0).sizes;
  sizes[0] = call.Meta(1).sizes[0];
  ReturnContiguous(call, sizes, call.Meta(0).dtype);
}

// The out tensor is added to and keeps its sizes, to which coefficients and matrices are broadcast.
// Source: _linear_combination_kernel_impl.
void LinearCombinationOut(Call& call) {
  CheckCombined(call);
  const TensorMeta& input = call.Meta(0);
  Tensor& out = call.TensorArg(2);
  if (out.meta.rank() < 1) FailShape(call, "does not add to a 0-dim out tensor");
  Dims of_out = {out.meta.sizes[0], 1}, of_terms = {call.Meta(1).sizes[0], 1};
  of_out.insert(of_out.end(), out.meta.sizes.begin() + 1, out.meta.sizes.end());
  of_terms.insert(of_terms.end(), input.rank() - 1, Dim(1));
  const Dims each = {input.sizes.begin() + 1, input.sizes.end()};
  const Dims all = BroadcastSizes(BroadcastSizes(of_out, of_terms), each);
  if (!ExpectSame(all, of_out))
    FailShape(call, "gives terms of shape " + ToString(DimSpan(all)) + ", which an out tensor of shape " +
                        ToString(out.meta.size_span()) + " does not hold");
  call.Write(out);
  call.ReturnArgument(out);
}

// ---- cross products and Vandermonde matrices

void ReturnCross(Call& call, int64_t dim) {
  const TensorMeta &a = call.Meta(0), &b = call.Meta(1);
  if (a.rank() != b.rank()) FailShape(call, "inputs must have the same number of dimensions");
  dim = WrapDim(dim, a.rank());
  if (a.rank() == 0 || !Expect(Eq(a.sizes[dim], 3)) || !Expect(Eq(b.sizes[dim], 3)))
    FailShape(call, "dimension " + std::to_string(dim) + " must have length 3, but got " + ToString(a.size_span()) +
                        " and " + ToString(b.size_span()));
  RequireSameDtype(call, 0, 1);
  ReturnContiguous(call, BroadcastSizes(a.size_span(), b.size_span()), a.dtype);
}

void LinalgCross(Call& call) { ReturnCross(call, call.Int(2)); }

// Without a dimension: the first one of size 3.
void Cross(Call& call) {
  if (!call.IsNone(2)) return ReturnCross(call, call.Int(2));
  const TensorMeta& a = call.Meta(0);
  for (int64_t d = 0; d < a.rank(); ++d)
    if (GuardOrFalse(Eq(a.sizes[d], 3))) return ReturnCross(call, d);
  FailShape(call, "no dimension of size 3 in the input " + ToString(a.size_span()));
}

void Vander(Call& call) {
  const TensorMeta& x = call.Meta(0);
  const bool integral = IsIntegral(x.dtype) && x.dtype != ScalarType::Bool;
  if (!integral) RequireLapackDtype(call, x);
  Dims sizes = x.rank() > 0 ? x.sizes : Dims{1};
  const Dim n = call.OptionalDim(1).value_or(sizes.back());
  if (!Expect(Gt(n, 1))) FailValue(call, "N must be greater than 1, but got " + n.ToString());
  sizes.push_back(n);
  ReturnContiguous(call, sizes, integral ? ScalarType::Long : x.dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::linalg_solve", Solve},
    {"aten::linalg_solve_ex", SolveEx},
    {"aten::_linalg_solve_ex", SolvePrimitive},
    {"aten::linalg_solve_triangular", SolveTriangular},
    {"aten::triangular_solve", TriangularSolve},
    {"aten::cholesky_solve", CholeskySolve},
    {"aten::_cholesky_solve_helper", CholeskySolveHelper},
    {"aten::linalg_lu_solve", LinalgLuSolve},
    {"aten::lu_solve", LuSolve},
    {"aten::linalg_ldl_solve", LdlSolve},
    {"aten::linalg_inv", Inverse},
    {"aten::inverse", Inverse},
    {"aten::linalg_inv_ex", InverseEx},
    {"aten::pinverse", PseudoInverse},
    {"aten::linalg_pinv", PseudoInverse},
    {"aten::linalg_pinv.atol_rtol_float", PseudoInverse},
    {"aten::linalg_pinv.atol_rtol_tensor", PseudoInverse},
    {"aten::linalg_pinv.rcond_tensor", PseudoInverse},
    {"aten::linalg_tensorinv", TensorInverse},
    {"aten::linalg_tensorsolve", TensorSolve},
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
    {"aten::linalg_matrix_power", MatrixPower},
    {"aten::matrix_power", MatrixPower},
    {"aten::linalg_matrix_exp", MatrixExp},
    {"aten::matrix_exp", MatrixExp},
    {"aten::matrix_exp_backward", MatrixExpBackward, Devices::kAny},
    {"aten::_compute_linear_combination", LinearCombination},
    {"aten::_compute_linear_combination.out", LinearCombinationOut},
    {"aten::linalg_cross", LinalgCross},
    {"aten::cross", Cross},
    {"aten::linalg_vander", Vander},
    {"aten::_linalg_check_errors", CheckErrors},
};

}  // namespace

RuleRows LinalgRules() { return kRows; }

}  // namespace fakeprop::rules
