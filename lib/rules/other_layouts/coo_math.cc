// Arithmetic on tensors in coordinates. Source: aten/src/ATen/native/sparse/SparseTensorMath.cpp, SparseUnaryOps.cpp,
// SparseBinaryOpIntersectionCommon.h, SoftMax.cpp, SparseMatMul.cpp (torch 2.15).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/layout_rows.h"
#include "lib/rules/other_layouts/twin_call.h"
#include "lib/rules/support/sparse_results.h"

namespace fakeprop::rules {
namespace {

const Tensor& TensorIn(const Call& call, ArgumentName name) { return call.In(name).tensor(); }

ScalarType DtypeOfResult(Call& call) { return TwinCall(call).Result().dtype; }

// The coordinates of `like` with other values.
Output& ReturnAt(Call& call, const Tensor& like, ScalarType dtype, Dim nnz, bool is_coalesced) {
  return ReturnCoo(call, {like.meta.sizes, dtype, SparseDim(like), nnz, is_coalesced});
}

// ---- functions of one tensor

// Source: coalesced_unary_ufunc.
void OfCoalesced(Call& call) {
  const Tensor& self = TensorIn(call, "self");
  const ScalarType dtype = DtypeOfResult(call);
  ReturnAt(call, self, dtype, CoalescedNnz(call, self), true);
}

// Linear functions keep coordinates that are named twice.
void OfEach(Call& call) {
  const Tensor& self = TensorIn(call, "self");
  ReturnAt(call, self, DtypeOfResult(call), Nnz(self), PartsOf(self).is_coalesced);
}

void Power(Call& call) {
  const Value& exponent = call.Number("exponent");
  const Dim* integer = exponent.TryGet<Dim>();
  const double* real = exponent.TryGet<double>();
  RequireValue(call, !(integer && Known(Eq(*integer, 0))) && !(real && *real == 0),
      "cannot raise to zeroth power on sparse tensor: the result would be dense");
  OfCoalesced(call);
}

// ---- two tensors

bool IsNumber(const Operand& t) { return t->rank() == 0; }

void RequireSameDims(const Call& call, const Tensor& self, const Tensor& other) {
  RequireShape(call, GuardSame(self.meta.size_span(), other.meta.size_span()),
      {"expects sizes of `self` and `other` to match, but {} != {}", self.meta.sizes, other.meta.sizes});
  RequireShape(call, SparseDim(self) == SparseDim(other),
      {"expects `self` and `other` to have the same density, but they have {} and {} sparse dimensions",
          SparseDim(self), SparseDim(other)});
}

[[noreturn]] void FailDense(const Call& call) {
  Fail(ErrorClass::kTypeError,
      Format("{}: add(sparse, dense) is not supported. Use add(dense, sparse) instead", OpName(call)));
}

void Sum(Call& call) {
  if (!call.TryIn("other")) FailDense(call);
  const Operand self = call.In("self"), other = call.In("other");
  if (!IsCoo(self)) return StridedResult(call);
  if (!IsCoo(other)) FailDense(call);
  RequireSameDims(call, self.tensor(), other.tensor());
  const ScalarType dtype = DtypeOfResult(call);
  const bool is_coalesced = PartsOf(self.tensor()).is_coalesced && PartsOf(other.tensor()).is_coalesced;
  // Coordinates that both name count once.
  const Dim most = Nnz(self.tensor()) + Nnz(other.tensor());
  ReturnAt(call, self.tensor(), dtype, UnknownNnz(call, Dims{most}), is_coalesced);
}

void SumWithNumber(Call& call) { FailDense(call); }

// Coordinates that both name. If one names a coordinate twice, the result has those of the other one's search.
Dim IntersectionNnz(Call& call, const Tensor& a, const Tensor& b) {
  const bool a_is_coalesced = PartsOf(a).is_coalesced, b_is_coalesced = PartsOf(b).is_coalesced;
  if (a_is_coalesced && b_is_coalesced)
    return UnknownNnz(call, a.meta.size_span().first(static_cast<size_t>(SparseDim(a))));
  if (a_is_coalesced != b_is_coalesced) return Nnz(a_is_coalesced ? b : a);
  return Min(Nnz(a), Nnz(b));
}

// The coordinates of the sparse operand, whose shape the result must have.
void ProductWithDense(Call& call, const Operand& sparse, const Operand& dense) {
  const Dims sizes = BroadcastSizes(dense->size_span(), sparse->size_span());
  if (!GuardSame(sizes, sparse->size_span()))
    FailAs(call, ErrorClass::kUnsupportedOperator,
        {"of {} and {}: here a sparse tensor is not broadcast", *sparse, *dense});
  const Tensor& t = sparse.tensor();
  ReturnAt(call, t, DtypeOfResult(call), Nnz(t), PartsOf(t).is_coalesced);
}

void Product(Call& call) {
  if (!call.TryIn("other")) return OfEach(call);  // a number
  const Operand self = call.In("self"), other = call.In("other");
  if (!IsCoo(self)) return ProductWithDense(call, other, self);
  if (!IsCoo(other)) return ProductWithDense(call, self, other);
  RequireSameDims(call, self.tensor(), other.tensor());
  const ScalarType dtype = DtypeOfResult(call);
  const bool is_coalesced = PartsOf(self.tensor()).is_coalesced && PartsOf(other.tensor()).is_coalesced;
  Output& out =
      ReturnAt(call, self.tensor(), dtype, IntersectionNnz(call, self.tensor(), other.tensor()), is_coalesced);
  // A view of a buffer that is as long as the shorter list.
  if (is_coalesced) out.items[1].meta.strides[0] = Min(Nnz(self.tensor()), Nnz(other.tensor()));
}

void RequireDivisor(const Call& call) {
  const Operand other = call.TryIn("other");
  if (!other) return;  // a number
  const Operand self = call.In("self");
  if (!IsCoo(self) || IsCoo(other) || !IsNumber(other))
    FailValue(call, {"divides a sparse tensor by a number or a strided tensor of no dimensions, not by {}", *other});
}

// A quotient that is rounded is no linear function.
void Quotient(Call& call) {
  RequireDivisor(call);
  call.Has("rounding_mode") ? OfCoalesced(call) : OfEach(call);
}

void FloorQuotient(Call& call) {
  RequireDivisor(call);
  OfCoalesced(call);
}

// ---- matrices

// Of the same positional arguments as the other operators of a product.
constexpr std::string_view kProduct = "aten::matmul";

// Two matrices in coordinates: which elements the product has depends on data.
void SparseProduct(Call& call, ArgumentName left, ArgumentName right) {
  const TensorMeta result = TwinCall(call, kProduct).Result();
  for (ArgumentName name : {left, right})
    RequireValue(call, SparseDim(TensorIn(call, name)) == 2, "takes matrices of two sparse dimensions");
  ReturnCoo(call, {result.sizes, result.dtype, 2, UnknownNnz(call, result.size_span()), true});
}

// The kernel computes (b' a')'.
void TransposedResult(Call& call, std::string_view op) {
  TensorMeta result = TwinCall(call, op).Result();
  if (result.rank() == 2) result.strides = Dims{1, Max(result.sizes[0], 1)};
  call.ReturnNew(std::move(result));
}

void StridedProduct(Call& call) {
  const TensorMeta result = TwinCall(call, kProduct).Result();
  ReturnContiguous(call, result.size_span(), result.dtype);
}

template <ArgumentName kLeft, ArgumentName kRight>
void MatrixProduct(Call& call) {
  const bool left = IsCoo(call.In(kLeft)), right = IsCoo(call.In(kRight));
  if (left && right) SparseProduct(call, kLeft, kRight);
  else if (left) StridedProduct(call);
  else TransposedResult(call, kProduct);
}

// The second matrix is strided.
template <ArgumentName kSparse, ArgumentName kDense>
void ProductOfFirst(Call& call) {
  if (!IsCoo(call.In(kSparse)) || IsCoo(call.In(kDense)))
    FailAs(call, ErrorClass::kTypeError,
        {"expects a sparse {} and a strided {}, but got {} and {}", call.In(kSparse).QuotedName(),
            call.In(kDense).QuotedName(), *call.In(kSparse), *call.In(kDense)});
  StridedResult(call);
}

void Linear(Call& call) {
  RequireValue(
      call, !call.Has("bias"), "takes no bias beside a sparse weight: addmm expects its first matrix to be sparse");
  TransposedResult(call, "aten::linear");
}

Dims ProductSizes(const Call& call, const Operand& a, const Operand& b) {
  a.Rank(2);
  b.Rank(2);
  RequireEqual(
      call, a->sizes[1], b->sizes[0], {"multiplies matrices of fitting shapes, not {} and {}", a->sizes, b->sizes});
  return {a->sizes[0], b->sizes[1]};
}

// A sparse matrix, as large as the product.
void SparseSum(Call& call) {
  const Operand self = call.TryIn("self"), a = call.In("mat1"), b = call.In("mat2");
  const Dims sizes = ProductSizes(call, a, b);
  self.Sizes(sizes);
  ReturnCoo(call, {sizes, a->dtype, 2, UnknownNnz(call, sizes), false});
}

void SparseTimesDense(Call& call) {
  const Dims sizes = ProductSizes(call, call.In("self"), call.In("mat2"));
  ReturnCoo(call, {sizes, call.In("self")->dtype, 2, UnknownNnz(call, sizes), false});
}

// Rows of the product as values.
void HybridProduct(Call& call) {
  const Operand a = call.In("mat1"), b = call.In("mat2");
  const Dims sizes = ProductSizes(call, a, b);
  ReturnCoo(call, {sizes, b->dtype, 1, UnknownNnz(call, DimSpan(sizes).first(1)), false});
}

// ---- sums

// As a sum of all elements is promoted.
void SumOfAll(Call& call) {
  const ScalarType own = call.In("self")->dtype;
  ReturnContiguous(call, Dims{}, TryDtype(call).value_or(IsIntegral(own) ? ScalarType::Long : own));
}

// A norm over all elements.
void Norm(Call& call) { ReturnContiguous(call, Dims{}, TryDtype(call).value_or(call.In("self")->dtype)); }

// The dimensions that stay, those of coordinates and all.
struct Kept {
  Dims sizes;
  int64_t sparse_dim = 0;
  bool all_coordinates = true;
};

Kept KeptBy(const Tensor& self, const std::vector<bool>& mask) {
  Kept kept;
  for (int64_t d = 0; d < self.meta.rank(); ++d) {
    const bool is_sparse = d < SparseDim(self);
    if (mask[static_cast<size_t>(d)]) kept.all_coordinates &= !is_sparse;
    else kept.sizes.push_back(self.meta.sizes[static_cast<size_t>(d)]), kept.sparse_dim += is_sparse;
  }
  return kept;
}

// Source: _sparse_sum(input, dims): without a sparse dimension that stays, the result is strided.
void SumOver(Call& call) {
  const Tensor& self = TensorIn(call, "self");
  const std::vector<int64_t> dims = call.Ints("dim");
  RequireValue(call, !dims.empty(), "takes at least one dimension");
  const Kept kept = KeptBy(self, DimMask(dims, self.meta.rank()));
  const ScalarType dtype = TryDtype(call).value_or(self.meta.dtype);
  if (kept.sparse_dim == 0) return void(ReturnContiguous(call, kept.sizes, dtype));
  const DimSpan addressed = DimSpan(kept.sizes).first(static_cast<size_t>(kept.sparse_dim));
  const Dim nnz = kept.all_coordinates ? CoalescedNnz(call, self) : UnknownNnz(call, addressed);
  ReturnCoo(call, {kept.sizes, dtype, kept.sparse_dim, nnz, true});
}

// sum(dim) of a sparse tensor: the dimensions that stay as 1 are added at the end, and the result counts as
// uncoalesced.
void SumOverKept(Call& call) {
  if (call.IsNone("dim") || call.Ints("dim").empty()) return StridedResult(call);
  if (!call.Bool("keepdim")) return SumOver(call);
  const Tensor& self = TensorIn(call, "self");
  const std::vector<bool> mask = DimMask(call.Ints("dim"), self.meta.rank());
  const Dims sizes = ReducedSizes(self.meta.size_span(), mask, true);
  const ScalarType dtype = TwinCall(call).Result().dtype;
  ReturnCoo(call, {sizes, dtype, SparseDim(self),
                      UnknownNnz(call, DimSpan(sizes).first(static_cast<size_t>(SparseDim(self)))), false});
}

// A gradient at the coordinates of `self`.
void SumBackward(Call& call) {
  const Tensor& self = TensorIn(call, "self");
  ReturnAt(call, self, self.meta.dtype, Nnz(self), true);
}

// ---- softmax

constexpr DtypeClass kFull{kFloat32Or64, "is not implemented for {tensor}"};

void Softmax(Call& call) {
  const Operand self = call.In("self");
  WrapDim(call.Int("dim"), self->rank());
  const ScalarType dtype = TryDtype(call).value_or(self->dtype);
  RequireDtype(call, dtype, kFull);
  ReturnAt(call, self.tensor(), dtype, CoalescedNnz(call, self.tensor()), true);
}

void SoftmaxBackward(Call& call) {
  const Tensor& grad = TensorIn(call, "grad_output");
  RequireSameDims(call, grad, TensorIn(call, "output"));
  ReturnAt(call, grad, grad.meta.dtype, Nnz(grad), true);
}

// ---- masks

void RequireMaskSizes(const Call& call) {
  const Operand self = call.In("self"), mask = call.In("mask");
  mask.Require(GuardSame(self->size_span(), mask->size_span()),
      {"operands have incompatible sizes; self has size {} but mask has size {}", self->sizes});
}

void Mask(Call& call) {
  RequireMaskSizes(call);
  const Tensor& mask = TensorIn(call, "mask");
  if (!mask.parts) FailAs(call, ErrorClass::kTypeError, {"takes a sparse mask, not {}", mask.meta});
  ReturnAt(call, mask, call.In("self")->dtype, Nnz(mask), PartsOf(mask).is_coalesced);
}

void MaskProjection(Call& call) {
  RequireMaskSizes(call);
  const Tensor& self = TensorIn(call, "self");
  ReturnAt(call, self, self.meta.dtype, Nnz(self), PartsOf(self).is_coalesced);
}

constexpr LayoutRow kRows[] = {
    {"aten::abs", OfCoalesced},
    {"aten::asin", OfCoalesced},
    {"aten::asinh", OfCoalesced},
    {"aten::atan", OfCoalesced},
    {"aten::atanh", OfCoalesced},
    {"aten::ceil", OfCoalesced},
    {"aten::deg2rad", OfCoalesced},
    {"aten::erf", OfCoalesced},
    {"aten::erfinv", OfCoalesced},
    {"aten::expm1", OfCoalesced},
    {"aten::floor", OfCoalesced},
    {"aten::frac", OfCoalesced},
    {"aten::isinf", OfCoalesced},
    {"aten::isnan", OfCoalesced},
    {"aten::isneginf", OfCoalesced},
    {"aten::isposinf", OfCoalesced},
    {"aten::log1p", OfCoalesced},
    {"aten::nan_to_num", OfCoalesced},
    {"aten::rad2deg", OfCoalesced},
    {"aten::relu", OfCoalesced},
    {"aten::round", OfCoalesced},
    {"aten::round.decimals", OfCoalesced},
    {"aten::sgn", OfCoalesced},
    {"aten::sign", OfCoalesced},
    {"aten::signbit", OfCoalesced},
    {"aten::sin", OfCoalesced},
    {"aten::sinh", OfCoalesced},
    {"aten::sqrt", OfCoalesced},
    {"aten::tan", OfCoalesced},
    {"aten::tanh", OfCoalesced},
    {"aten::trunc", OfCoalesced},
    {"aten::pow.Tensor_Scalar", Power},
    {"aten::neg", OfEach},
    {"aten::add.Tensor", Sum},
    {"aten::add.Scalar", SumWithNumber},
    {"aten::sub.Tensor", Sum},
    {"aten::sub.Scalar", SumWithNumber},
    {"aten::mul.Tensor", Product, LayoutOut::kReplaced},
    {"aten::mul.Scalar", OfEach},
    {"aten::div.Tensor", Quotient},
    {"aten::div.Scalar", OfEach},
    {"aten::div.Tensor_mode", Quotient},
    {"aten::div.Scalar_mode", Quotient},
    {"aten::floor_divide", FloorQuotient},
    {"aten::floor_divide.Scalar", FloorQuotient},
    {"aten::mm", MatrixProduct<"self", "mat2">, LayoutOut::kStrided},
    {"aten::matmul", MatrixProduct<"self", "other">, LayoutOut::kStrided},
    {"aten::_sparse_mm", MatrixProduct<"sparse", "dense">},
    {"aten::_sparse_sparse_matmul", MatrixProduct<"self", "other">},
    {"aten::mv", ProductOfFirst<"self", "vec">, LayoutOut::kNone},
    {"aten::bmm", ProductOfFirst<"self", "mat2">},
    {"aten::addmm", ProductOfFirst<"mat1", "mat2">},
    {"aten::_sparse_addmm", ProductOfFirst<"mat1", "mat2">},
    {"aten::linear", Linear},
    {"aten::sspaddmm", SparseSum, LayoutOut::kReplaced},
    {"aten::smm", SparseTimesDense},
    {"aten::hspmm", HybridProduct, LayoutOut::kReplaced},
    {"aten::sum", StridedResult},
    {"aten::sum.dim_IntList", SumOverKept, LayoutOut::kNone},
    {"aten::_sparse_sum", SumOfAll},
    {"aten::_sparse_sum.dtype", SumOfAll},
    {"aten::_sparse_sum.dim", SumOver},
    {"aten::_sparse_sum.dim_dtype", SumOver},
    {"aten::_sparse_sum_backward", SumBackward},
    {"aten::any", StridedResult, LayoutOut::kNone},
    {"aten::norm.Scalar", StridedResult},
    {"aten::norm.ScalarOpt_dim", StridedResult, LayoutOut::kNone},
    {"aten::norm.ScalarOpt_dim_dtype", StridedResult, LayoutOut::kNone},
    {"aten::native_norm", Norm},
    {"aten::native_norm.ScalarOpt_dim_dtype", Norm},
    {"aten::_sparse_softmax", Softmax},
    {"aten::_sparse_softmax.int", Softmax},
    {"aten::_sparse_log_softmax", Softmax},
    {"aten::_sparse_log_softmax.int", Softmax},
    {"aten::_sparse_softmax_backward_data", SoftmaxBackward},
    {"aten::_sparse_log_softmax_backward_data", SoftmaxBackward},
    {"aten::sparse_mask", Mask},
    {"aten::_sparse_mask_projection", MaskProjection},
};

}  // namespace

LayoutRows CooMathRows() { return kRows; }

}  // namespace fakeprop::rules
