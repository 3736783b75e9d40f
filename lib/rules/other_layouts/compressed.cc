// Tensors of compressed rows or columns. Source: aten/src/ATen/native/sparse/SparseCsrTensor.cpp,
// SparseCsrTensorMath.cpp, SparseBlas.cpp, native/TensorConversions.cpp (torch 2.15).
#include <utility>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/layout_rows.h"
#include "lib/rules/other_layouts/copies.h"
#include "lib/rules/other_layouts/sparse_writes.h"
#include "lib/rules/other_layouts/twin_call.h"
#include "lib/rules/support/sparse_results.h"

namespace fakeprop::rules {
namespace {

Tensor& Self(const Call& call) { return call.In("self").tensor(); }

[[noreturn]] void FailLayout(const Call& call, const char* wanted, const TensorMeta& got) {
  Fail(ErrorClass::kTypeError, Format("{} expects a {} tensor, but got {}", OpName(call), wanted, got));
}

// ---- parts

template <bool kRows>
void RequireOrder(const Call& call) {
  if (IsByRow(Self(call).meta.layout) != kRows)
    FailLayout(call, kRows ? "sparse row compressed" : "sparse column compressed", Self(call).meta);
}

template <bool kRows>
void Bounds(Call& call) {
  RequireOrder<kRows>(call);
  Tensor& part = *PartsOf(Self(call)).indices;
  call.ReturnAlias(part, part.meta);
}

template <bool kRows>
void Plain(Call& call) {
  RequireOrder<kRows>(call);
  Tensor& part = *PartsOf(Self(call)).plain;
  call.ReturnAlias(part, part.meta);
}

void Values(Call& call) {
  Tensor& self = Self(call);
  Output& out = call.ReturnAlias(self, PartsOf(self).values->meta);
  out.requires_grad = call.state().grad_enabled && self.RequiresGrad();
}

void CountNnz(Call& call) { call.ReturnNumber(Nnz(Self(call))); }
void CountSparseDims(Call& call) { call.ReturnNumber(SparseDim(Self(call))); }
void CountDenseDims(Call& call) { call.ReturnNumber(DenseDim(Self(call))); }
void NotCoo(Call& call) { FailLayout(call, "sparse coordinate", Self(call).meta); }

// ---- results like an operand

Output NewLike(const Tensor& part, ScalarType dtype) { return NewPart(part.meta.sizes, dtype, part.meta.device); }

TensorMeta WithDtypeOf(TensorMeta meta, ScalarType dtype) {
  meta.dtype = dtype;
  return meta;
}

// The same places, new values.
Output& ReturnAt(Call& call, const Tensor& like, ScalarType dtype) {
  const SparseParts& parts = PartsOf(like);
  return ReturnCompressed(call, WithDtypeOf(like.meta, dtype), NewLike(*parts.indices, parts.indices->meta.dtype),
      NewLike(*parts.plain, parts.plain->meta.dtype), NewLike(*parts.values, dtype));
}

Dims BlockOf(const Tensor& t) {
  if (!IsInBlocks(t.meta.layout)) return {};
  const DimSpan block = PartsOf(t).values->meta.size_span().subspan(static_cast<size_t>(BatchDim(t)) + 1, 2);
  return Dims(block.begin(), block.end());
}

// Other places, of this number.
Output& ReturnOther(Call& call, const Tensor& like, ScalarType dtype, Dim nnz) {
  return ReturnCompressed(call, {like.meta.sizes, dtype, like.meta.layout, nnz, DenseDim(like), BlockOf(like),
                                    PartsOf(like).indices->meta.dtype});
}

DimSpan MatrixOf(const Tensor& t) { return t.meta.size_span().subspan(static_cast<size_t>(BatchDim(t)), 2); }
Dim UnknownNnzOf(Call& call, const Tensor& t) { return UnknownNnz(call, MatrixOf(t)); }

void OfEach(Call& call) { ReturnAt(call, Self(call), TwinCall(call).Result().dtype); }

// ---- copies

void Copied(Call& call) {
  RequireOwnLayout(call);
  PutOnDevice(call, ReturnAt(call, Self(call), TryDtype(call).value_or(Self(call).meta.dtype)));
}

void Detach(Call& call) {
  Tensor& self = Self(call);
  const SparseParts& parts = PartsOf(self);
  Output& out = call.ReturnAlias(self, self.meta);
  out.items = {SharedPart(*parts.values), SharedPart(*parts.indices), SharedPart(*parts.plain)};
}

void ZerosLike(Call& call) {
  RequireOwnLayout(call);
  ReturnOther(call, Self(call), TryDtype(call).value_or(Self(call).meta.dtype), 0);
}

void Zero(Call& call) { ReturnOther(call, Self(call), Self(call).meta.dtype, 0); }
void ZeroInPlace(Call& call) { ReplaceParts(call, Self(call), Zero); }

void Copy(Call& call) {
  const Operand self = call.In("self"), src = call.In("src");
  if (self->layout != src->layout) FailLayout(call, "tensor of the layout of `self`, not another", src);
  src.SameSizesAs(self);
  RequireValue(call,
      GuardSame(PartsOf(self.tensor()).values->meta.size_span(), PartsOf(src.tensor()).values->meta.size_span()),
      {"copies as many elements as `self` has, {}, not {}", Nnz(self.tensor()), Nnz(src.tensor())});
  ReturnAt(call, self.tensor(), self->dtype);
}

// ---- conversions

Dim BlocksIn(DimSpan matrix, const Dims& block) {
  return block.empty() ? Numel(matrix) : FloorDiv(matrix[0], block[0]) * FloorDiv(matrix[1], block[1]);
}

Dims BlockArgument(const Call& call) {
  return call.schema().IndexOf("blocksize") >= 0 && call.Has("blocksize") ? call.DimList("blocksize") : Dims{};
}

void RequireBlock(const Call& call, const Tensor& t, const Dims& block) {
  RequireValue(call, block.size() == 2, {"takes a pair of block sizes, not {}", block});
  for (int d : {0, 1})
    RequireShape(call, Expect(Eq(Mod(MatrixOf(t)[d], block[d]), 0)),
        {"divides {} into blocks of {} without rest", t.meta.sizes, block});
}

bool HasBlock(const Tensor& t, const Dims& block) {
  const Dims own = BlockOf(t);
  return block.empty() || (own.size() == block.size() && GuardSame(own, block));
}

// Rows become columns with the same elements. Blocks are found anew.
void ToCompressed(Call& call, Layout layout) {
  Tensor& self = Self(call);
  const Dims block = IsInBlocks(layout) ? BlockArgument(call) : Dims{};
  if (layout == self.meta.layout && HasBlock(self, block)) return void(call.ReturnArgument(self));
  if (IsInBlocks(self.meta.layout)) FailLayout(call, "CSR or CSC", self.meta);
  if (IsInBlocks(layout)) RequireBlock(call, self, block);
  const Dim nnz = IsInBlocks(layout) ? UnknownNnz(call, Dims{BlocksIn(MatrixOf(self), block)}) : Nnz(self);
  ReturnCompressed(
      call, {self.meta.sizes, self.meta.dtype, layout, nnz, DenseDim(self), block, PartsOf(self).indices->meta.dtype});
}

template <Layout kLayout>
void ToLayout(Call& call) {
  ToCompressed(call, kLayout);
}

// Elements of blocks are specified one by one, zeros among them.
void ToCoo(Call& call) {
  const Tensor& self = Self(call);
  RequireValue(call, BatchDim(self) == 0, "takes no batches");
  Dim nnz = Nnz(self);
  for (Dim size : BlockOf(self)) nnz *= size;
  ReturnCoo(call, {self.meta.sizes, self.meta.dtype, 2, nnz, self.meta.layout == Layout::SparseCsr});
}

void ToCooOfMatrix(Call& call) {
  const int64_t sparse = call.Int("sparse_dim");
  RequireValue(call, sparse == 2, {"gives two sparse dimensions, not {}", sparse});
  ToCoo(call);
}

void ToSparse(Call& call) {
  const Layout layout = call.OptionalLayout("layout").value_or(Layout::Sparse);
  if (layout == Layout::Sparse) return ToCoo(call);
  ToCompressed(call, layout);
}

void ToDense(Call& call) {
  const auto dtype = TryDtype(call);
  ReturnContiguous(call, Self(call).meta.size_span(), dtype.value_or(Self(call).meta.dtype));
}

// ---- arithmetic

bool IsSparse(const Operand& t) { return IsCompressed(t); }

void RequireSameLayout(const Call& call, const Operand& a, const Operand& b) {
  if (a->layout != b->layout) FailLayout(call, "tensor of the layout of `self`, not another", b);
}

void Sum(Call& call) {
  const Operand self = call.In("self"), other = call.In("other");
  if (!IsSparse(self) || !IsSparse(other)) return StridedResult(call);
  if (!IsByRow(self->layout)) FailLayout(call, "sparse row compressed", self);
  RequireSameLayout(call, self, other);
  other.SameSizesAs(self).SameDtypeAs(self);
  ReturnOther(call, self.tensor(), self->dtype, UnknownNnzOf(call, self.tensor()));
}

void Product(Call& call) {
  if (!call.TryIn("other")) return OfEach(call);  // a number
  const Operand self = call.In("self"), other = call.In("other");
  const ScalarType dtype = TwinCall(call).Result().dtype;
  if (!IsSparse(self)) return void(ReturnAt(call, other.tensor(), dtype));
  if (!IsSparse(other)) return void(ReturnAt(call, self.tensor(), dtype));
  RequireSameLayout(call, self, other);
  if (!IsByRow(self->layout)) FailLayout(call, "sparse row compressed", self);
  other.SameSizesAs(self);
  ReturnOther(call, self.tensor(), dtype, UnknownNnzOf(call, self.tensor()));
}

// The inputs' rows form one matrix. With a bias and more than two dimensions the kernel computes (W x')' + b.
void Linear(Call& call) {
  StridedResult(call);
  TensorMeta& out = call.effects().outputs[0].meta;
  if (out.rank() < 3 || !call.Has("bias")) return;
  Dim step = 1;
  for (size_t d = out.sizes.size() - 1; d-- > 0;) out.strides[d] = std::exchange(step, step * out.sizes[d]);
  out.strides.back() = step;
}

constexpr std::string_view kProduct = "aten::matmul";

void StridedProduct(Call& call) {
  const TensorMeta result = TwinCall(call, kProduct).Result();
  ReturnContiguous(call, result.size_span(), result.dtype);
}

// Two sparse matrices give one of the first one's layout.
template <ArgumentName kLeft, ArgumentName kRight>
void MatrixProduct(Call& call) {
  const Operand left = call.In(kLeft), right = call.In(kRight);
  if (!IsSparse(left) || !IsSparse(right)) return StridedProduct(call);
  const TensorMeta result = TwinCall(call, kProduct).Result();
  if (IsInBlocks(left->layout) || IsInBlocks(right->layout)) FailLayout(call, "CSR or CSC", left);
  ReturnCompressed(call, {result.sizes, result.dtype, Layout::SparseCsr, UnknownNnz(call, result.size_span()), 0, {},
                             PartsOf(left.tensor()).indices->meta.dtype});
}

constexpr DtypeClass kSampled{kFloat32Or64 | kComplexDtypes, "is not implemented for {tensor}"};

void SampledProduct(Call& call) {
  const Operand self = call.In("self"), a = call.In("mat1"), b = call.In("mat2");
  if (self->layout != Layout::SparseCsr) FailLayout(call, "CSR", self);
  self.Takes(kSampled);
  const size_t last = a->sizes.size() - 1;
  a.RankAtLeast(2);
  b.Rank(a->rank());
  RequireEqual(call, a->sizes[last], b->sizes[last - 1],
      {"multiplies matrices of fitting shapes, not {} and {}", a->sizes, b->sizes});
  self.Rank(a->rank()).Size(a->rank() - 2, a->sizes[last - 1]).Size(a->rank() - 1, b->sizes[last]);
  ReturnAt(call, self.tensor(), self->dtype);
}

// The argument of the largest or smallest element is kept for the gradient alone.
void ReducedProduct(Call& call) {
  const Operand self = call.In(0), other = call.In(1).Rank(2);
  RequireEqual(call, self->sizes[1], other->sizes[0],
      {"multiplies matrices of fitting shapes, not {} and {}", self->sizes, other->sizes});
  const Dims sizes{self->sizes[0], other->sizes[1]};
  ReturnContiguous(call, sizes, self->dtype);
  if (call.schema().returns.size() < 2) return;
  const bool keeps = self.tensor().RequiresGrad() || other.tensor().RequiresGrad();
  const std::string_view reduce = call.String("reduce");
  const bool is_extreme = reduce == "amax" || reduce == "amin";
  ReturnContiguous(call, keeps && is_extreme ? sizes : Dims{0}, ScalarType::Long);
}

// Source: _sparse_mm_reduce_impl_backward_sparse_csr_cpu.
void ReducedProductBackward(Call& call) {
  const std::vector<bool> wanted = call.Bools("output_mask");
  RequireValue(call, wanted.size() == 2, "takes an output_mask of two bools");
  const Operand self = call.In("self"), weight = call.In("weight");
  wanted[0] ? void(ReturnAt(call, self.tensor(), self->dtype)) : call.ReturnNone();
  wanted[1] ? void(ReturnContiguous(call, weight->size_span(), weight->dtype)) : call.ReturnNone();
}

// ---- reductions

// The sum of an integer tensor is int64.
ScalarType ReducedDtype(const Call& call) {
  const ScalarType dtype = TryDtype(call).value_or(Self(call).meta.dtype);
  return IsIntegral(dtype) ? ScalarType::Long : dtype;
}

// One row, one column or one element. Source: reduce_sparse_csr_cpu_template.
void Reduced(Call& call) {
  const Tensor& self = Self(call);
  if (self.meta.layout != Layout::SparseCsr) FailLayout(call, "CSR", self.meta);
  RequireValue(call, call.Bool("keepdim"), "needs keepdim=True: a CSR tensor has two dimensions");
  const std::vector<bool> mask = DimMask(call.Ints("dim"), self.meta.rank());
  const Dims sizes = ReducedSizes(self.meta.size_span(), mask, true);
  const ScalarType dtype = ReducedDtype(call);
  const Dim nnz = mask[0] && mask[1] ? Min(Nnz(self), 1) : UnknownNnz(call, sizes);
  ReturnCompressed(call, {sizes, dtype, Layout::SparseCsr, nnz, 0, {}, PartsOf(self).indices->meta.dtype});
}

void ReducedDims(Call& call) {
  if (call.IsNone("dim") || call.Ints("dim").empty()) return StridedResult(call);
  Reduced(call);
}

// ---- masks, systems of equations

void Mask(Call& call) {
  const Operand self = call.In("self"), mask = call.In("mask");
  RequireShape(call, GuardSame(self->size_span(), mask->size_span()),
      {"operands have incompatible sizes; self has size {} but mask has size {}", self->sizes, mask->sizes});
  if (!mask.tensor().parts) FailLayout(call, "sparse mask, not a strided one; a", mask);
  ReturnAt(call, mask.tensor(), self->dtype);
}

void TriangularSolve(Call& call) {
  StridedResult(call);
  call.effects().outputs[1].meta = ContiguousMeta(Dims{0}, call.In("self")->dtype, call.device());
}

void ResizeAs(Call& call) {
  Tensor& self = Self(call);
  const Tensor& like = call.In("the_template").tensor();
  ReturnRemade(call, self, [&](Call& made) { ReturnAt(made, like, self.meta.dtype); });
}

// Of compressed matrices alone the result is one as well.
void SumOfProduct(Call& call) {
  const Operand self = call.In("self");
  if (!IsCompressed(*self)) return StridedResult(call);
  if (!IsCompressed(*call.In("mat1")) || !IsCompressed(*call.In("mat2")))
    FailLayout(call, "strided `self` beside a strided matrix; compressed", self);
  const TensorMeta sum = TwinCall(call).Result();
  ReturnCompressed(call, {sum.sizes, sum.dtype, self->layout, UnknownNnz(call, sum.size_span())});
}

// As addmm of the same arguments.
void SumWithProduct(Call& call) {
  const TensorMeta sum = TwinCall(call, "aten::addmm").Result();
  call.ReturnNew(ContiguousMeta(sum.size_span(), sum.dtype, sum.device));
}

constexpr LayoutRow kRows[] = {
    {"aten::crow_indices", Bounds<true>},
    {"aten::col_indices", Plain<true>},
    {"aten::ccol_indices", Bounds<false>},
    {"aten::row_indices", Plain<false>},
    {"aten::values", Values},
    {"aten::indices", NotCoo},
    {"aten::coalesce", NotCoo},
    {"aten::is_coalesced", NotCoo},
    {"aten::_nnz", CountNnz},
    {"aten::sparse_dim", CountSparseDims},
    {"aten::dense_dim", CountDenseDims},
    {"aten::abs", OfEach},
    {"aten::angle", OfEach},
    {"aten::asin", OfEach},
    {"aten::asinh", OfEach},
    {"aten::atan", OfEach},
    {"aten::atanh", OfEach},
    {"aten::ceil", OfEach},
    {"aten::conj_physical", OfEach},
    {"aten::deg2rad", OfEach},
    {"aten::erf", OfEach},
    {"aten::erfinv", OfEach},
    {"aten::expm1", OfEach},
    {"aten::floor", OfEach},
    {"aten::frac", OfEach},
    {"aten::isinf", OfEach},
    {"aten::isnan", OfEach},
    {"aten::isneginf", OfEach},
    {"aten::isposinf", OfEach},
    {"aten::log1p", OfEach},
    {"aten::neg", OfEach},
    {"aten::rad2deg", OfEach},
    {"aten::relu", OfEach},
    {"aten::round", OfEach},
    {"aten::sgn", OfEach},
    {"aten::sign", OfEach},
    {"aten::signbit", OfEach},
    {"aten::sin", OfEach},
    {"aten::sinh", OfEach},
    {"aten::sqrt", OfEach},
    {"aten::tan", OfEach},
    {"aten::tanh", OfEach},
    {"aten::threshold_backward", OfEach},
    {"aten::trunc", OfEach},
    {"aten::mul.Scalar", OfEach},
    {"aten::ones_like", OfEach},
    {"aten::empty_like", OfEach},
    {"aten::clone", Copied},
    {"aten::_to_copy", Copied},
    {"aten::to.dtype", CopiedIfChanged<Copied>},
    {"aten::to.dtype_layout", CopiedIfChanged<Copied>},
    {"aten::to.device", CopiedIfChanged<Copied>},
    {"aten::detach", Detach},
    {"aten::zeros_like", ZerosLike},
    {"aten::zero", Zero},
    {"aten::zero_", ZeroInPlace},
    {"aten::copy", Copy},
    {"aten::to_dense", ToDense},
    {"aten::_to_dense", ToDense},
    {"aten::to_sparse", ToSparse},
    {"aten::_to_sparse", ToSparse},
    {"aten::to_sparse.sparse_dim", ToCooOfMatrix},
    {"aten::_to_sparse.sparse_dim", ToCooOfMatrix},
    {"aten::_to_sparse.out", WriteConverted},
    {"aten::_to_sparse.sparse_dim_out", WriteConverted},
    {"aten::to_sparse_csr", ToLayout<Layout::SparseCsr>},
    {"aten::_to_sparse_csr", ToLayout<Layout::SparseCsr>},
    {"aten::_to_sparse_csr.out", WriteConverted},
    {"aten::to_sparse_csc", ToLayout<Layout::SparseCsc>},
    {"aten::_to_sparse_csc", ToLayout<Layout::SparseCsc>},
    {"aten::_to_sparse_csc.out", WriteConverted},
    {"aten::to_sparse_bsr", ToLayout<Layout::SparseBsr>},
    {"aten::_to_sparse_bsr", ToLayout<Layout::SparseBsr>},
    {"aten::_to_sparse_bsr.out", WriteConverted},
    {"aten::to_sparse_bsc", ToLayout<Layout::SparseBsc>},
    {"aten::_to_sparse_bsc", ToLayout<Layout::SparseBsc>},
    {"aten::_to_sparse_bsc.out", WriteConverted},
    {"aten::add.Tensor", Sum, LayoutOut::kReplacedAtDtype},
    {"aten::mul.Tensor", Product, LayoutOut::kReplaced},
    {"aten::mm", MatrixProduct<"self", "mat2">, LayoutOut::kReplacedAtSize},
    {"aten::matmul", MatrixProduct<"self", "other">},
    {"aten::_sparse_mm", MatrixProduct<"sparse", "dense">},
    {"aten::_sparse_mm.reduce", ReducedProduct},
    {"aten::_sparse_mm_reduce_impl", ReducedProduct},
    {"aten::_sparse_mm_reduce_impl_backward", ReducedProductBackward},
    {"aten::mv", StridedResult},
    {"aten::_sparse_addmm", SumWithProduct},
    {"aten::addmm", SumOfProduct, LayoutOut::kReplacedAtSize},
    {"aten::addmv", StridedResult},
    {"aten::linear", Linear},
    {"aten::sparse_sampled_addmm", SampledProduct, LayoutOut::kReplaced},
    {"aten::sum", StridedResult},
    {"aten::sum.dim_IntList", ReducedDims},
    {"aten::_sparse_csr_sum.dim_dtype", Reduced},
    {"aten::_sparse_csr_prod.dim_dtype", Reduced},
    {"aten::sparse_mask", Mask},
    {"aten::triangular_solve", TriangularSolve},
    {"aten::resize_as_sparse", ResizeAs},
    {"aten::resize_as_sparse_", ResizeAs},
};

}  // namespace

LayoutRows CompressedRows() { return kRows; }

}  // namespace fakeprop::rules
