// Products of matrices in groups, where offsets say which rows or columns of a 2-dim operand belong to which group; and
// products with matrices of which every other element is zero.
// Source: _meta_grouped_mm_common, meta_sparse_structured_*, meta__cslt_sparse_mm in torch/_meta_registrations.py;
// _grouped_mm_validate_inputs in aten/src/ATen/native/GroupedMMUtils.h (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/families.h"

namespace fakeprop::rules {
namespace {

[[noreturn]] void FailOperands(const Call& call, const std::string& what) {
  FailShape(call, what + ", not " + ToString(call.Meta(0)) + " and " + ToString(call.Meta(1)));
}

// Rows or columns are dense, and start at multiples of 16 bytes.
void RequireAligned(const Call& call, const TensorMeta& t) {
  const size_t last = t.sizes.size() - 1;
  auto dense = [&](size_t inner, size_t outer) {
    return GuardOrFalse(Eq(t.strides[inner], 1)) && Guard(Ge(t.strides[outer], Max(1, t.sizes[inner])));
  };
  const bool by_columns = dense(last - 1, last);
  if (!by_columns && !dense(last, last - 1))
    FailShape(call, "takes matrices that are dense by rows or by columns, not " + ToString(t));
  const Dim step = t.strides[by_columns ? last : last - 1];
  if (!Expect(Eq(Mod(step * ItemSize(t.dtype), 16), 0)))
    FailShape(call, "takes rows or columns by multiples of 16 bytes, not " + ToString(t) + " with strides " +
                        ToString(t.stride_span()));
}

void RequireGroups(const Call& call, int offsets) {
  const TensorMeta &a = call.Meta(0), &b = call.Meta(1);
  const Tensor* offs = call.OptionalTensor(offsets);
  if (a.rank() == 3 && b.rank() == 3) {
    if (offs) FailValue(call, "takes no offsets for two operands of 3 dimensions");
    return;
  }
  if (!offs) FailOperands(call, "needs offsets unless both operands have 3 dimensions");
  RequireRank(call, offsets, 1);
  if (offs->meta.dtype != ScalarType::Int) FailDtype(call, "takes offsets in int32, not " + ToString(offs->meta));
}

void RequireGroupedOperands(const Call& call) {
  const TensorMeta &a = call.Meta(0), &b = call.Meta(1);
  for (const TensorMeta* t : {&a, &b})
    if (t->rank() != 2 && t->rank() != 3) FailOperands(call, "takes operands of 2 or 3 dimensions");
  const bool sums_groups = a.rank() == 2 && b.rank() == 2;
  if (!sums_groups && !Expect(Eq(a.sizes.back(), b.sizes[b.sizes.size() - 2])))
    FailOperands(call, "takes operands whose inner sizes agree");
  RequireAligned(call, a);
  RequireAligned(call, b);
}

// [groups, rows, columns], or without the groups where offsets divide one of those two.
void ReturnGroups(Call& call, int offsets, ScalarType dtype) {
  const TensorMeta &a = call.Meta(0), &b = call.Meta(1);
  const Tensor* offs = call.OptionalTensor(offsets);
  const Dim rows = a.sizes[a.sizes.size() - 2], columns = b.sizes.back();
  const bool a_groups = a.rank() == 3, b_groups = b.rank() == 3;
  const Dim groups = offs ? offs->meta.sizes[0] : a.sizes[0];
  for (const TensorMeta* t : {&a, &b})
    if (t->rank() == 3 && !Expect(Eq(t->sizes[0], groups)))
      FailOperands(call, "takes operands of one number of groups, " + groups.ToString());
  if (a_groups == b_groups) {
    ReturnContiguous(call, Dims{groups, rows, columns}, dtype);
  } else {
    ReturnContiguous(call, Dims{rows, columns}, dtype);
  }
}

// (self, mat2, offs, bias, out_dtype)
void GroupedProduct(Call& call) {
  const TensorMeta &a = call.Meta(0), &b = call.Meta(1);
  // Python's function takes bfloat16 alone, the kernel for cpu more.
  const bool takes = call.device().is_cpu()
                         ? Dtypes({ScalarType::BFloat16, ScalarType::Float, ScalarType::Half}).Has(a.dtype)
                         : a.dtype == ScalarType::BFloat16;
  if (!takes || a.dtype != b.dtype)
    FailDtype(call, "takes matrices of bfloat16, not " + ToString(a) + " and " + ToString(b));
  RequireGroupedOperands(call);
  RequireGroups(call, 2);
  if (!call.IsNone(3)) FailValue(call, "takes no bias yet");
  if (call.OptionalDtype(4).value_or(a.dtype) != a.dtype)
    FailDtype(call, "gives its operands' dtype " + std::string(DtypeName(a.dtype)) + " alone");
  ReturnGroups(call, 2, a.dtype);
}

// The scales of one operand: a vector over all rows and groups of a 2-dim one, a row for each group of a 3-dim one.
// `scaled`: the dimension that has a scale for each of its indices.
void RequireGroupScales(const Call& call, const TensorMeta& t, const TensorMeta& scale, int64_t scaled, Dim groups) {
  const bool tiled = scale.dtype == ScalarType::Float8_e8m0fnu;
  auto fail = [&](const std::string& what) {
    FailShape(call, what + " for " + ToString(t) + ", not " + ToString(scale));
  };
  if (t.rank() == 2) {
    if (!IsContiguous(scale)) fail("takes contiguous scales");
    if (scale.rank() != (tiled ? 2 : 1)) fail("takes scales in " + std::to_string(tiled ? 2 : 1) + " dimensions");
    const Dim want = t.sizes[scaled] * groups;
    if (!tiled && !Expect(Eq(scale.sizes[0], want))) fail("takes " + want.ToString() + " scales");
    return;
  }
  if (scale.rank() != 2) fail("takes scales in 2 dimensions");
  if (!GuardOrFalse(Eq(scale.strides[1], 1))) fail("takes dense rows of scales");
  // Blocks of 32 in tiles of 4 by 128.
  const Dim tiles = FloorDiv(t.sizes[1] + 96, 128) * 4 * (CeilDiv(t.sizes[2], 128) * 128);
  const Dim want = tiled ? tiles : t.sizes[1 + scaled];
  if (!Expect(Eq(scale.sizes[0], t.sizes[0])) || !Expect(Eq(scale.sizes[1], want)))
    fail("takes [" + t.sizes[0].ToString() + ", " + want.ToString() + "] scales");
}

void RequireScaledLayout(const Call& call) {
  const TensorMeta &a = call.Meta(0), &b = call.Meta(1);
  auto inner = [](const TensorMeta& t, size_t from_end) { return t.strides[t.strides.size() - from_end]; };
  if (!GuardOrFalse(Eq(inner(a, 1), 1)) || !Guard(Gt(inner(a, 2), 1)))
    FailShape(call, "takes `self` by rows, not with strides " + ToString(a.stride_span()));
  if (!GuardOrFalse(Eq(inner(b, 2), 1)) || !Guard(Gt(inner(b, 1), 1)))
    FailShape(call, "takes `mat2` by columns, not with strides " + ToString(b.stride_span()));
}

// (self, mat2, scale_a, scale_b, offs, bias, scale_result, out_dtype, use_fast_accum)
void ScaledGroupedProduct(Call& call) {
  const TensorMeta &a = call.Meta(0), &b = call.Meta(1), &scale_a = call.Meta(2), &scale_b = call.Meta(3);
  if (a.dtype != ScalarType::Float8_e4m3fn || b.dtype != ScalarType::Float8_e4m3fn)
    FailDtype(call, "takes matrices of float8_e4m3fn, not " + ToString(a) + " and " + ToString(b));
  RequireGroupedOperands(call);
  RequireScaledLayout(call);
  if (scale_a.dtype != scale_b.dtype || !Dtypes({ScalarType::Float, ScalarType::Float8_e8m0fnu}).Has(scale_a.dtype))
    FailDtype(
        call, "takes scales in float32 or float8_e8m0fnu, not " + ToString(scale_a) + " and " + ToString(scale_b));
  RequireGroups(call, 4);
  const bool divides_sum = a.rank() == 2 && b.rank() == 2;
  const Dim groups = divides_sum ? call.OptionalTensor(4)->meta.sizes[0] : Dim(1);
  RequireGroupScales(call, a, scale_a, 0, groups);
  RequireGroupScales(call, b, scale_b, 1, groups);
  if (!call.IsNone(5) || !call.IsNone(6)) FailValue(call, "takes neither a bias nor a scale of its result yet");
  if (call.OptionalDtype(7).value_or(ScalarType::BFloat16) != ScalarType::BFloat16)
    FailDtype(call, "gives bfloat16 alone");
  ReturnGroups(call, 4, ScalarType::BFloat16);
}

// ---- matrices with two zeros in each four elements, stored without them: half as many columns.

ScalarType SparseProductDtype(const Call& call, const TensorMeta& dense, int out_dtype) {
  const std::optional<ScalarType> wanted = call.OptionalDtype(out_dtype);
  if (!wanted) return dense.dtype;
  if (dense.dtype != ScalarType::Char || *wanted != ScalarType::Int)
    FailDtype(
        call, "gives int32 of int8 operands alone, not " + std::string(DtypeName(*wanted)) + " of " + ToString(dense));
  return *wanted;
}

void RequireHalved(const Call& call, const TensorMeta& compressed, Dim columns) {
  if (!Expect(Eq(compressed.sizes[1] * 2, columns)))
    FailShape(
        call, "takes a compressed matrix of half of " + columns.ToString() + " columns, not " + ToString(compressed));
}

// (input, weight, meta, *, bias, activation, out_dtype): the result is the transpose of a product
void SparseLinear(Call& call) {
  const TensorMeta &input = call.Meta(0), &weight = call.Meta(1);
  RequireRank(call, 0, 2);
  RequireRank(call, 1, 2);
  const Tensor* bias = call.OptionalTensor(3);
  if (bias && (bias->meta.rank() < 1 || !Expect(Eq(bias->meta.sizes[0], weight.sizes[0]))))
    FailShape(call, "takes a bias of " + weight.sizes[0].ToString() + " elements, not " + ToString(bias->meta));
  RequireHalved(call, weight, input.sizes[1]);
  TensorMeta output = NewMeta(call, Dims{input.sizes[0], weight.sizes[0]}, SparseProductDtype(call, input, 5));
  output.strides = {1, input.sizes[0]};
  call.ReturnNew(std::move(output));
}

// mat1, mat1_meta and mat2 from position `first` on.
void ReturnSparseProduct(Call& call, int first, int out_dtype) {
  for (int i = first; i < first + 3; ++i) RequireRank(call, i, 2);
  const TensorMeta &a = call.Meta(first), &b = call.Meta(first + 2);
  RequireHalved(call, a, b.sizes[0]);
  ReturnContiguous(call, Dims{a.sizes[0], b.sizes[1]}, SparseProductDtype(call, b, out_dtype));
}

void SparseProduct(Call& call) { ReturnSparseProduct(call, 0, 3); }

// (input, mat1, mat1_meta, mat2, *, alpha, beta, out_dtype): `input` is added to each column
void SparseAddProduct(Call& call) {
  RequireRank(call, 0, 1);
  RequireRank(call, 1, 2);
  if (!Expect(Eq(call.Meta(0).sizes[0], call.Meta(1).sizes[0])))
    FailOperands(call, "adds a vector to each column of a product");
  ReturnSparseProduct(call, 1, 6);
}

// (compressed_A, dense_B, bias, alpha, out_dtype, transpose_result, ...), for cuSPARSELt
void CompressedProduct(Call& call) {
  const TensorMeta &a = call.Meta(0), &b = call.Meta(1);
  constexpr auto kFloat8 = ScalarType::Float8_e4m3fn;
  if (!Dtypes({ScalarType::Float, ScalarType::Half, ScalarType::BFloat16, ScalarType::Char, kFloat8}).Has(b.dtype))
    FailDtype(call, "takes float32, float16, bfloat16, int8 or float8_e4m3fn, not " + ToString(b));
  RequireSameDtype(call, 0, 1);
  RequireRank(call, 1, 2);
  if (a.rank() == 0) FailShape(call, "takes a compressed matrix, not " + ToString(a));
  const Tensor* bias = call.OptionalTensor(2);
  if (bias && (bias->meta.rank() < 1 || !Expect(Eq(bias->meta.sizes[0], a.sizes[0]))))
    FailShape(call, "takes a bias of " + a.sizes[0].ToString() + " elements, not " + ToString(bias->meta));
  const std::optional<ScalarType> wanted = call.OptionalDtype(4);
  const bool narrow = Dtypes({ScalarType::Char, kFloat8}).Has(a.dtype);
  if (wanted &&
      !(narrow &&
          Dtypes({ScalarType::Half, ScalarType::BFloat16, ScalarType::Float, ScalarType::Int, kFloat8}).Has(*wanted)))
    FailDtype(call, "does not give " + std::string(DtypeName(*wanted)) + " of " + ToString(a));
  Dims sizes = {a.sizes[0], b.sizes[1]};
  if (call.Bool(5)) std::swap(sizes[0], sizes[1]);
  ReturnContiguous(call, sizes, wanted.value_or(b.dtype));
}

constexpr RuleRow kRows[] = {
    {"aten::_grouped_mm", GroupedProduct},
    {"aten::_scaled_grouped_mm", ScaledGroupedProduct},
    {"aten::_sparse_semi_structured_linear", SparseLinear},
    {"aten::_sparse_semi_structured_mm", SparseProduct},
    {"aten::_sparse_semi_structured_addmm", SparseAddProduct},
    {"aten::_cslt_sparse_mm", CompressedProduct},
};

}  // namespace

RuleRows GroupedMatmulRules() { return kRows; }

}  // namespace fakeprop::rules
