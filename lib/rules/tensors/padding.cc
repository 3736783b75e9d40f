// Padding: with a constant, by reflection or replication of the border, around in a circle.
// Source: aten/src/ATen/native/PadNd.cpp, ReflectionPad.cpp, ReplicationPadding.cpp;
// meta_reflection_pad* and meta_replication_pad* in torch/_meta_registrations.py (torch 2.13).
#include <algorithm>

#include "lib/rules/core/results.h"
#include "lib/rules/core/torch_changes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/quantized_kernels.h"
#include "lib/rules/support/slice_metas.h"

namespace fakeprop::rules {
namespace {

// The two paddings of a dimension; they are listed from the last dimension on.
struct Sides {
  Dim before, after;
};

Sides SidesOf(DimSpan pad, const TensorMeta& t, int64_t dim) {
  const size_t i = 2 * static_cast<size_t>(t.rank() - 1 - dim);
  return i < pad.size() ? Sides{pad[i], pad[i + 1]} : Sides{0, 0};
}

// Sizes with their paddings; a negative one cuts.
Dims PaddedSizes(const TensorMeta& t, DimSpan pad) {
  Dims sizes = t.sizes;
  for (int64_t d = 0; d < t.rank(); ++d) {
    const auto [before, after] = SidesOf(pad, t, d);
    sizes[d] += before + after;
  }
  return sizes;
}

void RequirePairs(const Call& call, DimSpan pad) {
  RequireValue(
      call, pad.size() % 2 == 0, {"takes paddings in pairs, got {}: padding length must be divisible by 2", pad});
  const Operand self = call.In("self");
  RequireShape(call, std::ssize(pad) <= 2 * self->rank(),
      {"takes up to 2 paddings a dimension, got {} for {}: length of pad should be no more than twice the number of "
       "dimensions of the input",
          pad, self->sizes});
}

// What is left of the input once negative paddings have cut it.
TensorMeta CutMeta(TensorMeta t, DimSpan pad) {
  for (int64_t d = 0; d < t.rank(); ++d) {
    const auto [before, after] = SidesOf(pad, t, d);
    if (GuardOrFalse(Lt(before, 0))) t = NarrowedMeta(t, d, -before, t.sizes[d] + before);
    if (GuardOrFalse(Lt(after, 0))) t = NarrowedMeta(t, d, 0, t.sizes[d] + after);
  }
  return t;
}

// Returns true if anything is padded; else the result is a copy, with the input's strides. Where a padded tensor would
// have the same strides, the answer makes no difference, so that symbols need no guard.
bool Grows(const TensorMeta& cut, DimSpan pad, MemoryFormat format) {
  const auto is_symbolic = [](Dim p) { return p.IsSymbolic(); };
  if (std::any_of(pad.begin(), pad.end(), is_symbolic)) {
    const Dims copied = EmptyLike(cut).strides, padded = MetaInFormat(cut.sizes, cut.dtype, cut.device, format).strides;
    if (std::equal(copied.begin(), copied.end(), padded.begin(), [](Dim a, Dim b) { return Known(Eq(a, b)); }))
      return true;
  }
  return std::any_of(pad.begin(), pad.end(), [](Dim p) { return GuardOrTrue(Gt(p, 0)); });
}

void ConstantPadOf(Call& call, DimSpan pad) {
  RequirePairs(call, pad);
  const Operand self = call.In("self");
  const TensorMeta cut = CutMeta(self, pad);
  const MemoryFormat format = SuggestMemoryFormat(self);
  if (!Grows(cut, pad, format)) return void(call.ReturnNew(EmptyLike(cut)));
  call.ReturnNew(MetaInFormat(PaddedSizes(self, pad), self->dtype, self->device, format));
}

void ConstantPad(Call& call) { ConstantPadOf(call, call.DimList("pad")); }

// How a border is made: a reflection must find enough elements to reflect.
enum class Border { kReflect, kReplicate };

// Returns true if channels, with or without a batch, stand before the dimensions that are padded.
bool HasImageRank(const TensorMeta& t, int64_t spatial) { return t.rank() == spatial + 1 || t.rank() == spatial + 2; }

void RequirePaddings(const Call& call, DimSpan pad, int64_t spatial) {
  RequireValue(call, std::ssize(pad) == 2 * spatial, {"takes {} paddings, got {}", 2 * spatial, pad});
}

// The cpu's kernels keep the format of images and volumes; those of other devices, and the Python functions, do not.
MemoryFormat KeptFormat(const TensorMeta& t) {
  return t.rank() >= 4 && t.device.is_cpu() ? SuggestMemoryFormat(t) : MemoryFormat::Contiguous;
}

// Whether each dimension has to keep an element where negative paddings cut; else one of them has to.
bool LeavesAll(const Call& call, int64_t spatial, Border border) {
  return spatial == 1 || Has(call, border == Border::kReflect ? kReflectionLeavesAll : kReplicationLeavesAll);
}

void RequireLeft(const Call& call, const Dims& sizes, int64_t spatial, Border border) {
  const DimSpan padded = DimSpan(sizes).last(spatial);
  const int64_t least = LeavesAll(call, spatial, border) ? 1 : 0;
  for (const Dim size : padded)
    RequireShape(call, Ge(size, least), {"leaves {}: negative paddings cut more than there is", sizes});
  RequireShape(call, std::any_of(padded.begin(), padded.end(), [](Dim size) { return Expect(Ge(size, 1)); }),
      {"leaves nothing of any dimension: {}", sizes});
}

// Pads the last `spatial` dimensions.
void BorderPadOf(Call& call, DimSpan pad, int64_t spatial, Border border) {
  const Operand self = call.In("self");
  RequirePaddings(call, pad, spatial);
  RequireShape(call, HasImageRank(self, spatial),
      {"expected {}D or {}D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
       "but got: {}",
          spatial + 1, spatial + 2, self->sizes});
  self.Takes(kNotBool, "has no kernel for bool tensors");
  const Dims sizes = PaddedSizes(self, pad);
  for (int64_t d = self->rank() == spatial + 2 ? 1 : 0; d < self->rank(); ++d) {
    const Dim size = self->sizes[d];
    RequireShape(call, Ne(size, 0), {"takes no empty dimension but the batch's, got {}", self->sizes});
    const auto [before, after] = SidesOf(pad, self, d);
    RequireShape(call, border == Border::kReplicate || Expect(And(Lt(before, size), Lt(after, size))),
        {"reflects: padding size should be less than the corresponding input dimension, but got: padding ({}, {}) at "
         "dimension {} of input {}",
            before, after, d, self->sizes});
  }
  RequireLeft(call, sizes, spatial, border);
  const MemoryFormat format = IsQuantized(self) ? MemoryFormat::Contiguous : KeptFormat(self);
  call.ReturnNew(MetaInFormat(sizes, self->dtype, self->device, format));
}

template <int Spatial, Border border>
void BorderPad(Call& call) {
  BorderPadOf(call, call.DimList("padding"), Spatial, border);
}

// The gradient has the sizes of the padded tensor. Only dimensions that are padded are compared.
bool FitsPadded(const TensorMeta& grad, const TensorMeta& self, DimSpan pad, int64_t spatial) {
  if (grad.rank() != self.rank()) return false;
  const Dims padded = PaddedSizes(self, pad);
  return ExpectSame(grad.size_span().last(spatial), DimSpan(padded).last(spatial));
}

template <int Spatial>
void BorderPadBackward(Call& call) {
  const Operand grad = call.In("grad_output"), self = call.In("self");
  const Dims pad = call.DimList("padding");
  RequirePaddings(call, pad, Spatial);
  RequireShape(call, HasImageRank(self, Spatial), {"takes no input of {} dimensions", self->rank()});
  RequireShape(call, FitsPadded(grad, self, pad, Spatial),
      {"has a gradient of {} for {} padded by {}", grad->sizes, self->sizes, pad});
  call.ReturnNew(MetaInFormat(self->size_span(), self->dtype, self->device, KeptFormat(self)));
}

// With one dimension even the gradient checks how much was reflected.
void ReflectionPad1dBackward(Call& call) {
  BorderPadBackward<1>(call);
  const Operand self = call.In("self");
  const Dim size = self->sizes.back();
  const auto [before, after] = SidesOf(call.DimList("padding"), self, self->rank() - 1);
  for (Dim side : {before, after}) RequireShape(call, Lt(side, size), {"reflects {} of a dimension of {}", side, size});
}

void CircularPadOf(Call& call, DimSpan pad) {
  RequirePairs(call, pad);
  const Operand self = call.In("self");
  const int64_t spatial = static_cast<int64_t>(pad.size()) / 2;
  RequireShape(call, HasImageRank(self, spatial),
      {"pads all dimensions but channels and batch, got {} for {}", pad, self->sizes});
  const Dims sizes = PaddedSizes(self, pad);
  for (int64_t d = self->rank() - spatial; d < self->rank(); ++d) {
    const Dim size = self->sizes[d];
    const auto [before, after] = SidesOf(pad, self, d);
    RequireShape(call, And(Le(before, size), Le(after, size)),
        {"would wrap around dimension {} of {} more than once", d, self->sizes});
    RequireShape(call, Ge(sizes[d], 0), {"is left with nothing of dimension {}", d});
  }
  ReturnContiguous(call, sizes, self->dtype);
}

void CircularPad(Call& call) { CircularPadOf(call, call.DimList("pad")); }

// at::padding_mode, as _pad_enum takes it.
enum Mode : int64_t { kReflectMode, kReplicateMode, kCircularMode, kConstantMode };

void PadInMode(Call& call, int64_t mode) {
  const Dims pad = call.DimList("pad");
  RequirePairs(call, pad);
  if (mode == kConstantMode) return ConstantPadOf(call, pad);
  RequireValue(call, call.OptionalFloat("value").value_or(0) == 0, "takes a value only in mode 'constant'");
  const Operand self = call.In("self");
  const int64_t spatial = static_cast<int64_t>(pad.size()) / 2;
  RequireShape(call, spatial >= 1 && spatial <= 3 && HasImageRank(self, spatial),
      {"has no such padding of {} by {}", self->sizes, pad});
  if (mode == kCircularMode) return CircularPadOf(call, pad);
  BorderPadOf(call, pad, spatial, mode == kReflectMode ? Border::kReflect : Border::kReplicate);
}

void PadEnum(Call& call) {
  PadInMode(call, call.IntBetween("mode", kReflectMode, kConstantMode, "has no padding mode {}"));
}

void Pad(Call& call) {
  constexpr std::string_view kNames[] = {"reflect", "replicate", "circular", "constant"};
  const std::string_view name = call.String("mode");
  for (int64_t mode = kReflectMode; mode <= kConstantMode; ++mode)
    if (kNames[mode] == name) return PadInMode(call, mode);
  FailValue(call, {"has no such mode: unrecognised padding mode {}", name});
}

constexpr RuleRow kRows[] = {
    {"aten::constant_pad_nd", ConstantPad},
    {"aten::pad", Pad},
    {"aten::_pad_enum", PadEnum},
    {"aten::_pad_circular", CircularPad},
    {"aten::reflection_pad1d", BorderPad<1, Border::kReflect>},
    {"aten::reflection_pad2d", BorderPad<2, Border::kReflect>, Overlap::kAllowedInOut | SetsStrides{4}},
    {"aten::reflection_pad3d", BorderPad<3, Border::kReflect>, SetsStrides{4}},
    {"aten::replication_pad1d", BorderPad<1, Border::kReplicate>},
    {"aten::replication_pad2d", BorderPad<2, Border::kReplicate>, Overlap::kAllowedInOut | SetsStrides{3}},
    {"aten::replication_pad3d", BorderPad<3, Border::kReplicate>, Overlap::kAllowedInOut | SetsStrides{4}},
    {"aten::reflection_pad1d_backward", ReflectionPad1dBackward},
    {"aten::reflection_pad2d_backward", BorderPadBackward<2>,
        OutDtype::kCast | Overlap::kAllowedInOut | SetsStrides{3}},
    {"aten::reflection_pad3d_backward", BorderPadBackward<3>, Overlap::kAllowedInOut | SetsStrides{4}},
    {"aten::replication_pad1d_backward", BorderPadBackward<1>},
    {"aten::replication_pad2d_backward", BorderPadBackward<2>,
        OutDtype::kCast | Overlap::kAllowedInOut | SetsStrides{3}},
    {"aten::replication_pad3d_backward", BorderPadBackward<3>, OutDtype::kCast | SetsStrides{4}},
};

}  // namespace

RuleRows PaddingRules() { return kRows; }

}  // namespace fakeprop::rules
