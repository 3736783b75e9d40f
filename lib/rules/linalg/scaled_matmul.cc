// Products of float8 and float4 matrices with scales: one for all, one a row, or one a block.
// Source: _check_scaled_mm_sizes and _check_scaled_mm_sizes_v2 in torch/_meta_registrations.py, _scaled_mm_cpu and
// _scaled_mm_cpu_v2 in aten/src/ATen/native/Blas.cpp (torch 2.13). The kernels for cpu know no scales of blocks.
#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"

namespace fakeprop::rules {
namespace {

bool IsFloat4(ScalarType dtype) { return dtype == ScalarType::Float4_e2m1fn_x2; }
bool IsNarrowFloat(ScalarType dtype) {
  return IsFloat4(dtype) || (c10::isFloat8Type(dtype) && dtype != ScalarType::Float8_e8m0fnu);
}

Dim RoundUp(Dim a, Dim multiple) { return CeilDiv(a, multiple) * multiple; }
Dim NumelOf(const TensorMeta& t) { return Numel(t.size_span()); }
bool HasSizes(const TensorMeta& t, Dim rows, Dim columns) {
  return t.rank() == 2 && Expect(Eq(t.sizes[0], rows)) && Expect(Eq(t.sizes[1], columns));
}

// What the kernels for cuda and xpu demand of the layout.
void RequireDeviceLayout(const Call& call) {
  const TensorMeta &a = call.Meta(0), &b = call.Meta(1);
  auto divides = [](Dim size) { return Expect(Eq(Mod(size, 16), 0)); };
  if (!IsEmpty(a) && !(Guard(Gt(a.strides[0], a.strides[1])) && GuardOrFalse(Eq(a.strides[1], 1))))
    FailShape(call, "takes `self` by rows, not with strides " + ToString(a.stride_span()));
  if (!IsEmpty(b) && !(GuardOrFalse(Eq(b.strides[0], 1)) && Guard(Gt(b.strides[1], 1))))
    FailShape(call, "takes `mat2` by columns, not with strides " + ToString(b.stride_span()));
  if (!divides(a.sizes[1]) || !divides(b.sizes[0]) || !divides(b.sizes[1]))
    FailShape(call, "takes columns of `self` and both dimensions of `mat2` by multiples of 16, not " + ToString(a) +
                        " and " + ToString(b));
}

void RequireScaledOperands(const Call& call, int bias) {
  const TensorMeta &a = call.Meta(0), &b = call.Meta(1);
  RequireRank(call, 0, 2);
  RequireRank(call, 1, 2);
  if (!IsNarrowFloat(a.dtype) || !IsNarrowFloat(b.dtype))
    FailDtype(call, "takes matrices of float8 or float4, not " + ToString(a) + " and " + ToString(b));
  if (!Expect(Eq(a.sizes[1], b.sizes[0]))) FailShape(call, "cannot multiply " + ToString(a) + " and " + ToString(b));
  const Tensor* bias_tensor = call.OptionalTensor(bias);
  if (bias_tensor && !HasNumel(bias_tensor->meta, b.sizes[1]))
    FailShape(call, "takes a bias of " + b.sizes[1].ToString() + " elements, not " + ToString(bias_tensor->meta));
  if (!call.device().is_cpu()) RequireDeviceLayout(call);
}

void ReturnScaledProduct(Call& call, int out_dtype) {
  const TensorMeta& a = call.Meta(0);
  ReturnContiguous(call, Dims{a.sizes[0], call.Meta(1).sizes[1]}, call.OptionalDtype(out_dtype).value_or(a.dtype));
}

[[noreturn]] void FailScales(const Call& call, const TensorMeta& a, const TensorMeta& b, const std::string& what) {
  FailShape(call, what + ", not " + ToString(a) + " and " + ToString(b));
}

// One scale in a row of 16 or 32 elements, in tiles of 128 by 4 scales.
void RequireTiledScales(const Call& call, const TensorMeta& a, const TensorMeta& b) {
  const bool by_16 = a.dtype == ScalarType::Float8_e4m3fn;
  const Dim k = call.Meta(0).sizes[1] * (by_16 || IsFloat4(call.Meta(0).dtype) ? 2 : 1);
  const Dim blocks = RoundUp(CeilDiv(k, by_16 ? 16 : 32), 4);
  const Dim want_a = RoundUp(call.Meta(0).sizes[0], 128) * blocks,
            want_b = RoundUp(call.Meta(1).sizes[1], 128) * blocks;
  if (!HasNumel(a, want_a) || !HasNumel(b, want_b))
    FailScales(call, a, b, "takes " + want_a.ToString() + " and " + want_b.ToString() + " scales of blocks");
  if (!IsContiguous(a) || !IsContiguous(b)) FailScales(call, a, b, "takes contiguous scales of blocks");
}

// One scale for each row and column, or for each block of 128 in one dimension or both.
void RequireRowScales(const Call& call, const TensorMeta& a, const TensorMeta& b) {
  if (a.dtype != ScalarType::Float || b.dtype != ScalarType::Float)
    FailDtype(call, "takes scales in float32, not " + ToString(a) + " and " + ToString(b));
  const Dim m = call.Meta(0).sizes[0], n = call.Meta(1).sizes[1], k = CeilDiv(call.Meta(0).sizes[1], 128);
  if (HasSizes(a, m, 1) && HasSizes(b, 1, n)) {
    if (!IsContiguous(a) || !IsContiguous(b)) FailScales(call, a, b, "takes contiguous scales of rows");
    return;
  }
  const bool blocks = (HasSizes(a, m, k) && (HasSizes(b, k, CeilDiv(n, 128)) || HasSizes(b, k, n))) ||
                      (HasSizes(a, CeilDiv(m, 128), k) && HasSizes(b, k, n));
  if (!blocks || call.device().is_cpu())
    FailScales(
        call, a, b, "takes one scale for each matrix, or [" + m.ToString() + ", 1] and [1, " + n.ToString() + "]");
}

// (self, mat2, scale_a, scale_b, bias, scale_result, out_dtype, use_fast_accum)
void ScaledProduct(Call& call) {
  RequireScaledOperands(call, 4);
  const TensorMeta &a = call.Meta(2), &b = call.Meta(3);
  const bool tiled =
      a.dtype == b.dtype && (a.dtype == ScalarType::Float8_e8m0fnu || a.dtype == ScalarType::Float8_e4m3fn);
  if (GuardOrFalse(Eq(NumelOf(a), 1)) && GuardOrFalse(Eq(NumelOf(b), 1))) {
    if (a.dtype != ScalarType::Float || b.dtype != ScalarType::Float)
      FailDtype(call, "takes scales in float32, not " + ToString(a) + " and " + ToString(b));
  } else if (tiled && !call.device().is_cpu()) {
    RequireTiledScales(call, a, b);
  } else {
    RequireRowScales(call, a, b);
  }
  ReturnScaledProduct(call, 6);
}

// torch.nn.functional.ScalingType and SwizzleType
enum Recipe : int64_t { kTensorWise, kRowWise, kBlock1x16, kBlock1x32, kBlock1x128, kBlock128x128 };
constexpr int64_t kSwizzled = 1;

// Positions in _scaled_mm_v2.
enum V2Argument { kScaleA = 2, kRecipeA, kSwizzleA, kScaleB, kRecipeB, kSwizzleB, kBias, kOutDtype };

// One of the two operands as its scales see it.
struct ScaledSide {
  std::vector<Tensor*> scales;
  std::vector<int64_t> recipes;
  std::vector<int64_t> swizzles;
  Dim rows;     // of self, columns of mat2
  Dim columns;  // the dimension that is summed over
};

const TensorMeta& ScaleAt(const Call& call, const ScaledSide& side, size_t i) {
  if (i >= side.scales.size() || !side.scales[i]) FailValue(call, "needs a scale for each of its recipes");
  return side.scales[i]->meta;
}

void RequireScale(const Call& call, const TensorMeta& scale, ScalarType dtype, Dim numel) {
  if (scale.dtype == dtype && HasNumel(scale, numel)) return;
  FailShape(
      call, "takes " + numel.ToString() + " scales in " + std::string(DtypeName(dtype)) + ", not " + ToString(scale));
}

void RequireScalePerRow(const Call& call, const ScaledSide& side, bool is_self) {
  const TensorMeta& scale = ScaleAt(call, side, 0);
  if (scale.rank() != 2) FailShape(call, "takes scales of rows in 2 dimensions, not " + ToString(scale));
  RequireScale(call, scale, ScalarType::Float, side.rows);
  // The kernel for cpu multiplies by both scales as they broadcast.
  const bool as_column = is_self || !call.device().is_cpu();
  if (is_self ? !HasSizes(scale, side.rows, 1) : !as_column && !HasSizes(scale, 1, side.rows))
    FailShape(call, "takes a scale for each of " + side.rows.ToString() + " rows, not " + ToString(scale));
  if (!GuardOrFalse(Eq(scale.strides[1], 1))) FailShape(call, "takes dense rows of scales, not " + ToString(scale));
}

// Scales by columns: [rows, columns] with strides [1, rows].
void RequireScaleColumns(const Call& call, const TensorMeta& scale, Dim rows, Dim columns) {
  const bool right = scale.dtype == ScalarType::Float && HasSizes(scale, rows, columns) &&
                     GuardOrFalse(Eq(scale.strides[0], 1)) &&
                     (GuardOrFalse(Eq(scale.strides[1], rows)) ||
                         (GuardOrFalse(Eq(columns, 1)) && GuardOrFalse(Eq(scale.strides[1], 1))));
  if (!right)
    FailShape(call, "takes scales of blocks in float32, [" + rows.ToString() + ", " + columns.ToString() +
                        "] by columns, not " + ToString(scale));
}

void RequireBlockScales(const Call& call, const ScaledSide& side) {
  const TensorMeta& scale = ScaleAt(call, side, 0);
  const Dim k = side.columns;
  switch (side.recipes[0]) {
    case kBlock1x128: return RequireScaleColumns(call, scale, side.rows, FloorDiv(k, 128));
    case kBlock128x128: return RequireScaleColumns(call, scale, FloorDiv(k + 384, 512) * 4, FloorDiv(side.rows, 128));
    default: break;
  }
  const bool by_16 = side.recipes[0] == kBlock1x16;
  // Blocks of 32 are counted in the elements as they are packed.
  const Dim blocks = RoundUp(CeilDiv(by_16 ? k : call.Meta(0).sizes[1], by_16 ? 16 : 32), 4);
  RequireScale(
      call, scale, by_16 ? ScalarType::Float8_e4m3fn : ScalarType::Float8_e8m0fnu, RoundUp(side.rows, 128) * blocks);
  if (side.swizzles.empty() || side.swizzles[0] != kSwizzled)
    FailValue(call, "takes scales of blocks swizzled by 32, 4 and 4");
  if (side.recipes.size() == 2) RequireScale(call, ScaleAt(call, side, 1), ScalarType::Float, 1);
}

// The pairs of recipes that kernels know.
bool IsKnownPair(const Call& call, const ScaledSide& a, const ScaledSide& b) {
  using Recipes = std::vector<int64_t>;
  auto are = [&](const Recipes& of_a, const Recipes& of_b) { return a.recipes == of_a && b.recipes == of_b; };
  if (are({kTensorWise}, {kTensorWise}) || are({kRowWise}, {kRowWise})) return true;
  if (call.device().is_cpu()) return false;
  for (const Recipes& both :
      {Recipes{kBlock1x16}, Recipes{kBlock1x16, kTensorWise}, Recipes{kBlock1x32}, Recipes{kBlock1x128}})
    if (are(both, both)) return true;
  return are({kBlock1x128}, {kBlock128x128}) || are({kBlock128x128}, {kBlock1x128});
}

void RequireSideScales(const Call& call, const ScaledSide& side, bool is_self) {
  switch (side.recipes[0]) {
    case kTensorWise: return RequireScale(call, ScaleAt(call, side, 0), ScalarType::Float, 1);
    case kRowWise: return RequireScalePerRow(call, side, is_self);
    default: return RequireBlockScales(call, side);
  }
}

// (self, mat2, scale_a, recipe_a, swizzle_a, scale_b, recipe_b, swizzle_b, bias, out_dtype, ...)
void ScaledProductV2(Call& call) {
  RequireScaledOperands(call, kBias);
  const Dim packed = IsFloat4(call.Meta(0).dtype) && IsFloat4(call.Meta(1).dtype) ? 2 : 1;
  const Dim k = call.Meta(0).sizes[1] * packed;
  const ScaledSide a = {call.Tensors(kScaleA), call.Ints(kRecipeA), call.Ints(kSwizzleA), call.Meta(0).sizes[0], k};
  const ScaledSide b = {call.Tensors(kScaleB), call.Ints(kRecipeB), call.Ints(kSwizzleB), call.Meta(1).sizes[1], k};
  if (!IsKnownPair(call, a, b)) {
    FailValue(call, "has no kernel on " + call.device().str() + " for scales by the recipes " +
                        ToString(call.Arg(kRecipeA)) + " and " + ToString(call.Arg(kRecipeB)));
  }
  RequireSideScales(call, a, true);
  RequireSideScales(call, b, false);
  ReturnScaledProduct(call, kOutDtype);
}

constexpr RuleRow kRows[] = {
    {"aten::_scaled_mm", ScaledProduct},
    {"aten::_scaled_mm_v2", ScaledProductV2},
};

}  // namespace

RuleRows ScaledMatmulRules() { return kRows; }

}  // namespace fakeprop::rules
