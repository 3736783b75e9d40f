#include "lib/value_ranges/storage_contents.h"

namespace fakeprop {
namespace {

// Returns true if the tensor has all elements of its storage.
bool CoversStorage(const Tensor& tensor, const RangeMath& math) {
  const Dim bytes = Numel(tensor.meta.size_span()) * ItemSize(tensor.meta.dtype);
  return tensor.meta.storage_offset.TryNumber() == 0 &&
         math.Holds(Equal(math.Of(bytes), math.Of(tensor.storage->nbytes))) && IsNonOverlappingAndDense(tensor.meta);
}

}  // namespace

void StorageContents::Note(const Tensor& tensor, const ValueRange& range) {
  const auto [it, is_new] = contents_.try_emplace(tensor.storage);
  if (is_new) it->second = {&tensor, range, tensor.meta.dtype};
}

void StorageContents::Settle(Contents& contents) const {
  if (contents.first && !CoversStorage(*contents.first, math_)) contents.range = math_.Any(contents.dtype);
  contents.first = nullptr;
}

void StorageContents::Write(const Tensor& written, const Tensor* result, const ValueRange* range) {
  written_.insert(written.storage);
  const auto it = contents_.find(written.storage);
  const bool is_known = result && range && result->storage == written.storage && it != contents_.end() &&
                        it->second.dtype == result->meta.dtype;
  if (!is_known) {
    contents_[written.storage] = {};
    return;
  }
  Contents& contents = it->second;
  Settle(contents);
  contents.range = Rearranged(CoversStorage(*result, math_) ? *range : AfterPart(contents.range, *range));
}

ValueRange StorageContents::AfterPart(const ValueRange& before, const ValueRange& written) const {
  ValueRange joined = math_.Join(before, written);
  joined.low.met = joined.high.met = {};
  joined.input = -1;
  return joined;
}

std::optional<ValueRange> StorageContents::Of(const Tensor& tensor) const {
  if (forgotten_.contains(tensor.storage)) return math_.Any(tensor.meta.dtype);
  if (!written_.contains(tensor.storage)) return std::nullopt;
  const auto it = contents_.find(tensor.storage);
  const bool is_known = it != contents_.end() && it->second.dtype == tensor.meta.dtype;
  if (!is_known) return math_.Any(tensor.meta.dtype);
  return CoversStorage(tensor, math_) ? Rearranged(it->second.range) : SomeOf(it->second.range);
}

}  // namespace fakeprop
