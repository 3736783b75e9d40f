#include "lib/rules/core/results.h"

#include <algorithm>

#include "lib/meta/dtype.h"

namespace fakeprop {

TensorMeta NewMeta(const Call& call, DimSpan sizes, ScalarType dtype) {
  return ContiguousMeta(sizes, dtype, call.device());
}

Output& ReturnContiguous(Call& call, DimSpan sizes, ScalarType dtype) {
  return call.ReturnNew(NewMeta(call, sizes, dtype));
}

Output& ReturnContiguous(Call& call, std::initializer_list<Dim> sizes, ScalarType dtype) {
  return ReturnContiguous(call, DimSpan(sizes.begin(), sizes.size()), dtype);
}

Output& ReturnContiguous(Call& call, const TensorMeta& t, ScalarType dtype) {
  return ReturnContiguous(call, t.size_span(), dtype);
}

Output& ReturnContiguous(Call& call, const TensorMeta& t) { return ReturnContiguous(call, t, t.dtype); }

TensorMeta LikeMeta(const Call& call, const TensorMeta& t, ScalarType dtype) {
  TensorMeta out;
  out.sizes = t.sizes;
  out.strides = PreservedStrides(t);
  out.dtype = dtype;
  out.device = call.device();
  return out;
}

Output& ReturnLike(Call& call, const TensorMeta& t, ScalarType dtype) {
  return call.ReturnNew(LikeMeta(call, t, dtype));
}

Output& ReturnLike(Call& call, const TensorMeta& t) { return ReturnLike(call, t, t.dtype); }

void ReturnContiguousSelf(Call& call) { ReturnContiguous(call, call.In("self")); }
void ReturnLikeSelf(Call& call) { ReturnLike(call, call.In("self")); }

Output& ReturnFollowedAlias(Call& call, Tensor& of, TensorMeta meta) {
  const bool follows = call.state().grad_enabled && of.RequiresGrad() && IsFloatOrComplex(meta.dtype);
  Output& out = call.ReturnAlias(of, std::move(meta));
  out.requires_grad = follows;
  return out;
}

TensorMeta TakeResult(Call& call) {
  TensorMeta result = std::move(call.effects().outputs[0].meta);
  call.effects().Clear();
  return result;
}

void WriteOfSizes(Call& call, Tensor& out, const Dims& sizes) {
  if (!GuardSameOrFalse(out.meta.size_span(), sizes)) {
    TensorMeta resized = out.meta;
    resized.sizes = sizes;
    resized.strides = ContiguousStrides(sizes);
    const Dim nbytes = StorageNbytes(resized);
    call.SetMeta(out, std::move(resized));
    call.effects().mutations.back().nbytes = nbytes;
  }
  call.Write(out);
  call.ReturnArgument(out);
}

Dims ReducedSizes(DimSpan sizes, const std::vector<bool>& mask, bool keepdim) {
  Dims out;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (!mask[d]) {
      out.push_back(sizes[d]);
    } else if (keepdim) {
      out.push_back(1);
    }
  }
  return out;
}

Dims ReducedSizes(DimSpan sizes, int64_t dim, bool keepdim) {
  std::vector<bool> mask(std::max<size_t>(sizes.size(), 1));
  mask[dim] = true;
  return ReducedSizes(sizes, mask, keepdim);
}

Dims WithSize(DimSpan sizes, int64_t dim, Dim size) {
  Dims out(sizes.begin(), sizes.end());
  if (!out.empty()) out[dim < 0 ? dim + static_cast<int64_t>(out.size()) : dim] = size;
  return out;
}

Dims Appended(DimSpan sizes, Dim size) {
  Dims out(sizes.begin(), sizes.end());
  out.push_back(size);
  return out;
}

std::optional<ScalarType> TryDtype(const Call& call, ArgumentName name) {
  return call.Has(name) ? call.OptionalDtype(name) : std::nullopt;
}

Dim SizeAt(const TensorMeta& t, int64_t dim) { return t.rank() == 0 ? Dim(1) : t.sizes[dim]; }

bool IsHalf(ScalarType dtype) { return kHalfDtypes.Has(dtype); }

void EndInView(Call& call) {
  for (Output& output : call.effects().outputs) output.ends_in_view = true;
}

void NoResult(Call&) {}

}  // namespace fakeprop
