#include "lib/rules/support/elementwise.h"

#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/support/copy_metas.h"

namespace fakeprop::rules {
namespace {

using MaybeDtype = std::optional<ScalarType>;
using Operands = std::span<const TensorMeta* const>;

bool AllOf(Operands operands, bool (*predicate)(const TensorMeta&)) {
  for (const TensorMeta* t : operands)
    if (!predicate(*t)) return false;
  return true;
}

bool IsInChannelsLast(const TensorMeta& t) { return IsContiguousIn(t, MemoryFormat::ChannelsLast); }

bool SameSizes(Operands operands) {
  for (const TensorMeta* t : operands)
    if (!GuardSameOrFalse(t->size_span(), operands[0]->size_span())) return false;
  return true;
}

bool SameStrides(Operands operands) {
  for (const TensorMeta* t : operands)
    if (!GuardSameOrFalse(t->stride_span(), operands[0]->stride_span())) return false;
  return true;
}

// The operand's stride in a dimension of the broadcast shape: 0 where it is repeated.
Dim BroadcastStride(const TensorMeta& t, DimSpan shape, int d) {
  const int own = d - static_cast<int>(shape.size()) + static_cast<int>(t.rank());
  if (own < 0) return 0;
  if (GuardOrFalse(Eq(t.sizes[own], 1)) && !GuardOrFalse(Eq(shape[d], 1))) return 0;
  return t.strides[own];
}

// a >= b, of numbers from 0 on; also where data decides and a is a multiple of b.
// Source: ge in compute_elementwise_output_logical_to_physical_perm (torch/_prims_common).
bool IsAtLeast(Dim a, Dim b) {
  if (GuardOrFalse(Ge(a, b))) return true;
  if (Dim::Plain(a, b) || a.Hint() || b.TryNumber() == 0) return false;
  return GuardOrFalse(Eq(Mod(a, b), 0));
}

// -1 where dimension a lies inside b in memory, 1 outside, 0 where the operands do not say.
int CompareNesting(Operands operands, DimSpan shape, int a, int b) {
  for (const TensorMeta* t : operands) {
    const Dim x = BroadcastStride(*t, shape, a), y = BroadcastStride(*t, shape, b);
    if (GuardOrFalse(Eq(x, 0)) || GuardOrFalse(Eq(y, 0))) continue;
    if (GuardOrFalse(Lt(x, y))) return -1;
    if (GuardOrFalse(Gt(x, y))) return 1;
    if (!Known(Eq(x, y))) {
      if (IsAtLeast(y, x)) return -1;
      if (IsAtLeast(x, y)) return 1;
    } else if (!IsAtLeast(shape[b], shape[a])) {
      return 1;
    }
  }
  return 0;
}

// TensorIteratorBase::reorder_dimensions: the dimensions, innermost first.
SmallVector<int, 6> OrderDimensions(Operands operands, DimSpan shape) {
  const int rank = static_cast<int>(shape.size());
  SmallVector<int, 6> perm(rank);
  for (int i = 0; i < rank; ++i) perm[i] = rank - 1 - i;
  for (int i = 1; i < rank; ++i) {
    int moving = i;
    for (int fixed = i - 1; fixed >= 0; --fixed) {
      const int order = CompareNesting(operands, shape, perm[fixed], perm[moving]);
      if (order > 0) {
        std::swap(perm[fixed], perm[moving]);
        moving = fixed;
      } else if (order < 0) {
        break;
      }
    }
  }
  return perm;
}

// Sizes that data decides may be 0, where packed strides count them as 1. Source: compute_elementwise_output_strides
// (torch/_prims_common) packs in the order of the operands' strides, and never takes over the strides themselves.
bool KeepsDenseStrides(Operands operands, DimSpan shape) {
  return !HasData(shape) && AllOf(operands, IsNonOverlappingAndDense) && SameStrides(operands);
}

Dims OutputStrides(Operands operands, DimSpan shape) {
  if (AllOf(operands, IsContiguous) && (operands.size() == 1 || SameSizes(operands))) return ContiguousStrides(shape);
  if (SameSizes(operands)) {
    if (AllOf(operands, IsInChannelsLast)) return StridesInFormat(shape, MemoryFormat::ChannelsLast);
    if (KeepsDenseStrides(operands, shape)) return operands[0]->strides;
  }
  const auto order = OrderDimensions(operands, shape);
  // Row-major: an allocation without strides, in which an empty dimension counts as 1.
  if (std::ranges::is_sorted(order, std::greater<>())) return ContiguousStrides(shape);
  Dims strides(shape.size());
  Dim step = 1;
  for (int d : order) {
    strides[d] = step;
    step *= shape[d].IsSymbolic() ? Max(shape[d], 1) : shape[d];
  }
  return strides;
}

// Contiguous in dimensions of size 1 as well; of empty tensors the strides say nothing.
bool IsRowMajor(const TensorMeta& t) {
  const Dims strides = ContiguousStrides(t.size_span());
  bool same = true;
  for (int64_t d = 0; d < t.rank(); ++d) {
    if (Known(Eq(t.sizes[d], 0))) return true;
    same = same && Known(Eq(t.strides[d], strides[d]));
  }
  return same;
}

bool HasSymbols(const TensorMeta& t) {
  return std::ranges::any_of(t.sizes, &Dim::IsSymbolic) || std::ranges::any_of(t.strides, &Dim::IsSymbolic);
}

// The dtype that the cpu computes in, if it is not that of all operands.
MaybeDtype CommonDtype(const Call& call, std::span<const ArgumentName> names, ScalarType result) {
  MaybeDtype first;
  bool differ = false;
  for (ArgumentName name : names)
    if (const Tensor* t = call.Arg(name).TryTensor()) {
      const ScalarType dtype = t->meta.dtype;
      differ = differ || (first && *first != dtype) || (IsIntegral(dtype) && IsFloatOrComplex(result));
      first = dtype;
    }
  if (!differ || !call.OnCpu() || call.Has("condition")) return std::nullopt;
  const ScalarType promoted = PromotedDtype(call, names);
  return IsIntegral(promoted) && IsFloatOrComplex(result) ? result : promoted;
}

// Dense operands keep their strides in the cast.
bool IsCastApart(const TensorMeta& t, ScalarType common) {
  if (t.dtype == common || t.rank() == 0) return false;
  if (!HasSymbols(t)) return !IsNonOverlappingAndDense(t);
  return std::ranges::any_of(t.strides, [](Dim stride) { return stride.TryNumber() == 0; });
}

// A number as an operand: it has no dimensions.
const TensorMeta kNumber;

bool HasUnitDimension(const TensorMeta& t) {
  return std::ranges::any_of(t.sizes, [](Dim size) { return size.TryNumber() == 1; });
}

// Beside a number operands are not of one shape. So the order of their strides counts, those of dimensions of size 1
// too: an image of one channel stays channels_last, and a stride of 0 is not kept. What is channels_last alone comes
// out packed, as in FakeTensorMode; in eager a batch of one image keeps its stride, and what follows is no longer
// channels_last.
bool CountsNumber(Operands operands) {
  if (operands.empty()) return false;
  if (AllOf(operands, IsContiguous)) return !AllOf(operands, IsRowMajor);
  return AllOf(operands, HasUnitDimension) && !AllOf(operands, IsInChannelsLast);
}

}  // namespace

std::optional<TensorMeta> CastOperand(const TensorMeta& t, ScalarType common) {
  if (!IsCastApart(t, common)) return std::nullopt;
  return EmptyLike(t);
}

TensorMeta ElementwiseMeta(Operands operands, ScalarType dtype, Device device) {
  TensorMeta out;
  out.dtype = dtype;
  out.device = device;
  if (operands.empty()) return out;
  out.sizes = operands[0]->sizes;
  for (const TensorMeta* t : operands.subspan(1)) {
    if (!GuardSameOrFalse(t->size_span(), out.size_span())) out.sizes = BroadcastSizes(out.size_span(), t->size_span());
  }
  out.strides = OutputStrides(operands, out.size_span());
  return out;
}

TensorMeta ElementwiseMeta(const Call& call, std::span<const ArgumentName> names, ScalarType dtype) {
  SmallVector<const TensorMeta*, 4> operands;
  std::vector<TensorMeta> casts;
  casts.reserve(names.size());
  const MaybeDtype common = CommonDtype(call, names, dtype);
  bool has_number = false;
  for (ArgumentName name : names) {
    const Tensor* t = call.Arg(name).TryTensor();
    has_number = has_number || (!t && !call.IsNone(name));
    if (!t) continue;
    std::optional<TensorMeta> cast = common ? CastOperand(t->meta, *common) : std::nullopt;
    operands.push_back(cast ? &casts.emplace_back(*std::move(cast)) : &t->meta);
  }
  if (has_number && CountsNumber(operands)) operands.push_back(&kNumber);
  return ElementwiseMeta(operands, dtype, call.device());
}

TensorMeta ElementwiseMeta(const Call& call, std::initializer_list<ArgumentName> names, ScalarType dtype) {
  return ElementwiseMeta(call, std::span<const ArgumentName>(names.begin(), names.size()), dtype);
}

TensorMeta LaidOutAs(const TensorMeta& t, TensorMeta result) {
  if (ExpectSame(result.size_span(), t.size_span())) result.strides = EmptyLike(t).strides;
  return result;
}

}  // namespace fakeprop::rules
