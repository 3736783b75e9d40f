#include "lib/inputs/make_tensor.h"

#include <algorithm>

#include "lib/base/suggest.h"
#include "lib/error/error.h"
#include "lib/inputs/input_codes.h"
#include "lib/inputs/read_elements.h"
#include "lib/meta/device_name.h"
#include "lib/meta/dtype.h"
#include "lib/symbolic/expression.h"

namespace fakeprop {
namespace {

bool RequiresGrad(const Slot& slot, const TensorMeta& meta) {
  bool can = IsFloatOrComplex(meta.dtype);
  if (!slot.entry || !slot.entry->requires_grad) return can && slot.tensor && slot.tensor->requires_grad;
  if (*slot.entry->requires_grad && !can)
    throw SpecError(kInvalidSpecValue, slot.entry->json.Get("requires_grad"),
        "only floating and complex tensors require grad, not " + std::string(DtypeName(meta.dtype)));
  return *slot.entry->requires_grad;
}

Constant ReadConstant(const SpecEntry& entry, const TensorMeta& meta) {
  if (entry.view_of)
    throw SpecError(kInvalidSpecView, *entry.value, "an input with `view_of` has the data of another, no value");
  std::vector<int64_t> shape;
  for (Dim size : meta.sizes) {
    if (!size.TryNumber())
      throw SpecError(
          kSymbolicSize, *entry.value, "a tensor with symbols in its shape has no value here: " + ToString(meta));
    shape.push_back(*size.TryNumber());
  }
  return ReadTensorValue(*entry.value, shape, meta.dtype);
}

// The bounds of elements, which only integers and bools have.
ValueBounds ReadBounds(JsonValue json, ScalarType dtype) {
  if (!IsIntegral(dtype))
    throw SpecError(kInvalidSpecValue, json,
        "only tensors of integers and bools have `values`, not " + std::string(DtypeName(dtype)));
  ValueBounds bounds;
  for (JsonValue field : json.AsObject()) {
    if (field.key() == "min") bounds.min = field.AsInt();
    else if (field.key() == "max") bounds.max = field.AsInt();
    else
      throw SpecError(kUnknownSpecName, field, "unknown field " + Quote(field.key()) + ": values have min and max",
          DidYouMean(Nearest(field.key(), {"min", "max"})));
  }
  if (bounds.min && bounds.max && *bounds.min > *bounds.max)
    throw SpecError(kInvalidSpecValue, json, "no number is in the range of the values");
  return bounds;
}

bool IsSparse(Layout layout) {
  return layout != Layout::Strided && layout != Layout::Mkldnn && layout != Layout::Jagged;
}
bool HasBlocks(Layout layout) { return layout == Layout::SparseBsr || layout == Layout::SparseBsc; }

// Fields that do not fit the layout.
void CheckFieldsOfLayout(const SpecEntry& entry, const TensorMeta& meta) {
  const std::string layout = ToString(Value(meta.layout));
  for (const char* name : {"nnz", "dense_dim", "blocksize", "is_coalesced"})
    if (auto field = entry.json.Find(name); field && !IsSparse(meta.layout))
      throw SpecError(kInvalidSpecValue, *field, Quote(name) + " is of sparse layouts, not of " + layout);
  if (entry.is_coalesced && meta.layout != Layout::Sparse)
    throw SpecError(
        kInvalidSpecValue, entry.json.Get("is_coalesced"), "`is_coalesced` is of sparse_coo, not of " + layout);
  for (const char* name : {"stride", "storage_offset", "view_of", "value", "values"})
    if (auto field = entry.json.Find(name); field && meta.layout != Layout::Strided)
      throw SpecError(kInvalidSpecValue, *field, "a tensor of layout " + layout + " has no " + Quote(name));
}

void CheckDims(const SpecEntry& entry, const TensorMeta& meta) {
  const std::string layout = ToString(Value(meta.layout));
  const int64_t most = meta.rank() - (meta.layout == Layout::Sparse ? 0 : 2);
  if (entry.dense_dim && (*entry.dense_dim < 0 || *entry.dense_dim > most))
    throw SpecError(kInvalidSpecValue, entry.json.Get("dense_dim"),
        "from 0 to " + std::to_string(std::max<int64_t>(most, 0)) + " dimensions are dense, not " +
            std::to_string(*entry.dense_dim));
  if (entry.blocksize && !HasBlocks(meta.layout))
    throw SpecError(kInvalidSpecValue, entry.json.Get("blocksize"),
        "`blocksize` is of sparse_bsr and sparse_bsc, not of " + layout);
  if (IsSparse(meta.layout) && most < 0)
    throw SpecError(kInvalidSpecValue, entry.json, "a tensor of layout " + layout + " has at least two dimensions");
}

// The dimensions that indices address: the rows and columns of what is compressed, all before the dense ones of COO.
DimSpan Addressed(const TensorMeta& meta, int64_t dense_dim) {
  const auto addressed = static_cast<size_t>(meta.rank() - dense_dim);
  return meta.layout == Layout::Sparse ? meta.size_span().first(addressed) : meta.size_span().subspan(addressed - 2, 2);
}

void CheckBlocks(const SpecEntry& entry, DimSpan matrix, const SparseInput& sparse) {
  if (!entry.blocksize)
    throw SpecError(kInvalidSpecValue, entry.json, "a layout of blocks needs `blocksize`, such as [2, 2]");
  const JsonValue field = entry.json.Get("blocksize");
  if (sparse.block.size() != 2)
    throw SpecError(
        kInvalidSpecValue, field, "`blocksize` is a pair, not " + std::to_string(sparse.block.size()) + " sizes");
  for (size_t d : {0, 1})
    if (GuardOrFalse(Le(sparse.block[d], 0)) || !GuardOrTrue(Eq(Mod(matrix[d], Max(sparse.block[d], 1)), 0)))
      throw SpecError(kInvalidSpecValue, field,
          "blocks of " + sparse.block[d].ToString() + " do not divide a size of " + matrix[d].ToString());
}

// Only uncoalesced COO has an element twice.
void CheckNnz(const SpecEntry& entry, DimSpan places, const SparseInput& sparse, bool may_repeat) {
  if (!sparse.nnz || may_repeat) return;
  Dim most = Numel(places);
  for (Dim size : sparse.block) most = FloorDiv(most, size);
  if (GuardOrFalse(Gt(*sparse.nnz, most)))
    throw SpecError(kInvalidSpecValue, entry.json.Get("nnz"),
        "at most " + most.ToString() + " elements can be specified, not " + sparse.nnz->ToString());
}

// A symbol that the graph recorded may be any number.
bool IsAsRecorded(Dim size, const RecordedSize& recorded) {
  return !recorded.expression.empty() || size.Hint() == recorded.number;
}

bool IsAsRecorded(const TensorMeta& meta, const RecordedTensor& recorded) {
  return meta.dtype == recorded.dtype &&
         std::equal(meta.sizes.begin(), meta.sizes.end(), recorded.sizes.begin(), recorded.sizes.end(),
             [](Dim size, const RecordedSize& was) { return IsAsRecorded(size, was); });
}

// "s77": files have expressions in SymPy's spelling.
std::string RecordedText(const RecordedSize& size) {
  if (size.expression.empty()) return std::to_string(size.number);
  const std::optional<Expression> expression = ParseExpression(size.expression);
  return expression ? ToString(*expression) : std::string(size.expression);
}

// "f32[8, s77, 3]"
std::string RecordedText(const RecordedTensor& tensor) {
  std::string text;
  for (const RecordedSize& size : tensor.sizes) text += (text.empty() ? "" : ", ") + RecordedText(size);
  return std::string(ShortDtypeName(tensor.dtype)) + "[" + text + "]";
}

}  // namespace

void TensorMaker::Make(const Slot& slot, InputValue& value) {
  size_t position = static_cast<size_t>(&slot - slots_.data());
  value.is_tensor = true;
  TensorMeta& meta = value.meta;
  meta.dtype = DtypeOf(position);
  meta.device = DeviceOf(position);
  if (slot.tensor) meta.layout = slot.tensor->layout;
  if (slot.entry && slot.entry->layout) meta.layout = *slot.entry->layout;
  FillSizes(slot, meta);
  if (slot.entry) value.sparse = ReadSparse(*slot.entry, meta);
  FillOffset(slot, meta);
  FillLayout(slot, meta);
  value.requires_grad = RequiresGrad(slot, meta);
  if (slot.entry && slot.entry->value) value.constant = ReadConstant(*slot.entry, meta);
  else if (!slot.entry) value.constant = slot.input->elements;
  if (slot.entry && slot.entry->values) value.values = ReadBounds(*slot.entry->values, meta.dtype);
  if (slot.tensor && slot.entry && !IsAsRecorded(meta, *slot.tensor)) value.recorded = RecordedText(*slot.tensor);
}

// A view of which nothing is known has the dtype of its base.
ScalarType TensorMaker::DtypeOf(size_t position) const {
  const Slot& slot = slots_[position];
  if (slot.entry && slot.entry->dtype) return *slot.entry->dtype;
  if (slot.tensor) return slot.tensor->dtype;
  size_t base = bases_[position];
  return base != position ? DtypeOf(base) : ScalarType::Float;
}

// A view is on the device of its base, wherever it was recorded.
Device TensorMaker::DeviceOf(size_t position) const {
  const Slot& slot = slots_[position];
  if (slot.entry && slot.entry->device) return *slot.entry->device;
  if (size_t base = bases_[position]; base != position) return DeviceOf(base);
  return slot.tensor ? WithIndex(slot.tensor->device) : Device(DeviceType::CPU);
}

void TensorMaker::FillSizes(const Slot& slot, TensorMeta& meta) {
  if (slot.entry && slot.entry->shape) {
    for (const SpecSize& size : *slot.entry->shape) meta.sizes.push_back(sizes_.EvaluateGiven(size));
    return;
  }
  for (size_t i = 0; i < slot.tensor->sizes.size(); ++i)
    meta.sizes.push_back(sizes_.EvaluateRecorded(slot.tensor->sizes[i], slot, "dimension " + std::to_string(i)));
}

// The number of elements, the dense dimensions and the block of a sparse layout.
SparseInput TensorMaker::ReadSparse(const SpecEntry& entry, const TensorMeta& meta) {
  CheckFieldsOfLayout(entry, meta);
  CheckDims(entry, meta);
  SparseInput sparse;
  if (!IsSparse(meta.layout)) return sparse;
  if (entry.nnz) sparse.nnz = sizes_.EvaluateGiven(*entry.nnz);
  sparse.dense_dim = entry.dense_dim.value_or(0);
  sparse.is_coalesced = entry.is_coalesced.value_or(false);
  if (entry.blocksize)
    for (const SpecSize& size : *entry.blocksize) sparse.block.push_back(sizes_.EvaluateGiven(size));
  const DimSpan addressed = Addressed(meta, sparse.dense_dim);
  if (HasBlocks(meta.layout)) CheckBlocks(entry, addressed, sparse);
  CheckNnz(entry, addressed, sparse, meta.layout == Layout::Sparse && !sparse.is_coalesced);
  return sparse;
}

// Tensors of other layouts have no strides.
void TensorMaker::FillStrides(const Slot& slot, TensorMeta& meta) {
  if (meta.layout != Layout::Strided) return;
  if (slot.entry && slot.entry->stride) {
    for (const SpecSize& stride : *slot.entry->stride) meta.strides.push_back(sizes_.EvaluateGiven(stride));
    if (meta.strides.size() != meta.sizes.size())
      throw SpecError(kInvalidSpecValue, slot.entry->json.Get("stride"),
          std::to_string(meta.strides.size()) + " strides for " + std::to_string(meta.sizes.size()) + " dimensions");
  } else if (slot.entry && slot.entry->shape) {
    meta.strides = ContiguousStrides(meta.size_span());
  } else {
    for (size_t i = 0; i < slot.tensor->strides.size(); ++i)
      meta.strides.push_back(sizes_.EvaluateRecorded(slot.tensor->strides[i], slot, "stride " + std::to_string(i)));
  }
}

void TensorMaker::FillOffset(const Slot& slot, TensorMeta& meta) {
  if (slot.entry && slot.entry->storage_offset) meta.storage_offset = sizes_.EvaluateGiven(*slot.entry->storage_offset);
  else if (slot.tensor)
    meta.storage_offset = sizes_.EvaluateRecorded(slot.tensor->storage_offset, slot, "storage offset");
}

// Sizes whose product leaves int64 are a mistake of the spec or the file.
void TensorMaker::FillLayout(const Slot& slot, TensorMeta& meta) {
  try {
    FillStrides(slot, meta);
    if (meta.layout == Layout::Strided) Numel(meta.size_span()), StorageNbytes(meta);
  } catch (const OpError& error) {
    sizes_.ReportAt(slot, kInvalidSpecValue, "too large: " + error.message());
  }
}

}  // namespace fakeprop
