// Tensors of compressed rows or columns. Source: aten/src/ATen/native/sparse/SparseCsrTensor.cpp,
// SparseCsrTensorMath.cpp, SparseBlas.cpp, native/TensorConversions.cpp (torch 2.15).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/layout_rows.h"
#include "lib/rules/other_layouts/compressed_results.h"
#include "lib/rules/other_layouts/copies.h"
#include "lib/rules/other_layouts/sparse_writes.h"
#include "lib/rules/support/sparse_results.h"

namespace fakeprop::rules {
namespace {

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

Dims BlockArgument(const Call& call) { return call.Has("blocksize") ? call.DimList("blocksize") : Dims{}; }

void RequireBlock(const Call& call, const Tensor& t, const Dims& block) {
  RequireValue(call, block.size() == 2, {"takes a pair of block sizes, not {}", block});
  for (int d : {0, 1})
    RequireShape(
        call, Eq(Mod(MatrixOf(t)[d], block[d]), 0), {"divides {} into blocks of {} without rest", t.meta.sizes, block});
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

void ResizeAs(Call& call) {
  Tensor& self = Self(call);
  const Tensor& like = call.In("the_template").tensor();
  ReturnRemade(call, self, [&](Call& made) { ReturnAt(made, like, self.meta.dtype); });
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
    {"aten::resize_as_sparse", ResizeAs},
    {"aten::resize_as_sparse_", ResizeAs},
};

}  // namespace

LayoutRows CompressedRows() { return kRows; }

}  // namespace fakeprop::rules
