// Padding: with a constant, by reflection or replication of the border, around in a circle.
// Source: aten/src/ATen/native/PadNd.cpp, ReflectionPad.cpp, ReplicationPadding.cpp;
// meta_reflection_pad* and meta_replication_pad* in torch/_meta_registrations.py (torch 2.13).
#include <algorithm>

#include "lib/rules/core/results.h"
#include "lib/rules/families.h"
#include "lib/rules/support/view_metas.h"

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

void RequirePairs(const Call& call, DimSpan pad) {
  if (pad.size() % 2 != 0) FailValue(call, "takes paddings in pairs, got " + ToString(pad));
  if (static_cast<int64_t>(pad.size()) > 2 * call.Meta(0).rank())
    FailShape(call,
        "takes up to 2 paddings a dimension, got " + ToString(pad) + " for " + ToString(call.Meta(0).size_span()));
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

// Whether anything is padded; else the result is a copy, with the input's strides. Where those are what a padded tensor
// would have, both are the same and no symbol needs to tell.
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
  const TensorMeta& t = call.Meta(0);
  const TensorMeta cut = CutMeta(t, pad);
  const MemoryFormat format = SuggestMemoryFormat(t);
  if (!Grows(cut, pad, format)) return void(call.ReturnNew(EmptyLike(cut)));
  Dims sizes;
  for (int64_t d = 0; d < t.rank(); ++d) {
    const auto [before, after] = SidesOf(pad, t, d);
    sizes.push_back(t.sizes[d] + before + after);
  }
  call.ReturnNew(MetaInFormat(sizes, t.dtype, t.device, format));
}

void ConstantPad(Call& call) { ConstantPadOf(call, call.DimList(1)); }

// How a border is made: a reflection must find enough elements to reflect.
enum class Border { kReflect, kReplicate };

// A batch of images keeps its format; of volumes too on the cpu, which the Python functions overlook.
MemoryFormat KeptFormat(const TensorMeta& t, int64_t spatial) {
  const bool keeps = t.rank() == 4 ? spatial == 2 : t.rank() == 5 && t.device.is_cpu();
  return keeps ? SuggestMemoryFormat(t) : MemoryFormat::Contiguous;
}

// Padding of the last `spatial` dimensions, before which channels and optionally a batch stand.
void BorderPadOf(Call& call, DimSpan pad, int64_t spatial, Border border) {
  const TensorMeta& t = call.Meta(0);
  if (static_cast<int64_t>(pad.size()) != 2 * spatial)
    FailValue(call, "takes " + std::to_string(2 * spatial) + " paddings, got " + ToString(pad));
  if (t.rank() != spatial + 1 && t.rank() != spatial + 2) {
    FailShape(call, "takes " + std::to_string(spatial + 1) + " or, with a batch, " + std::to_string(spatial + 2) +
                        " dimensions, but got " + ToString(t.size_span()));
  }
  if (t.dtype == ScalarType::Bool) FailDtype(call, "has no kernel for bool tensors");
  Dims sizes = t.sizes;
  for (int64_t d = t.rank() == spatial + 2 ? 1 : 0; d < t.rank(); ++d) {
    if (!Expect(Ne(t.sizes[d], 0)))
      FailShape(call, "takes no empty dimension but the batch's, got " + ToString(t.size_span()));
    const auto [before, after] = SidesOf(pad, t, d);
    if (border == Border::kReflect && !Expect(And(Lt(before, t.sizes[d]), Lt(after, t.sizes[d])))) {
      FailShape(call, "reflects less than a dimension's size, got the padding " + before.ToString() + ", " +
                          after.ToString() + " at dimension " + std::to_string(d) + " of " + ToString(t.size_span()));
    }
    sizes[d] += before + after;
    if (!Expect(Ge(sizes[d], 1)))
      FailShape(call, "is left with nothing of dimension " + std::to_string(d) + " of " + ToString(t.size_span()));
  }
  call.ReturnNew(MetaInFormat(sizes, t.dtype, t.device, KeptFormat(t, spatial)));
}

template <int Spatial, Border border>
void BorderPad(Call& call) {
  BorderPadOf(call, call.DimList(1), Spatial, border);
}

// The gradient has the padded sizes. Source: zeros_like(input, suggested format); Python's is contiguous off the cpu.
template <int Spatial>
void BorderPadBackward(Call& call) {
  const TensorMeta& grad = call.Meta(0);
  const TensorMeta& t = call.Meta(1);
  const Dims pad = call.DimList(2);
  if (static_cast<int64_t>(pad.size()) != 2 * Spatial)
    FailValue(call, "takes " + std::to_string(2 * Spatial) + " paddings, got " + ToString(pad));
  if (t.rank() != Spatial + 1 && t.rank() != Spatial + 2)
    FailShape(call, "takes no input of " + std::to_string(t.rank()) + " dimensions");
  // Only what was padded is compared.
  bool fits = grad.rank() == t.rank();
  for (int64_t d = t.rank() - Spatial; fits && d < t.rank(); ++d) {
    const auto [before, after] = SidesOf(pad, t, d);
    fits = Expect(Eq(grad.sizes[d], t.sizes[d] + before + after));
  }
  if (!fits) {
    FailShape(call, "has a gradient of " + ToString(grad.size_span()) + " for " + ToString(t.size_span()) +
                        " padded by " + ToString(pad));
  }
  const MemoryFormat format = t.device.is_cpu() ? KeptFormat(t, Spatial) : MemoryFormat::Contiguous;
  call.ReturnNew(MetaInFormat(t.size_span(), t.dtype, t.device, format));
}

// Of one dimension even the gradient checks how much was reflected.
void ReflectionPad1dBackward(Call& call) {
  BorderPadBackward<1>(call);
  const TensorMeta& t = call.Meta(1);
  const auto [before, after] = SidesOf(call.DimList(2), t, t.rank() - 1);
  for (Dim side : {before, after})
    if (!Expect(Lt(side, t.sizes.back())))
      FailShape(call, "reflects " + side.ToString() + " of a dimension of " + t.sizes.back().ToString());
}

void CircularPadOf(Call& call, DimSpan pad) {
  RequirePairs(call, pad);
  const TensorMeta& t = call.Meta(0);
  const int64_t spatial = static_cast<int64_t>(pad.size()) / 2;
  if (t.rank() < spatial + 1 || t.rank() > spatial + 2)
    FailShape(
        call, "pads all dimensions but channels and batch, got " + ToString(pad) + " for " + ToString(t.size_span()));
  Dims sizes = t.sizes;
  for (int64_t d = t.rank() - spatial; d < t.rank(); ++d) {
    const auto [before, after] = SidesOf(pad, t, d);
    if (!Expect(And(Le(before, t.sizes[d]), Le(after, t.sizes[d]))))
      FailShape(call,
          "would wrap around dimension " + std::to_string(d) + " of " + ToString(t.size_span()) + " more than once");
    sizes[d] += before + after;
    if (!Expect(Ge(sizes[d], 0))) FailShape(call, "is left with nothing of dimension " + std::to_string(d));
  }
  ReturnContiguous(call, sizes, t.dtype);
}

void CircularPad(Call& call) { CircularPadOf(call, call.DimList(1)); }

// at::padding_mode, as _pad_enum takes it.
enum Mode : int64_t { kReflectMode, kReplicateMode, kCircularMode, kConstantMode };

void PadInMode(Call& call, int64_t mode) {
  const Dims pad = call.DimList(1);
  RequirePairs(call, pad);
  if (mode == kConstantMode) return ConstantPadOf(call, pad);
  if (call.OptionalFloat(3).value_or(0) != 0) FailValue(call, "takes a value only in mode 'constant'");
  const int64_t spatial = static_cast<int64_t>(pad.size()) / 2, rank = call.Meta(0).rank();
  if (spatial < 1 || spatial > 3 || (rank != spatial + 1 && rank != spatial + 2))
    FailShape(call, "has no such padding of " + ToString(call.Meta(0).size_span()) + " by " + ToString(pad));
  if (mode == kCircularMode) return CircularPadOf(call, pad);
  BorderPadOf(call, pad, spatial, mode == kReflectMode ? Border::kReflect : Border::kReplicate);
}

void PadEnum(Call& call) {
  const int64_t mode = call.Int(2);
  if (mode < kReflectMode || mode > kConstantMode) FailValue(call, "has no padding mode " + std::to_string(mode));
  PadInMode(call, mode);
}

void Pad(Call& call) {
  constexpr std::string_view kNames[] = {"reflect", "replicate", "circular", "constant"};
  const std::string_view name = call.String(2);
  for (int64_t mode = kReflectMode; mode <= kConstantMode; ++mode)
    if (kNames[mode] == name) return PadInMode(call, mode);
  FailValue(call, "has no padding mode '" + std::string(name) + "'");
}

constexpr RuleRow kRows[] = {
    {"aten::constant_pad_nd", ConstantPad},
    {"aten::pad", Pad},
    {"aten::_pad_enum", PadEnum},
    {"aten::_pad_circular", CircularPad},
    {"aten::reflection_pad1d", BorderPad<1, Border::kReflect>},
    {"aten::reflection_pad2d", BorderPad<2, Border::kReflect>},
    {"aten::reflection_pad3d", BorderPad<3, Border::kReflect>},
    {"aten::replication_pad1d", BorderPad<1, Border::kReplicate>},
    {"aten::replication_pad2d", BorderPad<2, Border::kReplicate>},
    {"aten::replication_pad3d", BorderPad<3, Border::kReplicate>},
    {"aten::reflection_pad1d_backward", ReflectionPad1dBackward},
    {"aten::reflection_pad2d_backward", BorderPadBackward<2>},
    {"aten::reflection_pad3d_backward", BorderPadBackward<3>},
    {"aten::replication_pad1d_backward", BorderPadBackward<1>},
    {"aten::replication_pad2d_backward", BorderPadBackward<2>},
    {"aten::replication_pad3d_backward", BorderPadBackward<3>},
};

}  // namespace

RuleRows PaddingRules() { return kRows; }

}  // namespace fakeprop::rules
