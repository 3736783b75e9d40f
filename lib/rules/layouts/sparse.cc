// Conversions of strided tensors into other layouts, and operators that take other layouts alone. Results that are
// quantized are errors: fakeprop's metadata has no scales. Source: aten/src/ATen/native/TensorConversions.cpp
// (dense_to_sparse*), native/sparse/SparseTensorMath.cpp, native/quantized/TensorFactories.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/sparse_results.h"

namespace fakeprop::rules {
namespace {

[[noreturn]] void FailResult(const Call& call, std::string_view kind) {
  FailAs(call, ErrorClass::kUnsupportedOperator, {"gives a {} tensor, which has no strides", kind});
}

Operand MatricesIn(const Call& call) { return call.In("self").RankAtLeast(2, "takes at least 2 dimensions, not {}"); }

// Dense dimensions come last, behind those that are compressed.
void RequireDenseDim(const Call& call, int64_t most) {
  const auto dense = call.OptionalInt("dense_dim");
  RequireValue(call, !dense || (*dense >= 0 && *dense <= most),
      {"takes from 0 to {} dense dimensions, not {}", most, dense.value_or(0)});
}

void RequireDenseDims(const Call& call) { RequireDenseDim(call, MatricesIn(call)->rank() - 2); }
void FailQuantized(Call& call) { FailResult(call, "quantized"); }

// How many elements are not zero depends on data.
void ReturnInLayout(Call& call, Layout layout, const Dims& block) {
  const Operand self = MatricesIn(call);
  const int64_t dense = call.Has("dense_dim") ? call.Int("dense_dim") : 0;
  const DimSpan matrix = self->size_span().subspan(self->sizes.size() - static_cast<size_t>(dense) - 2, 2);
  Dim most = Numel(matrix);
  for (Dim size : block) most = FloorDiv(most, size);
  ReturnCompressed(call, {self->sizes, self->dtype, layout, UnknownNnz(call, Dims{most}), dense, block});
}

template <Layout kLayout>
void ToRowsOrColumns(Call& call) {
  RequireDenseDims(call);
  ReturnInLayout(call, kLayout, {});
}

void ReturnCoordinates(Call& call, int64_t sparse_dim) {
  const Operand self = call.In("self");
  const DimSpan addressed = self->size_span().first(static_cast<size_t>(sparse_dim));
  ReturnCoo(call, {self->sizes, self->dtype, sparse_dim, UnknownNnz(call, addressed), true});
}

void ToMkldnn(Call& call) {
  const Operand self = call.In("self");
  call.ReturnNew(MetaOfLayout(self->sizes, TryDtype(call).value_or(self->dtype), self->device, Layout::Mkldnn));
}

Dims BlocksOf(const Call& call) { return call.DimList("blocksize", 2, "takes a pair of block sizes, not {}"); }

// A pair of positive sizes that divide the last two dimensions before the dense ones.
void RequireBlocks(const Call& call, const Operand& self, const Dims& blocks, int64_t dense) {
  for (int d : {0, 1}) {
    RequireValue(call, Gt(blocks[d], 0), {"takes positive block sizes, not {}", blocks});
    self.Require(Divides(blocks[d], self->sizes[self->rank() - dense - 2 + d]),
        {"divides {} into blocks of {} without rest", self->sizes, blocks});
  }
}

template <Layout kLayout>
void ToBlocks(Call& call) {
  const Dims blocks = BlocksOf(call);
  RequireDenseDims(call);
  RequireBlocks(call, call.In("self"), blocks, call.OptionalInt("dense_dim").value_or(0));
  ReturnInLayout(call, kLayout, blocks);
}

void ToCoordinates(Call& call) {
  const int64_t rank = call.In("self")->rank(), sparse = call.Int("sparse_dim");
  // Only a number has none.
  RequireValue(call, sparse >= 0 && sparse <= rank && (sparse > 0 || rank == 0),
      {"takes from 1 to {} sparse dimensions, not {}", rank, sparse});
  ReturnCoordinates(call, sparse);
}

void ToSparse(Call& call) {
  const bool has_blocks = call.Has("blocksize");
  if (has_blocks) {
    const Dims blocks = BlocksOf(call);
    RequireBlocks(call, MatricesIn(call), blocks, 0);
    const auto layout = call.OptionalLayout("layout");
    RequireValue(
        call, layout == Layout::SparseBsr || layout == Layout::SparseBsc, "takes blocks for a layout of blocks alone");
  }
  const Operand self = call.In("self");
  if (call.Has("dense_dim")) RequireDenseDim(call, self->rank());
  const Layout layout = call.OptionalLayout("layout").value_or(Layout::Sparse);
  if (layout == Layout::Strided) return void(call.ReturnArgument(self.tensor()));
  if (layout == Layout::Sparse)
    return ReturnCoordinates(call, self->rank() - call.OptionalInt("dense_dim").value_or(0));
  RequireDenseDims(call);
  RequireValue(call, !IsInBlocks(layout) || has_blocks, "takes block sizes for a layout of blocks");
  ReturnInLayout(call, layout, has_blocks ? BlocksOf(call) : Dims{});
}

// A copy into a strided tensor must come from a strided one.
void IntoStrided(Call& call) {
  FailAs(call, ErrorClass::kTypeError, {"writes a sparse tensor, and not to {}", *call.In("out")});
}

// Neither the dtypes that a call can name nor the default one are quantized.
void EmptyQuantized(Call& call) {
  const ScalarType dtype = call.OptionalDtype("dtype").value_or(call.state().default_dtype);
  RequireDtype(call, kQuantizedDtypes.Has(dtype), {"makes tensors of a quantized dtype, not {}", dtype});
  FailQuantized(call);
}

void EmptyQuantizedOut(Call& call) { FailDtype(call, {"makes tensors of a quantized dtype, not {}", *call.In("out")}); }

// Gives a tensor of the quantized dtype that stores such numbers.
constexpr DtypeClass kStored{
    {ScalarType::Byte, ScalarType::Char, ScalarType::Int}, "takes numbers of a quantized dtype, not {tensor}"};

// Source: dense_to_mkldnn (native/mkldnn/MKLDNNConversions.cpp).
constexpr DtypeClass kOfMkldnn{kHalfDtypes | Dtypes{ScalarType::Float, ScalarType::Byte, ScalarType::Char},
    "takes float32, bfloat16, float16, uint8 and int8, not {tensor}"};

void ReturnDiagonalsIn(Call& call, Layout layout, const Dims& shape) {
  RequireValue(call, layout == Layout::SparseCsr || layout == Layout::SparseCsc,
      {"gives sparse_coo, sparse_csr or sparse_csc, not {}", Value(layout)});
  ReturnCompressed(call, {shape, call.In("diagonals")->dtype, layout, UnknownNnz(call, shape)});
}

// Source: spdiags (native/sparse/SparseTensorMath.cpp).
void SparseDiagonals(Call& call) {
  const Operand diagonals = call.In("diagonals"), offsets = call.In("offsets");
  diagonals.RankBetween(1, 2, "takes a row or a matrix of diagonals, not {tensor}");
  const Dims shape = call.DimList("shape", 2, "gives a matrix, not a tensor of shape {}");
  offsets.RankAtMost(1, "takes a number or a row of offsets, not {tensor}");
  const Dim rows = diagonals->rank() == 2 ? diagonals->sizes[0] : Dim(1);
  offsets.NumelIs(rows, {"takes an offset for each of {} diagonals, not {tensor}", rows});
  offsets.Takes(ScalarType::Long, "takes int64 offsets, not {tensor}");
  const auto layout = call.OptionalLayout("layout").value_or(Layout::Sparse);
  if (layout != Layout::Sparse) return ReturnDiagonalsIn(call, layout, shape);
  ReturnCoo(call, {shape, diagonals->dtype, 2, UnknownNnz(call, shape), false});
}

// Any list of tensors is refused as parameters.
void LegacyLayers(Call& call) {
  FailAs(call, ErrorClass::kTypeError, "takes no list of tensors as parameters any more");
}

// ---- plain and compressed indices

void ReturnIndices(Call& call, const Operand& from, const Dims& sizes) {
  if (call.OnCpu()) from.Takes(kIntegral.dtypes - ScalarType::Bool, "converts indices of integers, not {}");
  for (const Dim size : sizes)
    RequireValue(call, !Known(Lt(size, 0)), {"makes no tensor with negative dimension {}: {}", size, sizes});
  ReturnContiguous(call, sizes, call.Bool("out_int32") ? ScalarType::Int : ScalarType::Long);
}

// Source: TORCH_META_FUNC(_convert_indices_from_coo_to_csr).
void CompressIndices(Call& call) {
  const Operand rows =
      call.In("self").RankAtMost(1, "takes a vector of indices, not {}: Input is supposed to be a vector");
  ReturnIndices(call, rows, Dims{call.DimArg("size") + 1});
}

// The number of each batch is repeated for its indices, and copied over all indices.
void RequireBatchOf(const Operand& compressed, const Operand& plain) {
  // Without rows or indices there is nothing to number.
  const bool has_rows = GuardOrTrue(Gt(compressed->sizes.back(), 1)),
             has_indices = GuardOrTrue(Ne(plain->sizes.back(), 0));
  if (!has_rows || !has_indices) return;
  const Dim batches = Numel(compressed->size_span().first(compressed->rank() - 1));
  const Dims repeated = {batches * plain->sizes.back()}, all = {plain.Numel()};
  plain.Require(CanExpandTo(repeated, all), {"takes col_indices for {} batches, but got shape {}", batches});
}

// Source: TORCH_META_FUNC(_convert_indices_from_csr_to_coo).
void ExpandIndices(Call& call) {
  const Operand compressed = call.In("crow_indices"), plain = call.In("col_indices");
  compressed.Rank(plain->rank(), {"takes crow_indices and col_indices of the same dimensionality, but got shape {}"});
  if (call.OnCpu() && plain->rank() > 1) RequireBatchOf(compressed, plain);
  ReturnIndices(call, compressed, Dims{plain->rank() + 1, plain.Numel()});
}

constexpr RuleRow kRows[] = {
    {"aten::_to_sparse", ToSparse},
    {"aten::to_sparse", ToSparse},
    {"aten::_to_sparse.sparse_dim", ToCoordinates},
    {"aten::to_sparse.sparse_dim", ToCoordinates},
    {"aten::_convert_indices_from_coo_to_csr", CompressIndices},
    {"aten::_convert_indices_from_csr_to_coo", ExpandIndices},
    {"aten::_to_sparse_csr", ToRowsOrColumns<Layout::SparseCsr>},
    {"aten::to_sparse_csr", ToRowsOrColumns<Layout::SparseCsr>},
    {"aten::_to_sparse_csc", ToRowsOrColumns<Layout::SparseCsc>},
    {"aten::to_sparse_csc", ToRowsOrColumns<Layout::SparseCsc>},
    {"aten::_to_sparse_bsr", ToBlocks<Layout::SparseBsr>},
    {"aten::to_sparse_bsr", ToBlocks<Layout::SparseBsr>},
    {"aten::_to_sparse_bsc", ToBlocks<Layout::SparseBsc>},
    {"aten::to_sparse_bsc", ToBlocks<Layout::SparseBsc>},
    {"aten::to_mkldnn", InOrder<RequireSelf<kOfMkldnn>, ToMkldnn>},
    {"aten::_spdiags", SparseDiagonals},
    {"aten::_to_sparse.out", IntoStrided},
    {"aten::_to_sparse.sparse_dim_out", IntoStrided},
    {"aten::_to_sparse_csr.out", IntoStrided},
    {"aten::_to_sparse_csc.out", IntoStrided},
    {"aten::_to_sparse_bsr.out", IntoStrided},
    {"aten::_to_sparse_bsc.out", IntoStrided},
    {"aten::_empty_affine_quantized", EmptyQuantized},
    {"aten::_empty_affine_quantized.out", EmptyQuantizedOut},
    {"aten::_empty_per_channel_affine_quantized", EmptyQuantized},
    {"aten::_empty_per_channel_affine_quantized.out", EmptyQuantizedOut},
    {"aten::_make_per_tensor_quantized_tensor", InOrder<RequireSelf<kStored>, FailQuantized>},
    {"aten::_make_per_channel_quantized_tensor", InOrder<RequireSelf<kStored>, FailQuantized>},
    {"aten::quantized_gru.data_legacy", LegacyLayers, Devices::kAny},
    {"aten::quantized_gru.input_legacy", LegacyLayers, Devices::kAny},
    {"aten::quantized_lstm.data_legacy", LegacyLayers, Devices::kAny},
    {"aten::quantized_lstm.input_legacy", LegacyLayers, Devices::kAny},
};

}  // namespace

RuleRows SparseRules() { return kRows; }

}  // namespace fakeprop::rules
