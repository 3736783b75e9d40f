// What the storages of a run hold, at the place of the graph up to which the pass has come. A write changes what all
// tensors on the storage hold.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "lib/meta/objects.h"
#include "lib/value_ranges/value_range.h"

namespace fakeprop {

class StorageContents {
 public:
  explicit StorageContents(const RangeMath& math) : math_(math) {}

  // A result with this range. Only the first tensor on a storage matters.
  void Note(const Tensor& tensor, const ValueRange& range);
  // A call wrote to the tensor. If it returned it, `result` is what it returned and `range` the range of that, else
  // null.
  void Write(const Tensor& written, const Tensor* result, const ValueRange* range);
  // From here on nothing is known of the storage.
  void Forget(const Storage* storage) { forgotten_.insert(storage); }

  // What is known of the tensor's elements because of writes; nothing if its storage was never written to.
  std::optional<ValueRange> Of(const Tensor& tensor) const;
  bool IsWritten(const Storage* storage) const { return written_.contains(storage) || forgotten_.contains(storage); }

  // A call changed the sizes or the storage of a tensor. What earlier nodes returned no longer tells its sizes.
  void NoteReshaped(const Storage* storage) { reshaped_.insert(storage); }
  bool HasReshaped() const { return !reshaped_.empty(); }
  bool IsReshaped(const Storage* storage) const { return reshaped_.contains(storage); }

 private:
  struct Contents {
    const Tensor* first = nullptr;  // whose range it is, until a write; null after that, or if nothing is known
    ValueRange range;
    ScalarType dtype = ScalarType::Undefined;
  };

  // What the storage held before its first write: most storages are never written to, so nobody asks before.
  void Settle(Contents& contents) const;
  ValueRange AfterPart(const ValueRange& before, const ValueRange& written) const;

  const RangeMath& math_;
  std::unordered_map<const Storage*, Contents> contents_;
  std::unordered_set<const Storage*> written_, forgotten_, reshaped_;
};

}  // namespace fakeprop
