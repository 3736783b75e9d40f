#include "lib/rules/support/sparse_results.h"

#include <algorithm>

#include "lib/base/check.h"
#include "lib/rules/core/results.h"
#include "lib/rules/support/data_dependent_results.h"
#include "lib/rules/support/most_elements.h"

namespace fakeprop::rules {
namespace {

Dims Joined(DimSpan a, DimSpan b) {
  Dims out(a.begin(), a.end());
  for (Dim d : b) out.push_back(d);
  return out;
}

Dim UnknownUpTo(Call& call, std::optional<int64_t> most) {
  return most && AssumeMostElements::IsOn() ? Dim(*most) : UnbackedSize(call, most);
}

std::optional<int64_t> LesserOf(std::optional<int64_t> a, std::optional<int64_t> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

}  // namespace

const SparseParts& PartsOf(const Tensor& t) {
  FAKEPROP_CHECK(t.parts);
  return *t.parts;
}

bool IsCoo(const TensorMeta& t) { return t.layout == Layout::Sparse; }

bool IsCompressed(const TensorMeta& t) {
  return t.layout == Layout::SparseCsr || t.layout == Layout::SparseCsc || IsInBlocks(t.layout);
}

bool IsByRow(Layout layout) { return layout == Layout::SparseCsr || layout == Layout::SparseBsr; }
bool IsInBlocks(Layout layout) { return layout == Layout::SparseBsr || layout == Layout::SparseBsc; }

int64_t SparseDim(const Tensor& t) { return IsCoo(t.meta) ? t.meta.rank() - DenseDim(t) : 2; }

int64_t BatchDim(const Tensor& t) { return IsCoo(t.meta) ? 0 : PartsOf(t).indices->meta.rank() - 1; }

int64_t DenseDim(const Tensor& t) {
  return PartsOf(t).values->meta.rank() - BatchDim(t) - 1 - (IsInBlocks(t.meta.layout) ? 2 : 0);
}

Dim Nnz(const Tensor& t) { return PartsOf(t).values->meta.sizes[BatchDim(t)]; }

bool ConvertsSelf(const Call& call) {
  const TensorMeta& self = *call.In("self");
  if (TryDtype(call).value_or(self.dtype) != self.dtype || call.Flag("copy")) return true;
  return call.Has("device") && *call.OptionalDevice("device") != self.device;
}

Output NewPart(Dims sizes, ScalarType dtype, Device device) {
  Output part{.kind = Output::Kind::kNew};
  part.meta = ContiguousMeta(sizes, dtype, device);
  return part;
}

Output SharedPart(Tensor& source, TensorMeta meta) {
  Output part{.kind = Output::Kind::kAlias};
  part.meta = std::move(meta);
  part.source = &source;
  return part;
}

Output SharedPart(Tensor& source) { return SharedPart(source, source.meta); }

TensorMeta MetaOfLayout(Dims sizes, ScalarType dtype, Device device, Layout layout) {
  TensorMeta meta;
  meta.sizes = std::move(sizes);
  meta.dtype = dtype;
  meta.device = device;
  meta.layout = layout;
  return meta;
}

void GiveParts(Call& call, Tensor& target, Output result) {
  Mutation& mutation = call.effects().mutations.emplace_back();
  mutation.target = &target;
  mutation.writes = true;
  mutation.meta = std::move(result.meta);
  mutation.parts = std::move(result.items);
  mutation.is_coalesced = result.is_coalesced;
}

void ReplaceParts(Call& call, Tensor& target, const std::function<void(Call&)>& make) {
  Effects effects;
  Call maker(call.schema(), call.arguments(), call.state(), call.device(), effects);
  make(maker);
  GiveParts(call, target, std::move(effects.outputs.at(0)));
  call.ReturnArgument(target);
}

void ReturnRemade(Call& call, Tensor& self, const std::function<void(Call&)>& make) {
  if (call.schema().IsInplace()) return ReplaceParts(call, self, make);
  make(call);
}

Output& ReturnCoo(Call& call, TensorMeta meta, Output indices, Output values, bool is_coalesced) {
  meta.layout = Layout::Sparse;
  meta.strides.clear();
  meta.storage_offset = 0;
  Output& out = call.ReturnNew(std::move(meta));
  out.items.push_back(std::move(values));
  out.items.push_back(std::move(indices));
  out.is_coalesced = is_coalesced;
  return out;
}

std::vector<Output> NewParts(const CooResult& result, Device device) {
  const DimSpan dense = DimSpan(result.sizes).subspan(static_cast<size_t>(result.sparse_dim));
  return {NewPart(Joined(Dims{result.nnz}, dense), result.dtype, device),
      NewPart({result.sparse_dim, result.nnz}, ScalarType::Long, device)};
}

Output& ReturnCoo(Call& call, const CooResult& result) {
  Output& out = call.ReturnNew(MetaOfLayout(result.sizes, result.dtype, call.device(), Layout::Sparse));
  out.items = NewParts(result, call.device());
  out.is_coalesced = result.is_coalesced;
  return out;
}

Dim UnknownNnz(Call& call, DimSpan sparse_sizes) { return UnknownUpTo(call, MostElements(Numel(sparse_sizes))); }

Dim CoalescedNnz(Call& call, const Tensor& t) {
  if (PartsOf(t).is_coalesced) return Nnz(t);
  const DimSpan sparse_sizes = t.meta.size_span().first(static_cast<size_t>(SparseDim(t)));
  return UnknownUpTo(call, LesserOf(MostElements(Nnz(t)), MostElements(Numel(sparse_sizes))));
}

Dim BoundsSize(DimSpan sizes, Layout layout, int64_t batch_dim, DimSpan block) {
  const int d = IsByRow(layout) ? 0 : 1;
  const Dim size = sizes[static_cast<size_t>(batch_dim + d)];
  return (block.empty() ? size : FloorDiv(size, block[static_cast<size_t>(d)])) + 1;
}

Output& ReturnCompressed(Call& call, TensorMeta meta, Output indices, Output plain, Output values) {
  Output& out = call.ReturnNew(std::move(meta));
  for (Output* part : {&values, &indices, &plain}) out.items.push_back(std::move(*part));
  return out;
}

std::vector<Output> NewParts(const CompressedResult& result, Device device) {
  const DimSpan sizes(result.sizes);
  const auto batch = static_cast<int64_t>(sizes.size()) - 2 - result.dense_dim;
  const DimSpan batch_sizes = sizes.first(static_cast<size_t>(batch));
  const Dims bounds = Appended(batch_sizes, BoundsSize(sizes, result.layout, batch, result.block));
  const Dims plain = Appended(batch_sizes, result.nnz);
  const Dims values = Joined(Joined(plain, result.block), sizes.last(static_cast<size_t>(result.dense_dim)));
  return {NewPart(values, result.dtype, device), NewPart(bounds, result.index_dtype, device),
      NewPart(plain, result.index_dtype, device)};
}

Output& ReturnCompressed(Call& call, const CompressedResult& result) {
  Output& out = call.ReturnNew(MetaOfLayout(result.sizes, result.dtype, call.device(), result.layout));
  out.items = NewParts(result, call.device());
  return out;
}

}  // namespace fakeprop::rules
