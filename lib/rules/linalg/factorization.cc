// Factorizations of matrices: LU, QR, Cholesky, LDL, eigenvalues, singular values.
// Source: torch/_meta_registrations.py, aten/src/ATen/native/BatchLinearAlgebra.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_changes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/matrix_metas.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

TensorMeta Nothing(const TensorMeta& like) { return ContiguousMeta(Dims{0}, like.dtype, like.device); }

Operand LinalgMatrix(const Call& call) {
  const Operand a = MatrixOperand(call);
  RequireMatrix(call, a);
  RequireLinalgDtype(call, a);
  return a;
}

Operand KernelMatrix(const Call& call) {
  const Operand a = MatrixOperand(call);
  RequireMatrix(call, a);
  RequireKernelDtype(call, a);
  return a;
}

// ---- LU: factors in one matrix, pivots, and a code of success

template <bool Info>
void LuFactor(Call& call) {
  const Operand a = KernelMatrix(call);
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
  const Operand a = KernelMatrix(call);
  ReturnLu(call, a, call.Bool("pivot"), true);
}

void LuUnpack(Call& call) {
  const Operand a = call.In("LU_data");
  RequireMatrix(call, a);
  const bool unpacks_pivots = call.Bool("unpack_pivots");
  if (unpacks_pivots) {
    const Operand pivots = call.In("LU_pivots").Takes(ScalarType::Int, "expects pivots of int32, not {}");
    const Dims sizes = Batched(*a, {Min(Rows(a), Columns(a))});
    if (Has(call, kPivotsChecked)) pivots.Sizes(sizes);
  }
  ReturnLu(call, a, unpacks_pivots, call.Bool("unpack_data"));
}

// ---- QR

enum class QrMode { kReduced, kComplete, kROnly };

void ReturnQr(Call& call, QrMode mode) {
  const Operand a = LinalgMatrix(call);
  const Dim m = Rows(a), n = Columns(a), k = Min(m, n), inner = mode == QrMode::kComplete ? m : k;
  call.ReturnNew(mode == QrMode::kROnly ? Nothing(a) : ColumnMajor(Batched(a, {m, inner}), a->dtype, a->device));
  call.ReturnNew(ColumnMajor(Batched(a, {inner, n}), a->dtype, a->device));
}

void LinalgQr(Call& call) {
  const std::string_view mode = call.String("mode");
  if (mode == "reduced") return ReturnQr(call, QrMode::kReduced);
  if (mode == "complete") return ReturnQr(call, QrMode::kComplete);
  if (mode == "r") return ReturnQr(call, QrMode::kROnly);
  FailValue(call, {"expected the mode reduced, complete or r, but got {}", mode});
}

void Qr(Call& call) { ReturnQr(call, call.Bool("some") ? QrMode::kReduced : QrMode::kComplete); }

void Geqrf(Call& call) {
  const Operand a = LinalgMatrix(call).Takes(kLapackDtypes);
  call.ReturnNew(ColumnMajorLike(a));
  call.ReturnNew(NewBatch(a, {Min(Rows(a), Columns(a))}, a->dtype));
}

// geqrf.a computes in its out tensors, empty ones that it makes to measure, or copies into them.
// Source: at::native::geqrf_out.
OutStrides OutStridesOfGeqrf(const Call& out_form) {
  const Operand self = out_form.In("self"), a = out_form.In("a"), tau = out_form.In("tau");
  if (!IsEmpty(*a)) return OutStrides::kContiguous;
  const bool fits =
      tau->rank() == self->rank() - 1 && GuardOrFalse(Eq(tau->sizes.back(), Min(Rows(*self), Columns(*self))));
  return fits || IsEmpty(*tau) ? OutStrides::kOfResult : OutStrides::kContiguous;
}

void RequireSameBatch(const Call& call, const TensorMeta& a, DimSpan batch, const char* name) {
  RequireShape(call, ExpectSame(BatchSizes(a), batch),
      {"expected batch dimensions of {} equal to those of {}, but got {}", name, a.sizes, batch});
}

void CheckReflectors(const Call& call, const Operand& a, const Operand& tau) {
  tau.Rank(a->rank() - 1, {"expected tau to have one dimension less than input {}", a->sizes});
  a.Require(Ge(Columns(a), tau->sizes.back()), {"more reflectors than columns: {} and {}", tau->sizes});
  RequireSameBatch(call, a, tau->size_span().subspan(0, tau->rank() - 1), "tau");
  tau.SameDtypeAs(a);
}

template <ArgumentName Tau>
void HouseholderProduct(Call& call) {
  const Operand a = LinalgMatrix(call);
  a.Require(Ge(Rows(a), Columns(a)), "expected at least as many rows as columns, but got {}");
  CheckReflectors(call, a, call.In(Tau));
  call.ReturnNew(ColumnMajorLike(a));
}

// The schema calls tau `input2`, and the matrix that is multiplied `input3`.
void Ormqr(Call& call) {
  const Operand a = LinalgMatrix(call), tau = call.In("input2"), other = call.In("input3");
  RequireMatrix(call, other);
  const Dim size = call.Bool("left") ? Rows(other) : Columns(other);
  other.Require(
      other->rank() == a->rank() && Expect(Eq(size, Rows(a))), {"shapes {} and {} cannot be multiplied", a->sizes});
  CheckReflectors(call, a, tau);
  const Dim reflectors = Min(size, Columns(a));
  tau.Size(-1, reflectors,
      {"tau.shape[-1] must be equal to min(other.shape[{}], input.shape[-1]), {}, but got {}",
          call.Bool("left") ? -2 : -1, reflectors});
  RequireSameBatch(call, a, BatchSizes(other), "other");
  a.SameDtypeAs(other);
  call.ReturnNew(ColumnMajorLike(other));
}

// ---- Cholesky and LDL

void CholeskyEx(Call& call) {
  const Operand a = SquareOperand(call);
  call.ReturnNew(ColumnMajorLike(a));
  ReturnInfo(call, a);
}

void ReturnColumnMajor(Call& call) { call.ReturnNew(ColumnMajorLike(SquareOperand(call))); }

void Cholesky(Call& call) {
  const Operand a = call.In("self");
  if (!IsEmpty(a)) return ReturnColumnMajor(call);
  call.ReturnNew(EmptyLike(a, MemoryFormat::Contiguous));
}

template <bool Info>
void LdlFactor(Call& call) {
  const Operand a = SquareOperand(call);
  call.ReturnNew(ColumnMajorLike(a));
  call.ReturnNew(NewBatch(a, {Rows(a)}, ScalarType::Int));
  if (Info) ReturnInfo(call, a);
}

// ---- eigenvalues

void CheckUplo(const Call& call) {
  RequireOneOf(call, "UPLO", {"L", "U", "l", "u"}, "expected UPLO to be L or U, but got {}");
}

void Eigvalsh(Call& call) {
  const Operand a = MatrixOperand(call);
  RequireSquare(call, a);
  RequireKernelDtype(call, a);
  CheckUplo(call);
  call.ReturnNew(NewBatch(a, {Rows(a)}, ToRealDtype(a->dtype)));
}

void Eigh(Call& call) {
  Eigvalsh(call);
  call.ReturnNew(ColumnMajorLike(MatrixOperand(call)));
}

void EighPrimitive(Call& call) {
  if (call.Bool("compute_v")) return Eigh(call);
  Eigvalsh(call);
  call.ReturnNew(Nothing(MatrixOperand(call)));
}

void Eigvals(Call& call) {
  const Operand a = SquareOperand(call);
  call.ReturnNew(NewBatch(a, {Rows(a)}, ToComplexDtype(a->dtype)));
}

void Eig(Call& call) {
  Eigvals(call);
  const Operand a = MatrixOperand(call);
  const TensorMeta vectors = WithDtype(a, ToComplexDtype(a->dtype));
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

// A matrix with orthonormal columns, and a square one that is positive semidefinite.
void Polar(Call& call) {
  const Operand a = LinalgMatrix(call);
  a.Require(Ge(Rows(a), Columns(a)), "takes matrices with at least as many rows as columns, not {tensor}");
  ReturnContiguous(call, a, a->dtype);
  call.ReturnNew(NewBatch(a, {Columns(a), Columns(a)}, a->dtype));
}

void LinalgSvd(Call& call) { ReturnAll(call, SvdOf(LinalgMatrix(call), call.Bool("full_matrices"))); }

void SvdPrimitive(Call& call) {
  const Operand a = LinalgMatrix(call);
  SvdMetas svd = SvdOf(a, call.Bool("full_matrices"));
  if (!call.Bool("compute_uv")) svd.u = svd.vh = Nothing(a);
  ReturnAll(call, std::move(svd));
}

void Svdvals(Call& call) { call.ReturnNew(SvdOf(LinalgMatrix(call), false).s); }

// Returns V, where linalg_svd returns its conjugate transpose. Vectors that are not wanted are zeros of full size.
void Svd(Call& call) {
  const Operand a = LinalgMatrix(call);
  SvdMetas svd = SvdOf(a, !call.Bool("some"));
  const bool computes_vectors = call.Bool("compute_uv");
  if (!computes_vectors) {
    svd.u = NewBatch(a, {Rows(a), Rows(a)}, a->dtype);
    svd.vh = NewBatch(a, {Columns(a), Columns(a)}, a->dtype);
  }
  svd.vh = Transposed(svd.vh, -2, -1);
  svd.vh.is_conj = IsComplex(a->dtype);
  ReturnAll(call, std::move(svd));
  call.effects().outputs[2].ends_in_view = true;
  if (computes_vectors) return;
  for (size_t i : {0, 2}) call.effects().outputs[i].requires_grad = false;
}

// The kernels compute in out tensors of their dtype that have no elements, and copy into others that are resized.
// Source: linalg_householder_product_out, ormqr_out, cholesky_inverse_out, linalg_eig_out in
// aten/src/ATen/native/BatchLinearAlgebra.cpp (torch 2.13).
OutStrides OutStridesOfColumns(const Operand& out, ScalarType dtype) {
  return IsKnownEmpty(out) && out->dtype == dtype ? OutStrides::kOfResult : OutStrides::kContiguous;
}

OutStrides OutStridesOfProduct(const Call& out_form) {
  return OutStridesOfColumns(out_form.In("out"), out_form.TensorArg(0).meta.dtype);
}

OutStrides OutStridesOfEig(const Call& out_form) {
  return OutStridesOfColumns(out_form.In("eigenvectors"), ToComplexDtype(out_form.In("self")->dtype));
}

constexpr RuleRow kRows[] = {
    {"aten::linalg_lu", Lu},
    {"aten::linalg_lu_factor", LuFactor<false>},
    {"aten::linalg_lu_factor_ex", LuFactor<true>},
    {"aten::_lu_with_info", LuFactor<true>},
    {"aten::lu_unpack", LuUnpack, Overlap::kAllowedInOut},
    {"aten::linalg_qr", LinalgQr},
    {"aten::qr", Qr},
    {"aten::geqrf", Geqrf, OutDtype::kCast | OutStridesOfGeqrf},
    {"aten::linalg_householder_product", HouseholderProduct<"tau">, OutDtype::kCast | OutStridesOfProduct},
    {"aten::orgqr", HouseholderProduct<"input2">, OutDtype::kCast | OutStridesOfProduct},
    {"aten::ormqr", Ormqr, OutStridesOfProduct},
    {"aten::linalg_cholesky_ex", CholeskyEx, OutStrides::kOfResultEverywhere},
    {"aten::linalg_cholesky", ReturnColumnMajor, OutStrides::kOfResultEverywhere},
    {"aten::cholesky", Cholesky, OutDtype::kCast | OutStrides::kContiguous},
    {"aten::cholesky_inverse", ReturnColumnMajor, OutDtype::kCast | OutStridesOfProduct},
    {"aten::linalg_ldl_factor", LdlFactor<false>},
    {"aten::linalg_ldl_factor_ex", LdlFactor<true>},
    {"aten::linalg_eigh", Eigh},
    {"aten::_linalg_eigh", EighPrimitive},
    {"aten::linalg_eigvalsh", Eigvalsh},
    {"aten::linalg_eig", Eig, OutDtype::kCast | OutStridesOfEig},
    {"aten::linalg_eigvals", Eigvals, OutDtype::kCast},
    {"aten::_linalg_eigvals", Eigvals},
    {"aten::linalg_svd", LinalgSvd, OutStrides::kOfResultEverywhere},
    {"aten::_linalg_svd", SvdPrimitive, OutStrides::kOfResultEverywhere},
    {"aten::linalg_svdvals", Svdvals},
    {"aten::svd", Svd},
    {"aten::linalg_polar", Polar},
};

}  // namespace

RuleRows FactorizationRules() { return kRows; }

}  // namespace fakeprop::rules
