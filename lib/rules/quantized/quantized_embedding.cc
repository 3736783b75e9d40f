// Embeddings whose tables are packed, as objects or as rows of bytes with their scale and offset at the end.
// Source: aten/src/ATen/native/quantized/cpu/{qembeddingbag,qembeddingbag_prepack,qembeddingbag_unpack}.cpp
// (torch 2.15).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/packed_items.h"

namespace fakeprop::rules {
namespace {

constexpr Dtypes kIndex{ScalarType::Int, ScalarType::Long};

// How a row of n numbers is stored: n * kBits / 8 bytes, and a scale and an offset of half these bytes each.
template <int kBits>
struct Rows {
  static constexpr int64_t kPerByte = 8 / kBits;
  static constexpr int64_t kParameterBytes = kBits == 8 ? 8 : 4;
};

Operand IndicesOf(const Call& call) {
  const Operand indices = call.In("indices").Takes(kIndex, "takes indices of int32 or int64, not {tensor}");
  indices.RankBetween(1, 2).Contiguous("takes contiguous indices, but got {tensor}");
  return indices;
}

// ---- packed objects

Dim ColumnsOf(const Call& call) { return PackedItems(call, "weight").Tensor(0)->sizes[1]; }

void Embed(Call& call) {
  const Dim columns = ColumnsOf(call);
  ReturnContiguous(call, Appended(IndicesOf(call)->size_span(), columns), ScalarType::Float);
}

// Bags begin at the offsets; each row of a matrix of indices is one.
Dim BagsOf(const Call& call) {
  const Operand indices = IndicesOf(call), offsets = call.OptionalIn("offsets");
  RequireValue(call, (indices->rank() == 1) == static_cast<bool>(offsets),
      {"takes `offsets` for one row of indices, and none for a matrix of them, but got {}", *indices});
  if (!offsets) return indices->sizes[0];
  offsets.Rank(1).Takes(kIndex, "takes offsets of int32 or int64, not {tensor}");
  return call.Bool("include_last_offset") ? offsets->sizes[0] - 1 : offsets->sizes[0];
}

void EmbedBags(Call& call) { ReturnContiguous(call, {BagsOf(call), ColumnsOf(call)}, ScalarType::Float); }

// ---- tables of bytes

template <int kBits>
Dim StoredColumns(const Operand& weight, int64_t dim) {
  weight.Takes(ScalarType::Byte, "takes a table of uint8, not {tensor}");
  const Dim bytes = weight->sizes[dim] - Rows<kBits>::kParameterBytes;
  weight.Require(Ge(bytes, 0), "takes rows that end in a scale and an offset, but got shape {}");
  return bytes * Rows<kBits>::kPerByte;
}

template <int kBits>
void EmbedStoredBags(Call& call) {
  const Operand weight = call.In("weight").Rank(2);
  weight.Contiguous("takes a contiguous table, but got {tensor}");
  ReturnContiguous(call, {BagsOf(call), StoredColumns<kBits>(weight, 1)}, ScalarType::Float);
}

// Where the columns are. Tables of less than a byte are matrices, and further dimensions are not looked at.
template <int kBits>
int64_t ColumnDim(const Operand& weight) {
  weight.RankAtLeast(kBits == 8 ? 1 : 2);
  return kBits == 8 ? weight->rank() - 1 : 1;
}

template <int kBits>
void ReturnTable(Call& call, const Operand& weight, Dim columns, ScalarType dtype) {
  const Dims sizes = kBits == 8 ? WithSize(weight->size_span(), -1, columns) : Dims{weight->sizes[0], columns};
  ReturnContiguous(call, {sizes.data(), sizes.size()}, dtype);
}

template <int kBits>
void Store(Call& call) {
  const Operand weight = call.In("weight");
  weight.Takes({ScalarType::Float, ScalarType::Half}, "takes a table of float32 or float16, not {tensor}");
  const Dim columns = weight->sizes[ColumnDim<kBits>(weight)];
  weight.Require(Divides(Rows<kBits>::kPerByte, columns),
      {"takes columns by multiples of {}, but got shape {}", Rows<kBits>::kPerByte});
  const Dim bytes = FloorDiv(columns, Rows<kBits>::kPerByte) + Rows<kBits>::kParameterBytes;
  ReturnTable<kBits>(call, weight, bytes, ScalarType::Byte);
}

template <int kBits>
void Restore(Call& call) {
  const Operand weight = call.In("weight");
  ReturnTable<kBits>(call, weight, StoredColumns<kBits>(weight, ColumnDim<kBits>(weight)), ScalarType::Float);
}

constexpr RuleRow kRows[] = {
    {"quantized::embedding_byte", Embed},
    {"quantized::embedding_4bit", Embed},
    {"quantized::embedding_bag_byte", EmbedBags},
    {"quantized::embedding_bag_4bit", EmbedBags},
    {"quantized::embedding_bag_byte_rowwise_offsets", EmbedStoredBags<8>},
    {"quantized::embedding_bag_4bit_rowwise_offsets", EmbedStoredBags<4>},
    {"quantized::embedding_bag_2bit_rowwise_offsets", EmbedStoredBags<2>},
    {"quantized::embedding_bag_byte_prepack", Store<8>, Grad::kNone},
    {"quantized::embedding_bag_4bit_prepack", Store<4>, Grad::kNone},
    {"quantized::embedding_bag_2bit_prepack", Store<2>, Grad::kNone},
    {"quantized::embedding_bag_byte_prepack_with_rowwise_min_max", Store<8>, Grad::kNone},
    {"quantized::embedding_bag_4bit_prepack_with_rowwise_min_max", Store<4>, Grad::kNone},
    {"quantized::embedding_bag_2bit_prepack_with_rowwise_min_max", Store<2>, Grad::kNone},
    {"quantized::embedding_bag_byte_unpack", Restore<8>, Grad::kNone},
    {"quantized::embedding_bag_4bit_unpack", Restore<4>, Grad::kNone},
    {"quantized::embedding_bag_2bit_unpack", Restore<2>, Grad::kNone},
};

}  // namespace

RuleRows QuantizedEmbeddingRules() { return kRows; }

}  // namespace fakeprop::rules
