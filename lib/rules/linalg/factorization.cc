// Factorizations of matrices: LU, QR, Cholesky, LDL, eigenvalues, singular values.
// Source: torch/_meta_registrations.py, aten/src/ATen/native/BatchLinearAlgebra.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/matrix_metas.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

TensorMeta Nothing(const TensorMeta& like) { return ContiguousMeta(Dims{0}, like.dtype, like.device); }

const TensorMeta& Matrix(const Call& call) {
  const TensorMeta& a = call.Meta(0);
  RequireMatrix(call, a);
  RequireLinalgDtype(call, a);
  return a;
}

// ---- LU: factors in one matrix, pivots, and a code of success

template <bool Info>
void LuFactor(Call& call) {
  const TensorMeta& a = call.Meta(0);
  RequireMatrix(call, a);
  RequireKernelDtype(call, a);
  call.ReturnNew(ColumnMajorLike(a));
  call.ReturnNew(NewBatch(a, {Min(Rows(a), Columns(a))}, ScalarType::Int));
  if (Info) ReturnInfo(call, a);
}

void ReturnLu(Call& call, const TensorMeta& a, bool permutation, bool factors) {
  const Dim m = Rows(a), n = Columns(a), k = Min(m, n);
  call.ReturnNew(permutation ? NewBatch(a, {m, m}, a.dtype) : Nothing(a));
  call.ReturnNew(factors ? NewBatch(a, {m, k}, a.dtype) : Nothing(a));
  call.ReturnNew(factors ? NewBatch(a, {k, n}, a.dtype) : Nothing(a));
}

void Lu(Call& call) {
  RequireMatrix(call, call.Meta(0));
  RequireKernelDtype(call, call.Meta(0));
  ReturnLu(call, call.Meta(0), call.Bool(1), true);
}

void LuUnpack(Call& call) {
  const TensorMeta& a = call.Meta(0);
  RequireMatrix(call, a);
  if (call.Bool(3) && call.Meta(1).dtype != ScalarType::Int)
    FailDtype(call, "expects pivots of int32, not " + std::string(DtypeName(call.Meta(1).dtype)));
  ReturnLu(call, a, call.Bool(3), call.Bool(2));
}

// ---- QR

enum class QrMode { kReduced, kComplete, kROnly };

void ReturnQr(Call& call, QrMode mode) {
  const TensorMeta& a = Matrix(call);
  const Dim m = Rows(a), n = Columns(a), k = Min(m, n), inner = mode == QrMode::kComplete ? m : k;
  call.ReturnNew(mode == QrMode::kROnly ? Nothing(a) : ColumnMajor(Batched(a, {m, inner}), a.dtype, a.device));
  call.ReturnNew(ColumnMajor(Batched(a, {inner, n}), a.dtype, a.device));
}

void LinalgQr(Call& call) {
  const std::string_view mode = call.String(1);
  if (mode == "reduced") return ReturnQr(call, QrMode::kReduced);
  if (mode == "complete") return ReturnQr(call, QrMode::kComplete);
  if (mode == "r") return ReturnQr(call, QrMode::kROnly);
  FailValue(call, "expected the mode reduced, complete or r, but got " + std::string(mode));
}

void Qr(Call& call) { ReturnQr(call, call.Bool(1) ? QrMode::kReduced : QrMode::kComplete); }

void Geqrf(Call& call) {
  const TensorMeta& a = Matrix(call);
  RequireLapackDtype(call, a);
  call.ReturnNew(ColumnMajorLike(a));
  call.ReturnNew(NewBatch(a, {Min(Rows(a), Columns(a))}, a.dtype));
}

void RequireSameBatch(const Call& call, const TensorMeta& a, DimSpan batch, const char* name) {
  if (!ExpectSame(a.size_span().subspan(0, a.rank() - 2), batch))
    FailShape(call, std::string("expected batch dimensions of ") + name + " equal to those of " +
                        ToString(a.size_span()) + ", but got " + ToString(batch));
}

void CheckReflectors(const Call& call, const TensorMeta& a, const TensorMeta& tau) {
  if (tau.rank() != a.rank() - 1)
    FailShape(call, "expected tau to have one dimension less than input " + ToString(a.size_span()));
  if (!Expect(Ge(Columns(a), tau.sizes.back())))
    FailShape(call, "more reflectors than columns: " + ToString(tau.size_span()) + " and " + ToString(a.size_span()));
  RequireSameBatch(call, a, tau.size_span().subspan(0, tau.rank() - 1), "tau");
  if (tau.dtype != a.dtype) FailDtype(call, "expects tau in the input's dtype " + std::string(DtypeName(a.dtype)));
}

void HouseholderProduct(Call& call) {
  const TensorMeta& a = Matrix(call);
  if (!Expect(Ge(Rows(a), Columns(a))))
    FailShape(call, "expected at least as many rows as columns, but got " + ToString(a.size_span()));
  CheckReflectors(call, a, call.Meta(1));
  call.ReturnNew(ColumnMajorLike(a));
}

void Ormqr(Call& call) {
  const TensorMeta &a = Matrix(call), &tau = call.Meta(1), &other = call.Meta(2);
  RequireMatrix(call, other);
  const Dim size = call.Bool(3) ? Rows(other) : Columns(other);
  if (other.rank() != a.rank() || !Expect(Eq(size, Rows(a))))
    FailShape(
        call, "shapes " + ToString(a.size_span()) + " and " + ToString(other.size_span()) + " cannot be multiplied");
  CheckReflectors(call, a, tau);
  if (!Expect(Le(tau.sizes.back(), size)))
    FailShape(call, "more reflectors than " + size.ToString() + ": " + ToString(tau.size_span()));
  RequireSameBatch(call, a, other.size_span().subspan(0, other.rank() - 2), "other");
  RequireSameDtype(call, 0, 2);
  call.ReturnNew(ColumnMajorLike(other));
}

// ---- Cholesky and LDL

void CholeskyEx(Call& call) {
  const TensorMeta& a = SquareArgument(call);
  call.ReturnNew(ColumnMajorLike(a));
  ReturnInfo(call, a);
}

void ReturnColumnMajor(Call& call) { call.ReturnNew(ColumnMajorLike(SquareArgument(call))); }

void Cholesky(Call& call) {
  const TensorMeta& a = call.Meta(0);
  if (!IsEmpty(a)) return ReturnColumnMajor(call);
  call.ReturnNew(EmptyLike(a, MemoryFormat::Contiguous));
}

template <bool Info>
void LdlFactor(Call& call) {
  const TensorMeta& a = SquareArgument(call);
  call.ReturnNew(ColumnMajorLike(a));
  call.ReturnNew(NewBatch(a, {Rows(a)}, ScalarType::Int));
  if (Info) ReturnInfo(call, a);
}

// ---- eigenvalues

void CheckUplo(const Call& call) {
  const std::string_view uplo = call.String(1);
  if (uplo != "L" && uplo != "U" && uplo != "l" && uplo != "u")
    FailValue(call, "expected UPLO to be L or U, but got " + std::string(uplo));
}

void ReturnEigh(Call& call, bool values, bool vectors) {
  const TensorMeta& a = call.Meta(0);
  RequireSquare(call, a);
  RequireKernelDtype(call, a);
  CheckUplo(call);
  if (values) call.ReturnNew(NewBatch(a, {Rows(a)}, ToRealDtype(a.dtype)));
  if (vectors) call.ReturnNew(ColumnMajorLike(a));
}

void Eigh(Call& call) { ReturnEigh(call, true, true); }
void Eigvalsh(Call& call) { ReturnEigh(call, true, false); }

void EighPrimitive(Call& call) {
  ReturnEigh(call, true, call.Bool(2));
  if (!call.Bool(2)) call.ReturnNew(Nothing(call.Meta(0)));
}

void Eigvals(Call& call) {
  const TensorMeta& a = SquareArgument(call);
  call.ReturnNew(NewBatch(a, {Rows(a)}, ToComplexDtype(a.dtype)));
}

void Eig(Call& call) {
  Eigvals(call);
  TensorMeta vectors = call.Meta(0);
  vectors.dtype = ToComplexDtype(vectors.dtype);
  call.ReturnNew(vectors.device.is_cuda() ? EmptyLike(vectors, MemoryFormat::Contiguous) : ColumnMajorLike(vectors));
}

// ---- singular values

struct SvdMetas {
  TensorMeta u, s, vh;
};

SvdMetas SvdOf(const TensorMeta& a, bool full) {
  const Dim m = Rows(a), n = Columns(a), k = Min(m, n);
  const Dims vh = Batched(a, {full ? n : k, n});
  return {ColumnMajor(Batched(a, {m, full ? m : k}), a.dtype, a.device), NewBatch(a, {k}, ToRealDtype(a.dtype)),
      a.device.is_cuda() ? ContiguousMeta(vh, a.dtype, a.device) : ColumnMajor(vh, a.dtype, a.device)};
}

void ReturnAll(Call& call, SvdMetas svd) {
  call.ReturnNew(std::move(svd.u));
  call.ReturnNew(std::move(svd.s));
  call.ReturnNew(std::move(svd.vh));
}

void LinalgSvd(Call& call) { ReturnAll(call, SvdOf(Matrix(call), call.Bool(1))); }

void SvdPrimitive(Call& call) {
  const TensorMeta& a = Matrix(call);
  SvdMetas svd = SvdOf(a, call.Bool(1));
  if (!call.Bool(2)) svd.u = svd.vh = Nothing(a);
  ReturnAll(call, std::move(svd));
}

void Svdvals(Call& call) { call.ReturnNew(SvdOf(Matrix(call), false).s); }

// V instead of its conjugate transpose; where vectors are not wanted, zeros of their full size.
void Svd(Call& call) {
  const TensorMeta& a = Matrix(call);
  SvdMetas svd = SvdOf(a, !call.Bool(1));
  if (!call.Bool(2)) {
    svd.u = NewBatch(a, {Rows(a), Rows(a)}, a.dtype);
    svd.vh = NewBatch(a, {Columns(a), Columns(a)}, a.dtype);
  }
  svd.vh = Transposed(svd.vh, -2, -1);
  svd.vh.is_conj = IsComplex(a.dtype);
  ReturnAll(call, std::move(svd));
  if (call.Bool(2)) return;
  for (size_t i : {0, 2}) call.effects().outputs[i].requires_grad = false;
}

constexpr RuleRow kRows[] = {
    {"aten::linalg_lu", Lu},
    {"aten::linalg_lu_factor", LuFactor<false>},
    {"aten::linalg_lu_factor_ex", LuFactor<true>},
    {"aten::_lu_with_info", LuFactor<true>},
    {"aten::lu_unpack", LuUnpack},
    {"aten::linalg_qr", LinalgQr},
    {"aten::qr", Qr},
    {"aten::geqrf", Geqrf},
    {"aten::linalg_householder_product", HouseholderProduct},
    {"aten::orgqr", HouseholderProduct},
    {"aten::ormqr", Ormqr},
    {"aten::linalg_cholesky_ex", CholeskyEx},
    {"aten::linalg_cholesky", ReturnColumnMajor},
    {"aten::cholesky", Cholesky},
    {"aten::cholesky_inverse", ReturnColumnMajor},
    {"aten::linalg_ldl_factor", LdlFactor<false>},
    {"aten::linalg_ldl_factor_ex", LdlFactor<true>},
    {"aten::linalg_eigh", Eigh},
    {"aten::_linalg_eigh", EighPrimitive},
    {"aten::linalg_eigvalsh", Eigvalsh},
    {"aten::linalg_eig", Eig},
    {"aten::linalg_eigvals", Eigvals},
    {"aten::_linalg_eigvals", Eigvals},
    {"aten::linalg_svd", LinalgSvd},
    {"aten::_linalg_svd", SvdPrimitive},
    {"aten::linalg_svdvals", Svdvals},
    {"aten::svd", Svd},
};

}  // namespace

RuleRows FactorizationRules() { return kRows; }

}  // namespace fakeprop::rules
