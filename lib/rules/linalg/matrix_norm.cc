// Norms and condition numbers of matrices.
// Source: linalg_norm, linalg_matrix_norm, linalg_cond in aten/src/ATen/native/LinearAlgebra.cpp (torch 2.13).
#include <cmath>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/matrix_metas.h"

namespace fakeprop::rules {
namespace {

struct Reduction {
  std::vector<int64_t> dims;
  bool keepdim = false;
  std::optional<ScalarType> dtype;
};

void RequireNormDtype(const Call& call, const TensorMeta& a, std::optional<ScalarType> dtype) {
  RequireFloatOrComplex(call, a.dtype);
  if (!dtype) return;
  const bool is_of_kind = IsFloatOrComplex(*dtype) && IsComplex(*dtype) == IsComplex(a.dtype);
  if (!is_of_kind || PromoteTypes(a.dtype, *dtype) != *dtype)  // what would narrow
    FailDtype(call, "computes no norm of " + std::string(DtypeName(a.dtype)) + " in " + std::string(DtypeName(*dtype)));
}

// Norms are real; no dims means all of them.
void ReturnNorm(Call& call, const Reduction& r) {
  const TensorMeta& a = call.Meta(0);
  RequireNormDtype(call, a, r.dtype);
  ReturnContiguous(
      call, ReducedSizes(a.size_span(), DimMask(r.dims, a.rank()), r.keepdim), ToRealDtype(r.dtype.value_or(a.dtype)));
}

enum class Order { kFinite, kSpectral };  // kSpectral: by way of singular values, which LAPACK computes

void ReturnMatrixNorm(Call& call, const Reduction& r, Order order) {
  const TensorMeta& a = call.Meta(0);
  RequireMatrix(call, a);
  if (r.dims.size() != 2) FailValue(call, "dim must be a pair of dimensions");
  WrapDims(r.dims, a.rank());
  RequireNormDtype(call, a, r.dtype);
  if (order == Order::kSpectral) RequireLapackDtype(call, WithDtype(a, r.dtype.value_or(a.dtype)));
  ReturnNorm(call, r);
}

double OrderOf(const Value& ord) {
  if (auto d = ord.TryGet<double>()) return *d;
  if (auto d = ord.TryGet<Dim>()) return static_cast<double>(d->Specialize());
  return std::nan("");
}

Order MatrixOrder(const Call& call, int i) {
  const double ord = std::abs(OrderOf(call.Number(i)));
  if (ord == 2) return Order::kSpectral;
  if (ord == 1 || std::isinf(ord)) return Order::kFinite;
  FailValue(call, "a norm of order " + ToString(call.Arg(i)) + " is not supported for matrices");
}

Order NamedOrder(const Call& call, int i) {
  const std::string_view ord = call.String(i);
  if (ord == "nuc") return Order::kSpectral;
  if (ord == "fro") return Order::kFinite;
  FailValue(call, "a norm of order " + std::string(ord) + " is not supported for matrices");
}

// Arguments dim, keepdim, dtype of every overload.
Reduction ReductionFrom(const Call& call) {
  Reduction r;
  if (!call.IsNone(2)) r.dims = call.Ints(2);
  r.keepdim = call.Bool(3);
  r.dtype = call.OptionalDtype(4);
  return r;
}

void MatrixNorm(Call& call) { ReturnMatrixNorm(call, ReductionFrom(call), MatrixOrder(call, 1)); }

void MatrixNormNamed(Call& call) { ReturnMatrixNorm(call, ReductionFrom(call), NamedOrder(call, 1)); }

// The sum of singular values of the last two dimensions, or of two that the call names.
void NuclearNorm(Call& call) { ReturnMatrixNorm(call, {{-2, -1}, call.Bool(1), std::nullopt}, Order::kSpectral); }

void NuclearNormAlong(Call& call) {
  ReturnMatrixNorm(call, {call.Ints(1), call.Bool(2), std::nullopt}, Order::kSpectral);
}

// An order without dimensions takes vectors and matrices; two dimensions make a matrix.
void Norm(Call& call) {
  Reduction r = ReductionFrom(call);
  const int64_t rank = call.Meta(0).rank();
  if (!call.IsNone(2) && r.dims.size() != 1 && r.dims.size() != 2)
    FailValue(call, "takes an order along 1 or 2 dimensions, not " + std::to_string(r.dims.size()));
  if (!call.IsNone(1) && call.IsNone(2) && rank != 1 && rank != 2)
    FailShape(
        call, "with an order but no dim the input must be 1-d or 2-d, but got " + ToString(call.Meta(0).size_span()));
  const bool matrix = !call.IsNone(1) && (r.dims.size() == 2 || (call.IsNone(2) && rank == 2));
  if (!matrix) return ReturnNorm(call, r);
  if (r.dims.empty()) r.dims = {0, 1};
  ReturnMatrixNorm(call, r, MatrixOrder(call, 1));
}

void NormNamed(Call& call) {
  Reduction r = ReductionFrom(call);
  if (call.IsNone(2) && call.Meta(0).rank() != 2)
    FailShape(
        call, "with a named order but no dim the input must be 2-d, but got " + ToString(call.Meta(0).size_span()));
  if (call.IsNone(2)) r.dims = {0, 1};
  ReturnMatrixNorm(call, r, NamedOrder(call, 1));
}

// Orders other than 2 and -2 invert the matrix.
void ReturnCondition(Call& call, bool inverts) {
  const TensorMeta& a = call.Meta(0);
  RequireMatrix(call, a);
  if (inverts) RequireSquare(call, a);
  RequireKernelDtype(call, a);
  Output& result = call.ReturnNew(NewBatch(a, {}, ToRealDtype(a.dtype)));
  if (IsKnownEmpty(a)) result.requires_grad = false;  // zeros that nothing was computed for
}

void Condition(Call& call) { ReturnCondition(call, !call.IsNone(1) && MatrixOrder(call, 1) != Order::kSpectral); }

void ConditionNamed(Call& call) {
  NamedOrder(call, 1);
  ReturnCondition(call, true);
}

constexpr RuleRow kRows[] = {
    {"aten::linalg_matrix_norm", MatrixNorm},
    {"aten::linalg_matrix_norm.str_ord", MatrixNormNamed},
    {"aten::nuclear_norm", NuclearNorm},
    {"aten::nuclear_norm.dim", NuclearNormAlong},
    {"aten::linalg_norm", Norm},
    {"aten::linalg_norm.ord_str", NormNamed},
    {"aten::linalg_cond", Condition},
    {"aten::linalg_cond.p_str", ConditionNamed},
};

}  // namespace

RuleRows MatrixNormRules() { return kRows; }

}  // namespace fakeprop::rules
