// Products of float8 and float4 matrices with scales: one for the matrix, one for each row, or one for each block.
// Source: _check_scaled_mm_sizes and _check_scaled_mm_sizes_v2 in torch/_meta_registrations.py, _scaled_mm_cpu and
// _scaled_mm_cpu_v2 in aten/src/ATen/native/Blas.cpp (torch 2.13), meta_scaled_addmm (torch 2.15). The kernels for cpu
// do not take scales of blocks.
#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"

namespace fakeprop::rules {
namespace {

bool IsFloat4(ScalarType dtype) { return dtype == ScalarType::Float4_e2m1fn_x2; }
constexpr Dtypes kNarrowFloats = {ScalarType::Float8_e5m2, ScalarType::Float8_e4m3fn, ScalarType::Float8_e5m2fnuz,
    ScalarType::Float8_e4m3fnuz, ScalarType::Float4_e2m1fn_x2};

Dim RoundUp(Dim a, Dim multiple) { return CeilDiv(a, multiple) * multiple; }
bool IsOne(const Operand& t) { return GuardOrFalse(Eq(t.Numel(), 1)); }
bool HasSizes(const TensorMeta& t, Dim rows, Dim columns) {
  return t.rank() == 2 && Expect(Eq(t.sizes[0], rows)) && Expect(Eq(t.sizes[1], columns));
}

// What the kernels for cuda and xpu demand of the layout.
void RequireDeviceLayout(const Operand& a, const Operand& b) {
  const auto divides = [](Dim size) { return Divides(16, size); };
  a.Require(IsEmpty(a) || (Guard(Gt(a->strides[0], a->strides[1])) && GuardOrFalse(Eq(a->strides[1], 1))),
      {"takes `self` by rows, not with strides {}", a->strides});
  b.Require(IsEmpty(b) || (GuardOrFalse(Eq(b->strides[0], 1)) && Guard(Gt(b->strides[1], 1))),
      {"takes `mat2` by columns, not with strides {}", b->strides});
  b.Require(divides(a->sizes[1]) && divides(b->sizes[0]) && divides(b->sizes[1]),
      {"takes columns of `self` and both dimensions of `mat2` by multiples of 16, not {} and {tensor}", *a});
}

void RequireScaledOperands(const Call& call, const Operand& a, const Operand& b) {
  Operands{a, b}.Rank(2).Takes(kNarrowFloats, {"takes matrices of float8 or float4, not {} and {}", *a, *b});
  b.Size(0, a->sizes[1], {"cannot multiply {} and {tensor}", *a});
  call.TryIn("bias").NumelIs(b->sizes[1]);
  if (!call.OnCpu()) RequireDeviceLayout(a, b);
}

void ReturnScaledProduct(Call& call, const TensorMeta& a, const TensorMeta& b) {
  ReturnContiguous(call, {a.sizes[0], b.sizes[1]}, call.OptionalDtype("out_dtype").value_or(a.dtype));
}

void RequireFloat32Scales(const Operand& scale_a, const Operand& scale_b) {
  Operands{scale_a, scale_b}.Takes(ScalarType::Float);
}

// One scale for 16 or 32 elements of a row, in tiles of 128 by 4 scales.
void RequireTiledScales(const Call& call, const Operand& scale_a, const Operand& scale_b) {
  const Operand a = call.In("self"), b = call.In("mat2");
  const bool by_16 = scale_a->dtype == ScalarType::Float8_e4m3fn;
  const Dim k = a->sizes[1] * (by_16 || IsFloat4(a->dtype) ? 2 : 1);
  const Dim blocks = RoundUp(CeilDiv(k, by_16 ? 16 : 32), 4);
  const Dim want_a = RoundUp(a->sizes[0], 128) * blocks, want_b = RoundUp(b->sizes[1], 128) * blocks;
  scale_b.Require(HasNumel(scale_a, want_a) && HasNumel(scale_b, want_b),
      {"takes {} and {} scales of blocks, not {} and {tensor}", want_a, want_b, *scale_a});
  Operands{scale_a, scale_b}.Contiguous({"takes contiguous scales of blocks, not {} and {}", *scale_a, *scale_b});
}

// One scale for each row and column, or for each block of 128 in one dimension or both.
void RequireRowScales(const Call& call, const Operand& scale_a, const Operand& scale_b) {
  RequireFloat32Scales(scale_a, scale_b);
  const Operand a = call.In("self"), b = call.In("mat2");
  const Dim m = a->sizes[0], n = b->sizes[1], k = CeilDiv(a->sizes[1], 128);
  if (HasSizes(scale_a, m, 1) && HasSizes(scale_b, 1, n))
    return void(
        Operands{scale_a, scale_b}.Contiguous({"takes contiguous scales of rows, not {} and {}", *scale_a, *scale_b}));
  const bool has_blocks =
      (HasSizes(scale_a, m, k) && (HasSizes(scale_b, k, CeilDiv(n, 128)) || HasSizes(scale_b, k, n))) ||
      (HasSizes(scale_a, CeilDiv(m, 128), k) && HasSizes(scale_b, k, n));
  scale_b.Require(has_blocks && !call.OnCpu(),
      {"takes one scale for each matrix, or [{}, 1] and [1, {}], not {} and {tensor}", m, n, *scale_a});
}

void ScaledProduct(Call& call) {
  const Operand a = call.In("self"), b = call.In("mat2");
  RequireScaledOperands(call, a, b);
  const Operand scale_a = call.In("scale_a"), scale_b = call.In("scale_b");
  const bool tiled = scale_a->dtype == scale_b->dtype &&
                     Dtypes({ScalarType::Float8_e8m0fnu, ScalarType::Float8_e4m3fn}).Has(scale_a->dtype);
  if (IsOne(scale_a) && IsOne(scale_b)) {
    RequireFloat32Scales(scale_a, scale_b);
  } else if (tiled && !call.OnCpu()) {
    RequireTiledScales(call, scale_a, scale_b);
  } else {
    RequireRowScales(call, scale_a, scale_b);
  }
  ReturnScaledProduct(call, a, b);
}

// torch.nn.functional.ScalingType and SwizzleType
enum Recipe : int64_t { kTensorWise, kRowWise, kBlock1x16, kBlock1x32, kBlock1x128, kBlock128x128 };
constexpr int64_t kSwizzled = 1;

// One of the two operands, with its scales.
struct ScaledSide {
  Operands scales;
  std::vector<int64_t> recipes;
  std::vector<int64_t> swizzles;
  Dim rows;     // of self, columns of mat2
  Dim columns;  // the dimension that is summed over
  Dim stored;   // the same in elements: two float4 numbers are one
};

Operand ScaleAt(const Call& call, const ScaledSide& side, size_t i) {
  RequireValue(call, i < side.scales.size() && side.scales[i], "needs a scale for each of its recipes");
  return side.scales[i];
}

void RequireScale(const Operand& scale, ScalarType dtype, Dim numel) {
  scale.Require(scale->dtype == dtype && HasNumel(scale, numel), {"takes {} scales in {}, not {tensor}", numel, dtype});
}

void RequireScalePerRow(const Call& call, const ScaledSide& side, bool is_self) {
  const Operand scale = ScaleAt(call, side, 0).Rank(2, "takes scales of rows in 2 dimensions, not {tensor}");
  RequireScale(scale, ScalarType::Float, side.rows);
  // The kernel for cpu multiplies by both scales as they broadcast.
  const Dims sizes = is_self ? Dims{side.rows, 1} : Dims{1, side.rows};
  if (is_self || call.OnCpu()) scale.Sizes(sizes);
  scale.Require(GuardOrFalse(Eq(scale->strides[1], 1)), "takes dense rows of scales, not {tensor}");
}

// Scales by columns: [rows, columns] with strides [1, rows].
void RequireScaleColumns(const Operand& scale, Dim rows, Dim columns) {
  const auto has_stride = [&](int d, Dim stride) { return GuardOrFalse(Eq(scale->strides[d], stride)); };
  const bool right = scale->dtype == ScalarType::Float && HasSizes(scale, rows, columns) && has_stride(0, 1) &&
                     (has_stride(1, rows) || (GuardOrFalse(Eq(columns, 1)) && has_stride(1, 1)));
  scale.Require(right, {"takes scales of blocks in float32, [{}, {}] by columns, not {tensor}", rows, columns});
}

void RequireBlockScales(const Call& call, const ScaledSide& side) {
  const Operand scale = ScaleAt(call, side, 0);
  const Dim k = side.columns;
  switch (side.recipes[0]) {
    case kBlock1x128: return RequireScaleColumns(scale, side.rows, FloorDiv(k, 128));
    case kBlock128x128: return RequireScaleColumns(scale, FloorDiv(k + 384, 512) * 4, FloorDiv(side.rows, 128));
    default: break;
  }
  const bool by_16 = side.recipes[0] == kBlock1x16;
  const Dim blocks = RoundUp(CeilDiv(by_16 ? k : side.stored, by_16 ? 16 : 32), 4);
  RequireScale(scale, by_16 ? ScalarType::Float8_e4m3fn : ScalarType::Float8_e8m0fnu, RoundUp(side.rows, 128) * blocks);
  RequireValue(
      call, !side.swizzles.empty() && side.swizzles[0] == kSwizzled, "takes scales of blocks swizzled by 32, 4 and 4");
  if (side.recipes.size() == 2) RequireScale(ScaleAt(call, side, 1), ScalarType::Float, 1);
}

// The pairs of recipes that kernels know.
bool IsKnownPair(const Call& call, const ScaledSide& a, const ScaledSide& b) {
  using Recipes = std::vector<int64_t>;
  auto are = [&](const Recipes& of_a, const Recipes& of_b) { return a.recipes == of_a && b.recipes == of_b; };
  if (are({kTensorWise}, {kTensorWise}) || are({kRowWise}, {kRowWise})) return true;
  if (call.OnCpu()) return false;
  for (const Recipes& both :
      {Recipes{kBlock1x16}, Recipes{kBlock1x16, kTensorWise}, Recipes{kBlock1x32}, Recipes{kBlock1x128}})
    if (are(both, both)) return true;
  return are({kBlock1x128}, {kBlock128x128}) || are({kBlock128x128}, {kBlock1x128});
}

void RequireSideScales(const Call& call, const ScaledSide& side, bool is_self) {
  switch (side.recipes[0]) {
    case kTensorWise: return RequireScale(ScaleAt(call, side, 0), ScalarType::Float, 1);
    case kRowWise: return RequireScalePerRow(call, side, is_self);
    default: return RequireBlockScales(call, side);
  }
}

void RequireRecipes(const Call& call, const Operand& mat1, const Operand& mat2) {
  RequireScaledOperands(call, mat1, mat2);
  const Dim packed = IsFloat4(mat1->dtype) && IsFloat4(mat2->dtype) ? 2 : 1;
  const Dim stored = mat1->sizes[1], k = stored * packed;
  const ScaledSide a = {
      call.ListIn("scale_a"), call.Ints("recipe_a"), call.Ints("swizzle_a"), mat1->sizes[0], k, stored};
  const ScaledSide b = {
      call.ListIn("scale_b"), call.Ints("recipe_b"), call.Ints("swizzle_b"), mat2->sizes[1], k, stored};
  RequireValue(call, IsKnownPair(call, a, b),
      {"has no kernel on {} for scales by the recipes {} and {}", call.device(), call.Arg("recipe_a"),
          call.Arg("recipe_b")});
  RequireSideScales(call, a, true);
  RequireSideScales(call, b, false);
}

void ScaledProductV2(Call& call) {
  const Operand self = call.In("self"), mat2 = call.In("mat2");
  RequireRecipes(call, self, mat2);
  ReturnScaledProduct(call, self, mat2);
}

void ScaledAddProduct(Call& call) {
  const Operand self = call.In("self"), mat1 = call.In("mat1"), mat2 = call.In("mat2");
  RequireRecipes(call, mat1, mat2);
  const std::vector<int64_t> summed = call.Ints("contraction_dim");
  auto is_one_of = [](int64_t dim, int64_t a, int64_t b) { return dim == a || dim == b; };
  RequireValue(call,
      summed.empty() || (summed.size() == 2 && is_one_of(summed[0], 1, -1) && is_one_of(summed[1], 0, -2)),
      "sums over the columns of `mat1` and the rows of `mat2` alone");
  self.Require(HasSizes(self, mat1->sizes[0], mat2->sizes[1]) && IsContiguous(self),
      {"adds a contiguous [{}, {}], not {tensor}", mat1->sizes[0], mat2->sizes[1]});
  self.Takes({ScalarType::BFloat16, ScalarType::Half, ScalarType::Float});
  ReturnContiguous(call, self, self->dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::_scaled_mm", ScaledProduct},
    {"aten::_scaled_mm_v2", ScaledProductV2},
    {"aten::_scaled_addmm", ScaledAddProduct},
};

}  // namespace

RuleRows ScaledMatmulRules() { return kRows; }

}  // namespace fakeprop::rules
