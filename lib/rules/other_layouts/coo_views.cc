// Other shapes of tensors in coordinates: their indices are changed, and their values where a dimension is dense.
// Source: aten/src/ATen/native/TensorShape.cpp, native/sparse/SparseTensor.cpp (torch 2.15).
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/layout_rows.h"
#include "lib/rules/support/sparse_results.h"

namespace fakeprop::rules {
namespace {

Tensor& Self(const Call& call) { return call.In("self").tensor(); }

size_t At(int64_t d) { return static_cast<size_t>(d); }

// As `self`, but of these sizes and with this many coordinates.
Output& ReturnResized(Call& call, Dims sizes, int64_t sparse_dim, Dim nnz, bool is_coalesced = false) {
  return ReturnCoo(call, {std::move(sizes), Self(call).meta.dtype, sparse_dim, nnz, is_coalesced});
}

// ---- orders of dimensions

void Swap(Call& call, int64_t a, int64_t b) {
  const Tensor& self = Self(call);
  const int64_t sparse = SparseDim(self);
  RequireValue(call, a < sparse && b < sparse,
      {"transposes sparse dimensions alone: there are {}, and the dimensions are {} and {}", sparse, a, b});
  Dims sizes = self.meta.sizes;
  std::swap(sizes[At(a)], sizes[At(b)]);
  ReturnResized(call, std::move(sizes), sparse, Nnz(self));
}

void Transpose(Call& call) {
  const Tensor& self = Self(call);
  const int64_t a = call.WrappedDim("dim0", self.meta), b = call.WrappedDim("dim1", self.meta);
  Swap(call, a, b);
}

void T(Call& call) {
  const Tensor& self = Self(call);
  RequireShape(call, SparseDim(self) <= 2 && DenseDim(self) == 0,
      {"takes at most 2 sparse and no dense dimensions, but got {} and {}", SparseDim(self), DenseDim(self)});
  Swap(call, 0, self.meta.rank() < 2 ? 0 : 1);
}

void Permute(Call& call) {
  const Tensor& self = Self(call);
  const std::vector<int64_t> dims = WrapDims(call.Ints("dims"), self.meta.rank());
  RequireShape(call, std::ssize(dims) == self.meta.rank(),
      {"takes an order of {} dimensions, not of {}", self.meta.rank(), dims.size()});
  Dims sizes;
  for (size_t d = 0; d < dims.size(); ++d) {
    const bool stays = (dims[d] < SparseDim(self)) == (static_cast<int64_t>(d) < SparseDim(self));
    RequireValue(call, stays, "keeps sparse dimensions before dense ones");
    sizes.push_back(self.meta.sizes[At(dims[d])]);
  }
  ReturnResized(call, std::move(sizes), SparseDim(self), Nnz(self));
}

void Unsqueeze(Call& call) {
  const Tensor& self = Self(call);
  const int64_t dim = WrapDim(call.Int("dim"), self.meta.rank() + 1);
  Dims sizes = self.meta.sizes;
  sizes.insert(sizes.begin() + dim, Dim(1));
  ReturnResized(call, std::move(sizes), SparseDim(self) + (dim <= SparseDim(self) ? 1 : 0), Nnz(self));
}

// ---- parts of a dimension

Dims WithoutDim(const Tensor& t, int64_t dim) {
  Dims sizes = t.meta.sizes;
  sizes.erase(sizes.begin() + dim);
  return sizes;
}

// A view of the values. What the kernel returns counts as uncoalesced.
void SelectOfValues(Call& call, Dims sizes, int64_t dim) {
  Tensor& self = Self(call);
  const SparseParts& parts = PartsOf(self);
  TensorMeta values = parts.values->meta;
  values.storage_offset += call.DimArg("index") * values.strides[At(dim)];
  values.sizes.erase(values.sizes.begin() + dim);
  values.strides.erase(values.strides.begin() + dim);
  ReturnCoo(call, MetaOfLayout(std::move(sizes), self.meta.dtype, self.meta.device, Layout::Sparse),
      NewPart(parts.indices->meta.sizes, ScalarType::Long, self.meta.device),
      SharedPart(*parts.values, std::move(values)), parts.is_coalesced);
}

void Select(Call& call) {
  const Tensor& self = Self(call);
  const int64_t dim = call.WrappedDim("dim", self.meta), sparse = SparseDim(self);
  const Dim index = call.DimArg("index"), size = self.meta.sizes[At(dim)];
  RequireIndex(call, {Lt(index, size), Ge(index, -size)},
      {"index {} is out of range for tensor of size {} at dimension {}", index, self.meta.sizes, dim});
  Dims sizes = WithoutDim(self, dim);
  if (dim >= sparse) return SelectOfValues(call, std::move(sizes), dim - sparse + 1);
  if (sparse == 1) return void(ReturnContiguous(call, sizes, self.meta.dtype));
  const Dim nnz = UnknownNnz(call, Dims{Nnz(self)});
  ReturnResized(call, std::move(sizes), sparse - 1, nnz, false);
}

// A number of chosen positions of a dimension.
void Choose(Call& call, int64_t dim, Dim count) {
  const Tensor& self = Self(call);
  Dims sizes = self.meta.sizes;
  sizes[At(dim)] = count;
  const int64_t sparse = SparseDim(self);
  // An index may name a position more than once.
  const Dim nnz = dim < sparse ? UnknownNnz(call, Dims{Nnz(self), count}) : Nnz(self);
  ReturnResized(call, std::move(sizes), sparse, nnz);
}

void IndexSelect(Call& call) {
  const Operand index = call.In("index").RankAtMost(1);
  Choose(call, call.WrappedDim("dim", Self(call).meta), index.Numel());
}

void NarrowCopy(Call& call) {
  const Tensor& self = Self(call);
  const int64_t dim = call.WrappedDim("dim", self.meta);
  const Dim start = call.DimArg("start"), length = call.DimArg("length");
  RequireIndex(call, {Ge(start, 0), Le(start + length, self.meta.sizes[At(dim)])},
      {"takes positions within {}, not {} from {}", self.meta.sizes[At(dim)], length, start});
  Choose(call, dim, length);
}

// ---- several tensors

std::vector<const Tensor*> CooTensors(const Call& call) {
  std::vector<const Tensor*> tensors;
  for (const Tensor* t : call.Tensors("tensors")) {
    if (!t->parts) FailValue(call, {"joins sparse tensors, but there is a strided one at position {}", tensors.size()});
    tensors.push_back(t);
  }
  return tensors;
}

bool AgreeBut(const Tensor& a, const Tensor& b, int64_t dim) {
  if (a.meta.rank() != b.meta.rank() || SparseDim(a) != SparseDim(b)) return false;
  for (int64_t d = 0; d < a.meta.rank(); ++d)
    if (d != dim && !Expect(Eq(a.meta.sizes[At(d)], b.meta.sizes[At(d)]))) return false;
  return true;
}

// The coordinates of all of them.
Dim TotalNnz(const Call& call, const std::vector<const Tensor*>& tensors, int64_t but) {
  Dim nnz = 0;
  for (const Tensor* t : tensors) {
    RequireShape(call, AgreeBut(*tensors[0], *t, but),
        {"takes tensors of the same shape but in dimension {}, not {} and {}", but, tensors[0]->meta.sizes,
            t->meta.sizes});
    nnz += Nnz(*t);
  }
  return nnz;
}

void Cat(Call& call) {
  const auto tensors = CooTensors(call);
  const Tensor& first = *tensors[0];
  const int64_t dim = call.WrappedDim("dim", first.meta);
  const Dim nnz = TotalNnz(call, tensors, dim);
  Dims sizes = first.meta.sizes;
  sizes[At(dim)] = 0;
  for (const Tensor* t : tensors) sizes[At(dim)] += t->meta.sizes[At(dim)];
  ReturnCoo(call, {std::move(sizes), first.meta.dtype, SparseDim(first), nnz, false});
}

void Stack(Call& call) {
  const auto tensors = CooTensors(call);
  const Tensor& first = *tensors[0];
  const int64_t dim = WrapDim(call.Int("dim"), first.meta.rank() + 1);
  const Dim nnz = TotalNnz(call, tensors, -1);
  Dims sizes = first.meta.sizes;
  sizes.insert(sizes.begin() + dim, Dim(static_cast<int64_t>(tensors.size())));
  ReturnCoo(
      call, {std::move(sizes), first.meta.dtype, SparseDim(first) + (dim <= SparseDim(first) ? 1 : 0), nnz, false});
}

// Each coordinate once for each new place of it.
void BroadcastTo(Call& call) {
  const Tensor& self = Self(call);
  const Dims sizes = call.DimList("size");
  RequireShape(
      call, CanExpandTo(self.meta.size_span(), sizes), {"does not broadcast {} to {}", self.meta.sizes, sizes});
  const int64_t more = static_cast<int64_t>(sizes.size()) - self.meta.rank();
  const int64_t sparse = SparseDim(self) + more;
  Dim nnz = Nnz(self);
  for (int64_t d = 0; d < sparse; ++d)
    if (d < more || GuardOrFalse(Ne(sizes[At(d)], self.meta.sizes[At(d - more)]))) nnz *= sizes[At(d)];
  ReturnResized(call, sizes, sparse, nnz);
}

[[noreturn]] void NoView(Call& call) {
  FailAs(call, ErrorClass::kTypeError, {"is not implemented for sparse tensors: {}", *call.In("self")});
}

constexpr LayoutRow kRows[] = {
    {"aten::t", T},
    {"aten::transpose.int", Transpose},
    {"aten::permute", Permute},
    {"aten::unsqueeze", Unsqueeze},
    {"aten::select.int", Select},
    {"aten::index_select", IndexSelect, LayoutOut::kNone},
    {"aten::narrow_copy", NarrowCopy, LayoutOut::kNone},
    {"aten::cat", Cat, LayoutOut::kNone},
    {"aten::stack", Stack, LayoutOut::kNone},
    {"aten::_sparse_broadcast_to", BroadcastTo},
    {"aten::view", NoView},
    {"aten::reshape", NoView},
    {"aten::expand", NoView},
    {"aten::alias", NoView},
    {"aten::squeeze.dim", NoView},
};

}  // namespace

LayoutRows CooViewRows() { return kRows; }

}  // namespace fakeprop::rules
