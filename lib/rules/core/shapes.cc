#include "lib/rules/core/shapes.h"

#include <algorithm>

#include "lib/rules/core/torch_words.h"

namespace fakeprop {

int64_t WrapDim(int64_t dim, int64_t rank) {
  const int64_t span = std::max<int64_t>(rank, 1);
  if (dim < -span || dim >= span) {
    Fail(ErrorClass::kIndexOutOfRange,
        Format("dimension out of range (expected to be in range of [{}, {}], but got {})", -span, span - 1, dim));
  }
  return dim < 0 ? dim + span : dim;
}

std::vector<int64_t> WrapDims(std::span<const int64_t> dims, int64_t rank) {
  std::vector<int64_t> wrapped;
  for (int64_t dim : dims) {
    const int64_t w = WrapDim(dim, rank);
    if (std::find(wrapped.begin(), wrapped.end(), w) != wrapped.end())
      Fail(ErrorClass::kValueError, Format("dim {} appears multiple times in the list of dims", w));
    wrapped.push_back(w);
  }
  return wrapped;
}

std::vector<bool> DimMask(std::span<const int64_t> dims, int64_t rank) {
  std::vector<bool> mask(std::max<int64_t>(rank, 1), dims.empty());
  for (int64_t dim : WrapDims(dims, rank)) mask[dim] = true;
  mask.resize(rank);
  return mask;
}

namespace {

// A size counted in the dimensions of a broadcast shape: 1 where `sizes` has fewer.
Dim SizeIn(DimSpan sizes, size_t rank, size_t i) {
  return i + sizes.size() >= rank ? sizes[i + sizes.size() - rank] : Dim(1);
}

// Sizes do not fit at `dim`, or at a later dimension, of which PyTorch tells the last.
[[noreturn]] void FailBroadcast(DimSpan a, DimSpan b, size_t dim) {
  const size_t rank = std::max(a.size(), b.size());
  for (size_t i = rank; i-- > dim + 1;) {
    const Dim x = SizeIn(a, rank, i), y = SizeIn(b, rank, i);
    if (Known(Ne(x, y)) && Known(Ne(x, 1)) && Known(Ne(y, 1))) dim = i;
  }
  Fail(ErrorClass::kShapeMismatch, Format("the size of tensor a ({}) must match the size of tensor b ({}) at "
                                          "non-singleton dimension {}: shapes {} and {} "
                                          "do not broadcast",
                                       SizeIn(a, rank, dim), SizeIn(b, rank, dim), dim, a, b));
}

}  // namespace

Dims BroadcastSizes(DimSpan a, DimSpan b) {
  const size_t rank = std::max(a.size(), b.size());
  Dims out(rank);
  for (size_t i = 0; i < rank; ++i) {
    const Dim x = SizeIn(a, rank, i), y = SizeIn(b, rank, i);
    if (GuardOrFalse(Eq(x, 1))) {
      out[i] = y;
    } else if (GuardOrFalse(Eq(y, 1)) || Expect(Eq(x, y))) {
      out[i] = x;
    } else {
      FailBroadcast(a, b, i);
    }
  }
  return out;
}

bool CanExpandTo(DimSpan from, DimSpan to) {
  if (from.size() > to.size()) return false;
  for (size_t i = 0; i < from.size(); ++i) {
    const Dim x = from[from.size() - 1 - i], y = to[to.size() - 1 - i];
    if (!GuardOrFalse(Eq(x, 1)) && !Expect(Eq(x, y))) return false;
  }
  return true;
}

std::string ExpandMismatch(DimSpan from, DimSpan to) {
  if (from.size() > to.size())
    return Format(
        "the number of sizes provided ({}) must be greater or equal to the number of dimensions in the tensor "
        "({}): {} does not expand to {}",
        to.size(), from.size(), from, to);
  const size_t added = to.size() - from.size();
  size_t i = to.size() - 1;
  while (i > added && (Known(Eq(from[i - added], 1)) || Known(Eq(from[i - added], to[i])))) --i;
  return Format(
      "the expanded size of the tensor ({}) must match the existing size ({}) at non-singleton dimension {}. "
      "Target sizes: {}. Tensor sizes: {}",
      to[i], from[i - added], i, to, from);
}

Dims InferShape(DimSpan shape, Dim numel) {
  Dims out(shape.begin(), shape.end());
  Dim known = 1;
  int inferred = -1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (Known(Eq(shape[i], -1))) {
      if (inferred >= 0)
        Fail(ErrorClass::kValueError, Format("only one dimension can be inferred, not those of {}", shape));
      inferred = static_cast<int>(i);
    } else if (Known(Lt(shape[i], 0))) {
      Fail(ErrorClass::kValueError, Format("invalid shape dimension {} at index {} of shape {}", shape[i], i, shape));
    } else {
      known *= shape[i];
    }
  }
  auto mismatch = [&] {
    Fail(ErrorClass::kShapeMismatch, Format("shape '{}' is invalid for input of size {}", shape, numel));
  };
  if (inferred < 0) {
    if (!Expect(Eq(known, numel))) mismatch();
    return out;
  }
  // Of data it is relied on that something is left to infer from.
  if (known.Hint() ? Guard(Eq(known, 0)) : !Expect(Ne(known, 0))) {
    if (!GuardOrFalse(Eq(numel, 0))) mismatch();
    Fail(ErrorClass::kShapeMismatch, Format("cannot reshape tensor of 0 elements into shape {} because the unspecified "
                                            "dimension size -1 can be any value and is ambiguous",
                                         shape));
  }
  if (!Divides(known, numel)) mismatch();
  out[inferred] = FloorDiv(numel, known);
  return out;
}

void RequireNonNegative(DimSpan sizes) {
  for (Dim size : sizes)
    if (!Expect(Ge(size, 0)))
      Fail(ErrorClass::kValueError, Format("trying to create tensor with negative dimension {}: {}", size, sizes));
}

bool HasData(DimSpan dims) { return std::any_of(dims.begin(), dims.end(), IsData); }

namespace {

// Of sizes none of which is 0.
Dims PackedStrides(DimSpan sizes) {
  Dims out(sizes.size(), Dim(1));
  for (size_t i = sizes.size(); i-- > 1;) out[i - 1] = out[i] * sizes[i];
  return out;
}

// Whether they are the same expressions.
bool IsWrittenAs(DimSpan strides, DimSpan as) {
  return std::equal(strides.begin(), strides.end(), as.begin(), as.end(), [](Dim a, Dim b) {
    const Cond same = Eq(a, b);
    return !same.IsSymbolic() && Known(same);
  });
}

// Whether the strides are written as those of a new tensor, so that nothing has to be asked of the sizes.
bool IsWrittenContiguous(const TensorMeta& t) {
  const DimSpan sizes = t.size_span();
  return IsWrittenAs(t.stride_span(), PackedStrides(sizes)) || IsWrittenAs(t.stride_span(), ContiguousStrides(sizes));
}

// Goes through t, which has dimensions and elements, from its last dimension, chunk by chunk of what is laid out
// without gaps, and fills each chunk with dimensions of the view.
std::optional<Dims> StridesByChunks(const TensorMeta& t, DimSpan sizes) {
  Dims out(sizes.size());
  int64_t view_d = static_cast<int64_t>(sizes.size()) - 1;
  Dim chunk_base = t.strides.back();
  Dim tensor_numel = 1, view_numel = 1;
  for (int64_t d = t.rank() - 1; d >= 0; --d) {
    tensor_numel *= t.sizes[d];
    const bool chunk_ends =
        d == 0 || (GuardOrTrue(Ne(t.sizes[d - 1], 1)) && GuardOrTrue(Ne(t.strides[d - 1], tensor_numel * chunk_base)));
    if (!chunk_ends) continue;
    while (view_d >= 0 && (GuardOrTrue(Lt(view_numel, tensor_numel)) || GuardOrFalse(Eq(sizes[view_d], 1)))) {
      out[view_d] = view_numel * chunk_base;
      view_numel *= sizes[view_d];
      --view_d;
    }
    if (GuardOrTrue(Ne(view_numel, tensor_numel))) return std::nullopt;
    if (d > 0) {
      chunk_base = t.strides[d - 1];
      tensor_numel = 1;
      view_numel = 1;
    }
  }
  if (view_d != -1) return std::nullopt;
  return out;
}

}  // namespace

std::optional<Dims> ComputeViewStrides(const TensorMeta& t, DimSpan sizes) {
  // Source: _view_unbacked_meta in torch/_subclasses/fake_impls.py.
  if (HasData(t.size_span()) || HasData(t.stride_span()) || HasData(sizes)) {
    if (GuardSameOrFalse(t.size_span(), sizes)) return t.strides;
    if (IsContiguous(t)) return ContiguousStrides(sizes);
  }
  if (IsEmpty(t)) {
    if (GuardSameOrFalse(t.size_span(), sizes)) return t.strides;
    return ContiguousStrides(sizes);
  }
  if (t.sizes.empty()) return Dims(sizes.size(), Dim(1));
  const bool is_symbolic = std::any_of(t.sizes.begin(), t.sizes.end(), [](Dim size) { return size.IsSymbolic(); });
  if (is_symbolic && IsWrittenContiguous(t)) return PackedStrides(sizes);
  return StridesByChunks(t, sizes);
}

}  // namespace fakeprop
