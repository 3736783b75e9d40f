// Other shapes of tensors of compressed rows or columns: views of their parts. Source:
// aten/src/ATen/native/TensorShape.cpp, native/sparse/SparseCsrTensor.cpp (torch 2.15).
#include <algorithm>

#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/layout_rows.h"
#include "lib/rules/support/sparse_results.h"

namespace fakeprop::rules {
namespace {

Tensor& Self(const Call& call) { return call.In("self").tensor(); }

Layout Flipped(Layout layout) {
  switch (layout) {
    case Layout::SparseCsr: return Layout::SparseCsc;
    case Layout::SparseCsc: return Layout::SparseCsr;
    case Layout::SparseBsr: return Layout::SparseBsc;
    default: return Layout::SparseBsr;
  }
}

TensorMeta Swapped(TensorMeta meta, int64_t a, int64_t b) {
  std::swap(meta.sizes[static_cast<size_t>(a)], meta.sizes[static_cast<size_t>(b)]);
  if (!meta.strides.empty()) std::swap(meta.strides[static_cast<size_t>(a)], meta.strides[static_cast<size_t>(b)]);
  return meta;
}

// Rows become columns of the same data; blocks are transposed.
void SwapMatrix(Call& call, Tensor& self, int64_t first) {
  const SparseParts& parts = PartsOf(self);
  TensorMeta meta = Swapped(self.meta, first, first + 1);
  meta.layout = Flipped(meta.layout);
  TensorMeta values = parts.values->meta;
  if (IsInBlocks(meta.layout)) values = Swapped(std::move(values), BatchDim(self) + 1, BatchDim(self) + 2);
  Output& out = call.ReturnView(self, std::move(meta));
  out.items = {SharedPart(*parts.values, std::move(values)), SharedPart(*parts.indices), SharedPart(*parts.plain)};
}

void Swap(Call& call, int64_t a, int64_t b) {
  Tensor& self = Self(call);
  const int64_t first = BatchDim(self);
  if (a == b) return void(call.ReturnArgument(self));
  RequireValue(call, std::min(a, b) == first && std::max(a, b) == first + 1,
      {"transposes the two sparse dimensions alone, not {} and {}", a, b});
  SwapMatrix(call, self, first);
}

void Transpose(Call& call) {
  const Tensor& self = Self(call);
  Swap(call, call.WrappedDim("dim0", self.meta), call.WrappedDim("dim1", self.meta));
}

void T(Call& call) {
  call.In("self").Rank(2);
  Swap(call, 0, 1);
}

// A row or a column of one matrix, in coordinates.
void SelectRow(Call& call, const Tensor& self, int64_t dim) {
  RequireValue(call, BatchDim(self) == 0 && dim < 2 && !IsInBlocks(self.meta.layout),
      "selects a matrix of a batch, or a row or column of a matrix without blocks");
  Dims sizes = self.meta.sizes;
  sizes.erase(sizes.begin() + dim);
  const Dim nnz = UnknownNnz(call, DimSpan(sizes).first(1));
  ReturnCoo(call, {std::move(sizes), self.meta.dtype, 1, nnz, true});
}

// An element of a batch, else a row or a column.
void Select(Call& call) {
  Tensor& self = Self(call);
  const int64_t dim = call.WrappedDim("dim", self.meta);
  const Dim size = self.meta.sizes[static_cast<size_t>(dim)], index = call.DimArg("index");
  RequireIndex(call, {Lt(index, size), Ge(index, -size)}, {"index {} is out of range for {}", index, self.meta.sizes});
  if (dim >= BatchDim(self)) return SelectRow(call, self, dim);
  const auto without = [&](TensorMeta meta) {
    meta.sizes.erase(meta.sizes.begin() + dim);
    if (!meta.strides.empty()) {
      meta.storage_offset += index * meta.strides[static_cast<size_t>(dim)];
      meta.strides.erase(meta.strides.begin() + dim);
    }
    return meta;
  };
  const SparseParts& parts = PartsOf(self);
  Output& out = call.ReturnView(self, without(self.meta));
  for (Tensor* part : {parts.values, parts.indices, parts.plain})
    out.items.push_back(SharedPart(*part, without(part->meta)));
}

[[noreturn]] void NoView(Call& call) {
  Fail(ErrorClass::kTypeError,
      Format("{}: sparse compressed tensors do not have strides: {}", OpName(call), call.TensorArg(0).meta));
}

void Cat(Call& call) {
  FailAs(call, ErrorClass::kTypeError, "joins no sparse compressed tensors: they do not have strides");
}

constexpr LayoutRow kRows[] = {
    {"aten::t", T},
    {"aten::transpose.int", Transpose},
    {"aten::select.int", Select},
    {"aten::unsqueeze", NoView},
    {"aten::permute", NoView},
    {"aten::view", NoView},
    {"aten::cat", Cat},
    {"aten::reshape", NoView},
};

}  // namespace

LayoutRows CompressedViewRows() { return kRows; }

}  // namespace fakeprop::rules
