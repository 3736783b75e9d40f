// Norms and condition numbers of matrices.
// Source: linalg_norm, linalg_matrix_norm, linalg_cond in aten/src/ATen/native/LinearAlgebra.cpp (torch 2.13).
#include <cmath>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/matrix_metas.h"

namespace fakeprop::rules {
namespace {

struct Reduction {
  std::vector<int64_t> dims;
  bool keepdim = false;
  std::optional<ScalarType> dtype;
};

void RequireNormDtype(const Call& call, const Operand& a, std::optional<ScalarType> dtype) {
  a.Takes(kFloatingOrComplex);
  if (!dtype) return;
  const bool is_of_kind = IsFloatOrComplex(*dtype) && IsComplex(*dtype) == IsComplex(a->dtype);
  if (!is_of_kind || PromoteTypes(a->dtype, *dtype) != *dtype)  // what would narrow
    FailDtype(call, {"computes no norm of {} in {}", a->dtype, *dtype});
}

// Norms are real. An empty list of dims stands for all of them.
void ReturnNorm(Call& call, const Reduction& r) {
  const Operand a = call.In("self");
  RequireNormDtype(call, a, r.dtype);
  const Dims sizes = ReducedSizes(a->size_span(), DimMask(r.dims, a->rank()), r.keepdim);
  ReturnContiguous(call, sizes, ToRealDtype(r.dtype.value_or(a->dtype)));
}

enum class Order { kFinite, kSpectral };  // kSpectral: by way of singular values, which LAPACK computes

// The norm is computed with the matrices in the last dimensions, which are then moved back: their strides are 1.
void MoveBack(Call& call, const Reduction& r) {
  TensorMeta& norm = call.effects().outputs[0].meta;
  const std::vector<bool> of_matrix = DimMask(r.dims, norm.rank());
  Dim stride = 1;
  for (int64_t d = norm.rank() - 1; d >= 0; --d) {
    norm.strides[d] = of_matrix[d] ? Dim(1) : stride;
    if (!of_matrix[d]) stride *= Max(norm.sizes[d], 1);
  }
}

void ReturnMatrixNorm(Call& call, const Reduction& r, Order order) {
  const Operand a = call.In("self");
  RequireMatrix(call, a);
  RequireValue(call, r.dims.size() == 2, "dim must be a pair of dimensions");
  WrapDims(r.dims, a->rank());
  RequireNormDtype(call, a, r.dtype);
  if (order == Order::kSpectral) RequireDtype(call, r.dtype.value_or(a->dtype), kLapackDtypes);
  ReturnNorm(call, r);
  if (order != Order::kSpectral || !r.keepdim) return;
  MoveBack(call, r);
  EndInView(call);
}

double OrderOf(const Value& ord) {
  if (auto d = ord.TryGet<double>()) return *d;
  if (auto d = ord.TryGet<Dim>()) return static_cast<double>(d->Specialize());
  return std::nan("");
}

constexpr const char* kOrderText = "a norm of order {} is not supported for matrices";

Order MatrixOrder(const Call& call, ArgumentName name) {
  const double ord = std::abs(OrderOf(call.Number(name)));
  if (ord == 2) return Order::kSpectral;
  if (ord == 1 || std::isinf(ord)) return Order::kFinite;
  FailValue(call, {kOrderText, call.Arg(name)});
}

Order NamedOrder(const Call& call, ArgumentName name) {
  const std::string_view ord = call.String(name);
  if (ord == "nuc") return Order::kSpectral;
  if (ord == "fro") return Order::kFinite;
  FailValue(call, {kOrderText, ord});
}

Reduction ReductionFrom(const Call& call) {
  Reduction r;
  if (call.Has("dim")) r.dims = call.Ints("dim");
  r.keepdim = call.Bool("keepdim");
  r.dtype = call.OptionalDtype("dtype");
  return r;
}

// The extremum of singular values (2), of columns (1) or of rows (inf). The greatest of nothing is 0, for which
// autograd has no formula; nothing has no least.
void ReturnExtremeNorm(Call& call, const Reduction& r) {
  ReturnMatrixNorm(call, r, MatrixOrder(call, "ord"));
  const Operand a = call.In("self");
  const double order = OrderOf(call.Number("ord"));
  const auto lacks = [&](int i) { return Known(Eq(a->sizes[WrapDim(r.dims[i], a->rank())], 0)); };
  const bool no_rows = std::abs(order) != 1 && lacks(0), no_columns = !std::isinf(order) && lacks(1);
  if (!no_rows && !no_columns) return;
  if (order < 0)
    FailIndex(call, {"of order {} takes no matrix without elements, but got {}: amin(): Expected reduction dim to have "
                     "non-zero size",
                        call.Arg("ord"), *a});
  call.effects().outputs[0].requires_grad = false;
}

void MatrixNorm(Call& call) { ReturnExtremeNorm(call, ReductionFrom(call)); }

void MatrixNormNamed(Call& call) { ReturnMatrixNorm(call, ReductionFrom(call), NamedOrder(call, "ord")); }

// The sum of the singular values of matrices: of the last two dimensions, or of two that are given.
void NuclearNorm(Call& call) {
  ReturnMatrixNorm(call, {{-2, -1}, call.Bool("keepdim"), std::nullopt}, Order::kSpectral);
}

void NuclearNormAlong(Call& call) {
  ReturnMatrixNorm(call, {call.Ints("dim"), call.Bool("keepdim"), std::nullopt}, Order::kSpectral);
}

// If an order is given without dimensions, the input is a vector or a matrix. Two dimensions are a matrix.
void Norm(Call& call) {
  Reduction r = ReductionFrom(call);
  const Operand self = call.In("self");
  const int64_t rank = self->rank();
  const bool has_dim = call.Has("dim"), has_order = call.Has("ord");
  RequireValue(call, !has_dim || r.dims.size() == 1 || r.dims.size() == 2,
      {"takes an order along 1 or 2 dimensions, not {}", r.dims.size()});
  self.Require(!has_order || has_dim || rank == 1 || rank == 2,
      "with an order but no dim the input must be 1-d or 2-d, but got {}");
  const bool is_matrix = has_order && (has_dim ? r.dims.size() == 2 : rank == 2);
  if (!is_matrix) return ReturnNorm(call, r);
  if (!has_dim) r.dims = {0, 1};
  ReturnExtremeNorm(call, r);
}

void NormNamed(Call& call) {
  Reduction r = ReductionFrom(call);
  if (!call.Has("dim")) {
    call.In("self").Rank(2, "with a named order but no dim the input must be 2-d, but got {}");
    r.dims = {0, 1};
  }
  ReturnMatrixNorm(call, r, NamedOrder(call, "ord"));
}

// `inverts`: orders other than 2 and -2 invert the matrix.
void ReturnCondition(Call& call, bool inverts) {
  const Operand a = call.In("self");
  RequireMatrix(call, a);
  if (inverts) RequireSquare(call, a);
  RequireKernelDtype(call, a);
  Output& result = call.ReturnNew(NewBatch(a, {}, ToRealDtype(a->dtype)));
  if (IsKnownEmpty(a)) result.requires_grad = false;  // zeros that nothing was computed for
  result.ends_in_view = !inverts;                     // the quotient of two singular values
}

void Condition(Call& call) { ReturnCondition(call, call.Has("p") && MatrixOrder(call, "p") != Order::kSpectral); }

void ConditionNamed(Call& call) {
  NamedOrder(call, "p");
  ReturnCondition(call, true);
}

constexpr RuleRow kRows[] = {
    {"aten::linalg_matrix_norm", MatrixNorm, OutStrides::kContiguous},
    {"aten::linalg_matrix_norm.str_ord", MatrixNormNamed, OutStrides::kContiguous},
    {"aten::nuclear_norm", NuclearNorm},
    {"aten::nuclear_norm.dim", NuclearNormAlong, OutStrides::kContiguous},
    {"aten::linalg_norm", Norm, OutStrides::kContiguous},
    {"aten::linalg_norm.ord_str", NormNamed, OutStrides::kContiguous},
    {"aten::linalg_cond", Condition, OutDtype::kCast},
    {"aten::linalg_cond.p_str", ConditionNamed, OutDtype::kCast},
};

}  // namespace

RuleRows MatrixNormRules() { return kRows; }

}  // namespace fakeprop::rules
