// Operators whose result is sparse or quantized: they check their plain tensors, and then there is no form for the
// result. Source: aten/src/ATen/native/TensorConversions.cpp (dense_to_sparse*), native/sparse/SparseTensorMath.cpp,
// native/quantized/TensorFactories.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/families.h"

namespace fakeprop::rules {
namespace {

[[noreturn]] void FailResult(const Call& call, std::string_view kind) {
  Fail(ErrorClass::kUnsupportedOperator,
      OpName(call) + " gives a " + std::string(kind) + " tensor, which has no strides");
}

// Dense dimensions at the end, behind `batch` others and the two that are compressed.
void RequireDenseDim(const Call& call, int position, int64_t most) {
  const auto dense = call.OptionalInt(position);
  if (dense && (*dense < 0 || *dense > most))
    FailValue(call, "takes from 0 to " + std::to_string(most) + " dense dimensions, not " + std::to_string(*dense));
}

void RequireTwoDimensions(const Call& call) {
  if (call.Meta(0).rank() < 2)
    FailShape(call, "takes at least 2 dimensions, not " + ToString(call.Meta(0).size_span()));
}

// (self, dense_dim)
void ToCompressed(Call& call) {
  RequireTwoDimensions(call);
  RequireDenseDim(call, 1, call.Meta(0).rank() - 2);
  FailResult(call, "sparse compressed");
}

// A pair of positive sizes that divide the last two dimensions before the dense ones.
void RequireBlocks(const Call& call, const Dims& blocks, int64_t dense) {
  if (blocks.size() != 2) FailValue(call, "takes a pair of block sizes, not " + ToString(blocks));
  const TensorMeta& self = call.Meta(0);
  for (int d : {0, 1}) {
    if (!Expect(Gt(blocks[d], 0))) FailValue(call, "takes positive block sizes, not " + ToString(blocks));
    if (!Expect(Eq(Mod(self.sizes[self.rank() - dense - 2 + d], blocks[d]), 0)))
      FailShape(
          call, "divides " + ToString(self.size_span()) + " into blocks of " + ToString(blocks) + " without rest");
  }
}

// (self, blocksize, dense_dim)
void ToBlocks(Call& call) {
  const Dims blocks = call.DimList(1);
  if (blocks.size() != 2) FailValue(call, "takes a pair of block sizes, not " + ToString(blocks));
  RequireTwoDimensions(call);
  RequireDenseDim(call, 2, call.Meta(0).rank() - 2);
  RequireBlocks(call, blocks, call.OptionalInt(2).value_or(0));
  FailResult(call, "sparse compressed");
}

// (self, sparse_dim)
void ToCoordinates(Call& call) {
  const int64_t rank = call.Meta(0).rank(), sparse = call.Int(1);
  // A number has none, or one where that is asked for.
  if (sparse < 0 || sparse > rank || (sparse == 0 && rank > 0))
    FailValue(call, "takes from 1 to " + std::to_string(rank) + " sparse dimensions, not " + std::to_string(sparse));
  FailResult(call, "sparse");
}

// (self, layout, blocksize, dense_dim)
void ToSparse(Call& call) {
  if (const auto blocks = call.OptionalDimList(2)) {
    if (blocks->size() != 2) FailValue(call, "takes a pair of block sizes, not " + ToString(*blocks));
    RequireTwoDimensions(call);
    RequireBlocks(call, *blocks, 0);
    const auto layout = call.OptionalLayout(1);
    if (layout != Layout::SparseBsr && layout != Layout::SparseBsc)
      FailValue(call, "takes blocks for a layout of blocks alone");
  }
  if (call.OptionalInt(3)) RequireDenseDim(call, 3, call.Meta(0).rank());
  FailResult(call, "sparse");
}

// What is copied into a strided tensor has to be strided as well.
void IntoStrided(Call& call) {
  Fail(ErrorClass::kTypeError, OpName(call) + " writes a sparse tensor, and not to " + ToString(call.Meta("out")));
}

// The dtype comes at `dtype`, else it is the default one: neither is quantized.
template <int Dtype>
void EmptyQuantized(Call& call) {
  const ScalarType dtype = call.OptionalDtype(Dtype).value_or(call.state().default_dtype);
  if (!c10::isQIntType(dtype))
    FailDtype(call, "makes tensors of a quantized dtype, not " + std::string(DtypeName(dtype)));
  FailResult(call, "quantized");
}
void EmptyQuantizedOut(Call& call) {
  FailDtype(call, "makes tensors of a quantized dtype, not " + ToString(call.Meta("out")));
}

// Takes a sparse tensor where these are all plain.
void WantsSparse(Call& call) {
  Fail(ErrorClass::kTypeError, OpName(call) + " takes a sparse tensor, not " + ToString(call.Meta(0)));
}

// (self, scale, ...): what holds numbers that are quantized.
void Quantized(Call& call) {
  const ScalarType dtype = call.Meta(0).dtype;
  if (dtype != ScalarType::Byte && dtype != ScalarType::Char && dtype != ScalarType::Int)
    FailDtype(call, "takes numbers of a quantized dtype, not " + ToString(call.Meta(0)));
  FailResult(call, "quantized");
}

// Source: dense_to_mkldnn (native/mkldnn/MKLDNNConversions.cpp).
void ToMkldnn(Call& call) {
  const ScalarType dtype = call.Meta(0).dtype;
  for (ScalarType taken :
      {ScalarType::Float, ScalarType::BFloat16, ScalarType::Half, ScalarType::Byte, ScalarType::Char})
    if (dtype == taken) FailResult(call, "oneDNN");
  FailDtype(call, "takes float32, bfloat16, float16, uint8 and int8, not " + ToString(call.Meta(0)));
}

// (diagonals, offsets, shape, layout). Source: spdiags (native/sparse/SparseTensorMath.cpp).
void SparseDiagonals(Call& call) {
  const TensorMeta &diagonals = call.Meta(0), &offsets = call.Meta(1);
  if (diagonals.rank() < 1 || diagonals.rank() > 2)
    FailShape(call, "takes a row or a matrix of diagonals, not " + ToString(diagonals));
  if (call.DimList(2).size() != 2)
    FailValue(call, "gives a matrix, not a tensor of shape " + ToString(call.DimList(2)));
  if (offsets.rank() > 1) FailShape(call, "takes a number or a row of offsets, not " + ToString(offsets));
  const Dim rows = diagonals.rank() == 2 ? diagonals.sizes[0] : Dim(1);
  if (!Expect(Eq(rows, SizeAt(offsets, 0))))
    FailShape(call, "takes an offset for each of " + rows.ToString() + " diagonals, not " + ToString(offsets));
  if (offsets.dtype != ScalarType::Long) FailDtype(call, "takes int64 offsets, not " + ToString(offsets));
  FailResult(call, "sparse");
}

// Parameters as lists of tensors are refused whatever they are.
void LegacyLayers(Call& call) {
  Fail(ErrorClass::kTypeError, OpName(call) + " takes no list of tensors as parameters any more");
}

constexpr RuleRow kRows[] = {
    {"aten::_to_sparse", ToSparse},
    {"aten::to_sparse", ToSparse},
    {"aten::_to_sparse.sparse_dim", ToCoordinates},
    {"aten::to_sparse.sparse_dim", ToCoordinates},
    {"aten::_to_sparse_csr", ToCompressed},
    {"aten::to_sparse_csr", ToCompressed},
    {"aten::_to_sparse_csc", ToCompressed},
    {"aten::to_sparse_csc", ToCompressed},
    {"aten::_to_sparse_bsr", ToBlocks},
    {"aten::to_sparse_bsr", ToBlocks},
    {"aten::_to_sparse_bsc", ToBlocks},
    {"aten::to_sparse_bsc", ToBlocks},
    {"aten::to_mkldnn", ToMkldnn},
    {"aten::_spdiags", SparseDiagonals},
    {"aten::_to_sparse.out", IntoStrided},
    {"aten::_to_sparse.sparse_dim_out", IntoStrided},
    {"aten::_to_sparse_csr.out", IntoStrided},
    {"aten::_to_sparse_csc.out", IntoStrided},
    {"aten::_to_sparse_bsr.out", IntoStrided},
    {"aten::_to_sparse_bsc.out", IntoStrided},
    {"aten::_empty_affine_quantized", EmptyQuantized<1>},
    {"aten::_empty_affine_quantized.out", EmptyQuantizedOut},
    {"aten::_empty_per_channel_affine_quantized", EmptyQuantized<4>},
    {"aten::_empty_per_channel_affine_quantized.out", EmptyQuantizedOut},
    {"aten::smm", WantsSparse},
    {"aten::sspaddmm", WantsSparse},
    {"aten::_make_per_tensor_quantized_tensor", Quantized},
    {"aten::_make_per_channel_quantized_tensor", Quantized},
    {"aten::quantized_gru.data_legacy", LegacyLayers, Devices::kAny},
    {"aten::quantized_gru.input_legacy", LegacyLayers, Devices::kAny},
    {"aten::quantized_lstm.data_legacy", LegacyLayers, Devices::kAny},
    {"aten::quantized_lstm.input_legacy", LegacyLayers, Devices::kAny},
};

}  // namespace

RuleRows SparseRules() { return kRows; }

}  // namespace fakeprop::rules
