// Products of matrices in groups, and products with matrices of which half the elements are zero.
// A 2-dim operand holds the matrices of all groups; offsets say where each group ends.
// Source: _meta_grouped_mm_common, meta_sparse_structured_*, meta__cslt_sparse_mm in torch/_meta_registrations.py;
// _grouped_mm_validate_inputs in aten/src/ATen/native/GroupedMMUtils.h (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"

namespace fakeprop::rules {
namespace {

// Rows or columns are dense, and start at multiples of 16 bytes.
void RequireAligned(const Operand& t) {
  const size_t last = t->sizes.size() - 1;
  auto dense = [&](size_t inner, size_t outer) {
    return GuardOrFalse(Eq(t->strides[inner], 1)) && Guard(Ge(t->strides[outer], Max(1, t->sizes[inner])));
  };
  const bool by_columns = dense(last - 1, last);
  t.Require(by_columns || dense(last, last - 1), "takes matrices that are dense by rows or by columns, not {tensor}");
  const Dim step = t->strides[by_columns ? last : last - 1];
  t.Require(Divides(16, step * ItemSize(t->dtype)),
      {"takes rows or columns by multiples of 16 bytes, not {tensor} with strides {}", t->strides});
}

void RequireGroups(const Call& call, const TensorMeta& a, const TensorMeta& b) {
  const Operand offs = call.OptionalIn("offs");
  if (a.rank() == 3 && b.rank() == 3)
    return RequireValue(call, !offs, "takes no offsets for two operands of 3 dimensions");
  if (!offs) FailShape(call, {"needs offsets unless both operands have 3 dimensions, not {} and {}", a, b});
  offs.Rank(1).Takes(ScalarType::Int, "takes offsets in int32, not {tensor}");
}

void RequireGroupedOperands(const Operand& a, const Operand& b) {
  Operands{a, b}.RankBetween(2, 3, {"takes operands of 2 or 3 dimensions, not {} and {}", *a, *b});
  const bool sums_groups = a->rank() == 2 && b->rank() == 2;
  b.Require(sums_groups || Expect(Eq(a->sizes.back(), b->sizes[b->sizes.size() - 2])),
      {"takes operands whose inner sizes agree, not {} and {tensor}", *a});
  for (const Operand& t : {a, b}) RequireAligned(t);
}

// Kernels for cuda write rows that start at multiples of 16 bytes.
void ReturnAlignedRows(Call& call, const Dims& sizes, ScalarType dtype) {
  TensorMeta result = NewMeta(call, sizes, dtype);
  if (result.device.is_cuda()) {
    const Dim step = 16 / ItemSize(dtype);
    Dim stride = CeilDiv(sizes.back(), step) * step;
    for (size_t d = sizes.size() - 1; d-- > 0; stride = stride * sizes[d]) result.strides[d] = stride;
  }
  call.ReturnNew(std::move(result));
}

// Returns [groups, rows, columns], or [rows, columns] where offsets divide the rows or the columns into groups.
void ReturnGroups(Call& call, ScalarType dtype) {
  const Operand a = call.In("self"), b = call.In("mat2"), offs = call.OptionalIn("offs");
  const Dim rows = a->sizes[a->sizes.size() - 2], columns = b->sizes.back();
  const Dim groups = offs ? offs->sizes[0] : a->sizes[0];
  for (const Operand& t : {a, b})
    if (t->rank() == 3)
      t.Size(0, groups, {"takes operands of one number of groups, {}, not {} and {}", groups, *a, *b});
  ReturnAlignedRows(call, a->rank() == b->rank() ? Dims{groups, rows, columns} : Dims{rows, columns}, dtype);
}

// The kernels give one dtype, whatever `out_dtype` may say.
void RequireOutDtype(const Call& call, ScalarType dtype, const Text& otherwise) {
  RequireDtype(call, call.OptionalDtype("out_dtype").value_or(dtype) == dtype, otherwise);
}

void GroupedProduct(Call& call) {
  const Operand a = call.In("self"), b = call.In("mat2");
  // Python's function takes bfloat16 only. The kernel for cpu takes more.
  const Dtypes taken =
      call.OnCpu() ? Dtypes({ScalarType::BFloat16, ScalarType::Float, ScalarType::Half}) : Dtypes(ScalarType::BFloat16);
  const Text text{"takes matrices of bfloat16, not {} and {}", *a, *b};
  a.Takes(taken, text).SameDtypeAs(b, text);
  RequireGroupedOperands(a, b);
  RequireGroups(call, a, b);
  RequireValue(call, !call.Has("bias"), "takes no bias yet");
  RequireOutDtype(call, a->dtype, {"gives its operands' dtype {} alone", a->dtype});
  ReturnGroups(call, a->dtype);
}

// The scales of one operand. A 2-dim operand has one vector for the rows of all groups, a 3-dim operand a row of scales
// for each group. `scaled`: the dimension of the matrices that has a scale for each of its indices.
void RequireGroupScales(const TensorMeta& t, const Operand& scale, int64_t scaled, Dim groups) {
  const bool tiled = scale->dtype == ScalarType::Float8_e8m0fnu;
  const int64_t rank = t.rank() == 2 && !tiled ? 1 : 2;
  if (t.rank() == 2) scale.Contiguous({"takes contiguous scales for {}, not {tensor}", t});
  scale.Rank(rank, {"takes scales in {} dimensions for {}, not {tensor}", rank, t});
  if (t.rank() == 2) {
    const Dim want = t.sizes[scaled] * groups;
    return void(tiled ? scale : scale.Size(0, want, {"takes {} scales for {}, not {tensor}", want, t}));
  }
  scale.Require(GuardOrFalse(Eq(scale->strides[1], 1)), {"takes dense rows of scales for {}, not {tensor}", t});
  // Blocks of 32 in tiles of 4 by 128.
  const Dim tiles = FloorDiv(t.sizes[1] + 96, 128) * 4 * (CeilDiv(t.sizes[2], 128) * 128);
  const Dim want = tiled ? tiles : t.sizes[1 + scaled];
  scale.Sizes({t.sizes[0], want}, {"takes [{}, {}] scales for {}, not {tensor}", t.sizes[0], want, t});
}

// `inner`, `outer`: dimensions, counted from the end.
void RequireScaledLayout(const Operand& t, size_t inner, size_t outer, const char* order) {
  const auto stride = [&](size_t from_end) { return t->strides[t->strides.size() - from_end]; };
  t.Require(GuardOrFalse(Eq(stride(inner), 1)) && Guard(Gt(stride(outer), 1)),
      {"takes {name} by {}, not with strides {}", order, t->strides});
}

void ScaledGroupedProduct(Call& call) {
  const Operand a = call.In("self"), b = call.In("mat2"), scale_a = call.In("scale_a"), scale_b = call.In("scale_b");
  call.Each({"self", "mat2"})
      .Takes(ScalarType::Float8_e4m3fn, {"takes matrices of float8_e4m3fn, not {} and {}", *a, *b});
  RequireGroupedOperands(a, b);
  RequireScaledLayout(a, 1, 2, "rows");
  RequireScaledLayout(b, 2, 1, "columns");
  const Text scales_text{"takes scales in float32 or float8_e8m0fnu, not {} and {}", *scale_a, *scale_b};
  scale_a.SameDtypeAs(scale_b, scales_text).Takes({ScalarType::Float, ScalarType::Float8_e8m0fnu}, scales_text);
  RequireGroups(call, a, b);
  const bool divides_sum = a->rank() == 2 && b->rank() == 2;
  const Dim groups = divides_sum ? call.OptionalIn("offs")->sizes[0] : Dim(1);
  RequireGroupScales(a, scale_a, 0, groups);
  RequireGroupScales(b, scale_b, 1, groups);
  RequireValue(
      call, !call.Has("bias") && !call.Has("scale_result"), "takes neither a bias nor a scale of its result yet");
  RequireOutDtype(call, ScalarType::BFloat16, "gives bfloat16 alone");
  ReturnGroups(call, ScalarType::BFloat16);
}

// By recipes, as scaled_matmul.cc has them. Which scales they take, only the kernel for cuda says.
// Source: meta_scaled_grouped_mm_v2 (torch 2.15).
void ScaledGroupedProductV2(Call& call) {
  const Operand a = call.In("self"), b = call.In("mat2");
  Operands{a, b}.RankBetween(2, 3, {"takes operands of 2 or 3 dimensions, not {} and {}", *a, *b});
  RequireGroups(call, a, b);
  ReturnGroups(call, call.OptionalDtype("out_dtype").value_or(ScalarType::BFloat16));
}

// ---- compressed matrices: two of each four elements are zero and are not stored, so half the columns are left

ScalarType SparseProductDtype(const Call& call, const TensorMeta& dense) {
  const std::optional<ScalarType> wanted = call.OptionalDtype("out_dtype");
  if (!wanted) return dense.dtype;
  RequireDtype(call, dense.dtype == ScalarType::Char && *wanted == ScalarType::Int,
      {"gives int32 of int8 operands alone, not {} of {}", *wanted, dense});
  return *wanted;
}

void RequireHalved(const Operand& compressed, Dim columns) {
  compressed.Require(Eq(compressed->sizes[1] * 2, columns),
      {"takes a compressed matrix of half of {} columns, not {tensor}", columns});
}

void RequireRowBias(const Call& call, Dim rows) {
  const Text text{"takes a bias of {} elements, not {tensor}", rows};
  if (const Operand bias = call.OptionalIn("bias").RankAtLeast(1, text)) bias.Size(0, rows, text);
}

// The result is the transpose of a product.
void SparseLinear(Call& call) {
  const Operand input = call.In("input"), weight = call.In("weight");
  const auto [rows, inner] = input.Sizes<2>();
  const Dim columns = weight.Sizes<2>()[0];
  RequireRowBias(call, columns);
  RequireHalved(weight, inner);
  TensorMeta output = NewMeta(call, Dims{rows, columns}, SparseProductDtype(call, input));
  output.strides = {1, rows};
  call.ReturnNew(std::move(output));
}

void SparseProduct(Call& call) {
  call.Each({"mat1", "mat1_meta", "mat2"}).Rank(2);
  const Operand a = call.In("mat1"), b = call.In("mat2");
  RequireHalved(a, b->sizes[0]);
  ReturnContiguous(call, {a->sizes[0], b->sizes[1]}, SparseProductDtype(call, b));
}

// `input` is added to each column.
void RequireColumn(const Call& call) {
  const Operand input = call.In("input").Rank(1), matrix = call.In("mat1").Rank(2);
  input.Size(0, matrix->sizes[0], {"adds a vector to each column of a product, not {tensor} and {}", *matrix});
}

// For cuSPARSELt.
void CompressedProduct(Call& call) {
  const Operand a = call.In("compressed_A"), b = call.In("dense_B");
  constexpr Dtypes kNarrow = {ScalarType::Char, ScalarType::Float8_e4m3fn};
  constexpr Dtypes kWide = {ScalarType::Half, ScalarType::BFloat16, ScalarType::Float};
  b.Takes(kWide | kNarrow, "takes float32, float16, bfloat16, int8 or float8_e4m3fn, not {tensor}");
  a.SameDtypeAs(b);
  b.Rank(2);
  a.RankAtLeast(1, "takes a compressed matrix, not {tensor}");
  RequireRowBias(call, a->sizes[0]);
  const std::optional<ScalarType> wanted = call.OptionalDtype("out_dtype");
  constexpr Dtypes kGiven = kWide | Dtypes{ScalarType::Int, ScalarType::Float8_e4m3fn};
  if (wanted && !(kNarrow.Has(a->dtype) && kGiven.Has(*wanted)))
    FailDtype(call, {"does not give {} of {}", *wanted, *a});
  Dims sizes = {a->sizes[0], b->sizes[1]};
  if (call.Bool("transpose_result")) std::swap(sizes[0], sizes[1]);
  ReturnContiguous(call, sizes, wanted.value_or(b->dtype));
}

constexpr RuleRow kRows[] = {
    {"aten::_grouped_mm", GroupedProduct},
    {"aten::_scaled_grouped_mm", ScaledGroupedProduct},
    {"aten::_scaled_grouped_mm_v2", ScaledGroupedProductV2},
    {"aten::_sparse_semi_structured_linear", SparseLinear},
    {"aten::_sparse_semi_structured_mm", SparseProduct},
    {"aten::_sparse_semi_structured_addmm", InOrder<RequireColumn, SparseProduct>},
    {"aten::_cslt_sparse_mm", CompressedProduct},
};

}  // namespace

RuleRows GroupedMatmulRules() { return kRows; }

}  // namespace fakeprop::rules
