// Tensors in coordinates: their parts, copies, conversions. Source: aten/src/ATen/native/sparse/SparseTensor.cpp,
// native/TensorConversions.cpp (torch 2.15).
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

// ---- parts

Output& ReturnPart(Call& call, Tensor& part, Tensor& owner) {
  Output& out = call.ReturnAlias(&part == PartsOf(owner).values ? owner : part, part.meta);
  return out;
}

void RequireCoalesced(const Call& call, const char* what) {
  if (PartsOf(Self(call)).is_coalesced) return;
  Fail(ErrorClass::kValueError,
      Format("{}: cannot get {} on an uncoalesced tensor, please call .coalesce() first", OpName(call), what),
      {&Self(call)});
}

void RawIndices(Call& call) { ReturnPart(call, *PartsOf(Self(call)).indices, Self(call)); }
void RawValues(Call& call) { ReturnPart(call, *PartsOf(Self(call)).values, Self(call)); }

void Indices(Call& call) {
  RequireCoalesced(call, "indices");
  RawIndices(call);
}

// Autograd follows values(), unlike _values().
void Values(Call& call) {
  RequireCoalesced(call, "values");
  RawValues(call);
  call.effects().outputs.back().requires_grad = call.state().grad_enabled && Self(call).RequiresGrad();
}

void CountNnz(Call& call) { call.ReturnNumber(Nnz(Self(call))); }
void CountSparseDims(Call& call) { call.ReturnNumber(SparseDim(Self(call))); }
void CountDenseDims(Call& call) { call.ReturnNumber(DenseDim(Self(call))); }
void IsCoalesced(Call& call) { call.ReturnNumber(PartsOf(Self(call)).is_coalesced); }
void SameSize(Call& call) { call.ReturnNumber(GuardSame(call.In("self")->size_span(), call.In("other")->size_span())); }

// ---- copies

Output& ReturnCopy(Call& call, const Tensor& t, ScalarType dtype, Dim nnz, bool is_coalesced) {
  return ReturnCoo(call, {t.meta.sizes, dtype, SparseDim(t), nnz, is_coalesced});
}

void Coalesced(Call& call) {
  ReturnCopy(call, Self(call), Self(call).meta.dtype, CoalescedNnz(call, Self(call)), true);
}

void Coalesce(Call& call) {
  if (PartsOf(Self(call)).is_coalesced) return void(call.ReturnArgument(Self(call)));
  Coalesced(call);
}

void MarkedCoalesced(Call& call) {
  const Tensor& self = Self(call);
  ReturnCopy(call, self, self.meta.dtype, Nnz(self), call.Bool("coalesced"));
}

void SetCoalesced(Call& call) {
  Tensor& self = Self(call);
  Mutation& mutation = call.effects().mutations.emplace_back();
  mutation.target = &self;
  mutation.parts = {SharedPart(*PartsOf(self).values), SharedPart(*PartsOf(self).indices)};
  mutation.is_coalesced = call.Bool("coalesced");
  call.ReturnArgument(self);
}

void RequireNoFormat(const Call& call) {
  if (!call.Has("memory_format")) return;
  const MemoryFormat format = *call.OptionalMemoryFormat("memory_format");
  RequireValue(
      call, format == MemoryFormat::Preserve, "has an unsupported memory format option: a sparse tensor has none");
}

void Copied(Call& call) {
  RequireNoFormat(call);
  RequireOwnLayout(call);
  const Tensor& self = Self(call);
  const ScalarType dtype = TryDtype(call).value_or(self.meta.dtype);
  PutOnDevice(call, ReturnCopy(call, self, dtype, Nnz(self), PartsOf(self).is_coalesced));
}

void Detach(Call& call) {
  Tensor& self = Self(call);
  Output& out = call.ReturnAlias(self, self.meta);
  out.items = {SharedPart(*PartsOf(self).values), SharedPart(*PartsOf(self).indices)};
  out.is_coalesced = PartsOf(self).is_coalesced;
}

// empty_like and zeros_like: nothing is specified.
void Emptied(Call& call) {
  RequireOwnLayout(call);
  ReturnCopy(call, Self(call), TryDtype(call).value_or(Self(call).meta.dtype), 0, true);
}

void Zero(Call& call) { ReturnCopy(call, Self(call), Self(call).meta.dtype, 0, true); }
void ZeroInPlace(Call& call) { ReplaceParts(call, Self(call), Zero); }

void Copy(Call& call) {
  const Operand self = call.In("self"), src = call.In("src");
  if (!IsCoo(self) || !IsCoo(src))
    Fail(ErrorClass::kTypeError,
        Format("{}: copy_() between dense and sparse tensors is not implemented: found {} and {}", OpName(call), *self,
            *src));
  src.SameSizesAs(self);
  RequireNotShrunk(call, self.tensor(), src->size_span(), SparseDim(src.tensor()));
  ReturnCopy(call, src.tensor(), self->dtype, Nnz(src.tensor()), PartsOf(src.tensor()).is_coalesced);
}

// The sizes are those of `src`. Source: copy_sparse_ (aten/src/ATen/native/sparse/SparseTensor.cpp, torch 2.15).
void CopySparse(Call& call) {
  Tensor& self = Self(call);
  const Operand src = call.In("src");
  RequireValue(call, IsCoo(src), {"copies a sparse_coo tensor, not {}", *src});
  const Tensor& from = src.tensor();
  RequireNotShrunk(call, self, src->size_span(), SparseDim(from));
  ReturnRemade(
      call, self, [&](Call& made) { ReturnCopy(made, from, self.meta.dtype, Nnz(from), PartsOf(from).is_coalesced); });
}

// ---- conversions

void ToDense(Call& call) {
  const Operand self = call.In("self");
  if (const auto dtype = TryDtype(call); dtype && *dtype != self->dtype)
    FailValue(call, {"takes no dtype for a sparse tensor, but got {}", *dtype});
  ReturnContiguous(call, self);
}

// The elements that the coordinates name, by row or by column.
void ToCompressed(Call& call, Layout layout) {
  const Operand self = call.In("self").Rank(2);
  RequireValue(call, SparseDim(self.tensor()) == 2, "takes two sparse dimensions");
  ReturnCompressed(call, {self->sizes, self->dtype, layout, CoalescedNnz(call, self.tensor())});
}

void ToCsr(Call& call) { ToCompressed(call, Layout::SparseCsr); }
void ToCsc(Call& call) { ToCompressed(call, Layout::SparseCsc); }

template <Layout kLayout>
void ToBlocks(Call& call) {
  const Operand self = call.In("self").Rank(2);
  const Dims block = call.DimList("blocksize", 2, "takes a pair of block sizes, not {}");
  for (int d : {0, 1})
    self.Require(
        Eq(Mod(self->sizes[d], block[d]), 0), {"divides {} into blocks of {} without rest", self->sizes, block});
  const Dims grid{FloorDiv(self->sizes[0], block[0]), FloorDiv(self->sizes[1], block[1])};
  ReturnCompressed(call,
      {.sizes = self->sizes, .dtype = self->dtype, .layout = kLayout, .nnz = UnknownNnz(call, grid), .block = block});
}

void ToSparse(Call& call) {
  const Layout layout = call.OptionalLayout("layout").value_or(Layout::Sparse);
  switch (layout) {
    case Layout::Sparse: return void(call.ReturnArgument(Self(call)));
    case Layout::SparseCsr:
    case Layout::SparseCsc: return ToCompressed(call, layout);
    case Layout::SparseBsr: return ToBlocks<Layout::SparseBsr>(call);
    case Layout::SparseBsc: return ToBlocks<Layout::SparseBsc>(call);
    default: FailValue(call, {"converts to no layout {}", Value(layout)});
  }
}

void ToSparseDim(Call& call) {
  const int64_t sparse = call.Int("sparse_dim"), own = SparseDim(Self(call));
  RequireValue(call, sparse == own, {"takes the {} sparse dimensions that the tensor has, not {}", own, sparse});
  call.ReturnArgument(Self(call));
}

// ---- sizes

// Elements stay; what is new is empty.
void Resize(Call& call, Dim nnz, bool is_coalesced) {
  Tensor& self = Self(call);
  const Dims sizes = call.DimList("size");
  const int64_t sparse = call.Int("sparse_dim"), dense = call.Int("dense_dim");
  RequireValue(call, sparse + dense == std::ssize(sizes),
      {"takes as many sizes as there are dimensions, {} + {}, not {}", sparse, dense, sizes});
  ReturnRemade(call, self, [&](Call& made) { ReturnCoo(made, {sizes, self.meta.dtype, sparse, nnz, is_coalesced}); });
}

void ResizeKept(Call& call) {
  RequireNotShrunk(call, Self(call), call.DimList("size"), call.Int("sparse_dim"));
  Resize(call, Nnz(Self(call)), PartsOf(Self(call)).is_coalesced);
}

void ResizeCleared(Call& call) { Resize(call, 0, true); }

// Takes the sizes of another tensor, but none of its elements.
void ResizeAs(Call& call) {
  Tensor& self = Self(call);
  const Operand like = call.In("the_template");
  RequireValue(call, IsCoo(like), {"takes the sizes of a tensor of the same layout, not of {}", *like});
  const int64_t sparse = SparseDim(like.tensor());
  RequireNotShrunk(call, self, like->size_span(), sparse);
  ReturnRemade(call, self, [&](Call& made) {
    ReturnCoo(made, {like->sizes, self.meta.dtype, sparse, Nnz(self), PartsOf(self).is_coalesced});
  });
}

[[noreturn]] void NotCompressed(Call& call) {
  FailAs(call, ErrorClass::kTypeError, {"takes a sparse compressed tensor, but got sparse_coo: {}", *call.In("self")});
}

[[noreturn]] void NoKernel(Call& call) {
  FailAs(call, ErrorClass::kTypeError, {"has no kernel for sparse_coo tensors: {}", *call.In("self")});
}

constexpr LayoutRow kRows[] = {
    {"aten::_indices_copy", NoKernel},
    {"aten::_values_copy", NoKernel},
    {"aten::indices_copy", NoKernel},
    {"aten::values_copy", NoKernel},
    {"aten::_indices", RawIndices},
    {"aten::_values", RawValues},
    {"aten::indices", Indices},
    {"aten::values", Values},
    {"aten::crow_indices", NotCompressed},
    {"aten::col_indices", NotCompressed},
    {"aten::ccol_indices", NotCompressed},
    {"aten::row_indices", NotCompressed},
    {"aten::_nnz", CountNnz},
    {"aten::sparse_dim", CountSparseDims},
    {"aten::dense_dim", CountDenseDims},
    {"aten::_dimI", CountSparseDims},
    {"aten::_dimV", CountDenseDims},
    {"aten::is_coalesced", IsCoalesced},
    {"aten::is_same_size", SameSize},
    {"aten::coalesce", Coalesce},
    {"aten::_coalesce", Coalesced},
    {"aten::_coalesced", MarkedCoalesced},
    {"aten::_coalesced_", SetCoalesced},
    {"aten::clone", Copied},
    {"aten::_to_copy", Copied},
    {"aten::to.dtype", CopiedIfChanged<Copied>},
    {"aten::to.dtype_layout", CopiedIfChanged<Copied>},
    {"aten::to.device", CopiedIfChanged<Copied>},
    {"aten::detach", Detach},
    {"aten::empty_like", Emptied},
    {"aten::zeros_like", Emptied},
    {"aten::zero", Zero},
    {"aten::zero_", ZeroInPlace},
    {"aten::copy", Copy},
    {"aten::copy_sparse_to_sparse", CopySparse},
    {"aten::copy_sparse_to_sparse_", CopySparse},
    {"aten::to_dense", ToDense},
    {"aten::_to_dense", ToDense},
    {"aten::to_sparse", ToSparse},
    {"aten::_to_sparse", ToSparse},
    {"aten::to_sparse.sparse_dim", ToSparseDim},
    {"aten::_to_sparse.sparse_dim", ToSparseDim},
    {"aten::_to_sparse.out", WriteConverted},
    {"aten::_to_sparse.sparse_dim_out", WriteConverted},
    {"aten::to_sparse_csr", ToCsr},
    {"aten::_to_sparse_csr", ToCsr},
    {"aten::_to_sparse_csr.out", WriteConverted},
    {"aten::to_sparse_csc", ToCsc},
    {"aten::_to_sparse_csc", ToCsc},
    {"aten::_to_sparse_csc.out", WriteConverted},
    {"aten::to_sparse_bsr", ToBlocks<Layout::SparseBsr>},
    {"aten::_to_sparse_bsr", ToBlocks<Layout::SparseBsr>},
    {"aten::_to_sparse_bsr.out", WriteConverted},
    {"aten::to_sparse_bsc", ToBlocks<Layout::SparseBsc>},
    {"aten::_to_sparse_bsc", ToBlocks<Layout::SparseBsc>},
    {"aten::_to_sparse_bsc.out", WriteConverted},
    {"aten::resize_as_sparse", ResizeAs},
    {"aten::resize_as_sparse_", ResizeAs},
    {"aten::sparse_resize", ResizeKept},
    {"aten::sparse_resize_", ResizeKept},
    {"aten::sparse_resize_and_clear", ResizeCleared},
    {"aten::sparse_resize_and_clear_", ResizeCleared},
};

}  // namespace

LayoutRows CooRows() { return kRows; }

}  // namespace fakeprop::rules
