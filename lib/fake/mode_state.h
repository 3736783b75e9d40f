// The state behind the handles of a FakeTensorMode: its options, the converter's memo, and the records of its storages.
#pragma once

#include <ATen/core/TensorBody.h>

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "fakeprop/fake_tensor_mode.h"
#include "lib/fake/byte_counts.h"
#include "lib/fake/call_cache.h"

namespace fakeprop::fake {

// Maps real objects to the fakes that were made of them, and keeps neither alive. An entry is removed when its fake
// dies. Until then the address of the real object is not reused, even if the object has died.
template <typename Target>
class Memo : public std::enable_shared_from_this<Memo<Target>> {
 public:
  // The live fake, or null.
  c10::intrusive_ptr<Target> Find(Target* real) {
    const std::lock_guard lock(mutex_);
    const auto it = entries_.find(real);
    return it == entries_.end() ? c10::intrusive_ptr<Target>() : it->second.fake.lock();
  }

  // Remembers a fake. The entry lives as long as the returned object, which the fake must own.
  std::shared_ptr<void> Remember(const c10::intrusive_ptr<Target>& real, const c10::intrusive_ptr<Target>& fake) {
    const std::lock_guard lock(mutex_);
    const uint64_t number = ++last_;
    Target* key = real.get();
    entries_.insert_or_assign(key, Entry{Weak(real), Weak(fake), number});
    return std::shared_ptr<void>(nullptr, [memo = this->weak_from_this(), key, number](void*) {
      if (auto alive = memo.lock()) alive->Forget(key, number);
    });
  }

  size_t size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
  }

 private:
  using Weak = c10::weak_intrusive_ptr<Target>;
  struct Entry {
    Weak real;  // keeps the address from being reused
    Weak fake;
    uint64_t number;
  };

  void Forget(Target* key, uint64_t number) {
    const std::lock_guard lock(mutex_);
    const auto it = entries_.find(key);
    if (it != entries_.end() && it->second.number == number) entries_.erase(it);
  }

  mutable std::mutex mutex_;
  std::unordered_map<Target*, Entry> entries_;
  uint64_t last_ = 0;
};

class ModeState : public std::enable_shared_from_this<ModeState> {
 public:
  explicit ModeState(FakeTensorModeOptions options) : options_(options) {}

  const FakeTensorModeOptions& options() const { return options_; }

  ByteCounts& bytes() { return bytes_; }
  CallCache& calls() { return calls_; }
  // Of composites, above autograd.
  CallCache& composites() { return composites_; }

  // Locked while a tensor is converted, so that all threads get the same fake of it. If both are needed, lock
  // SymbolsMutex first.
  std::recursive_mutex& conversions() { return conversions_; }
  Memo<c10::TensorImpl>& tensors() { return *tensors_; }
  Memo<c10::StorageImpl>& storages() { return *storages_; }

 private:
  std::recursive_mutex conversions_;
  ByteCounts bytes_;
  CallCache calls_, composites_;
  const FakeTensorModeOptions options_;
  const std::shared_ptr<Memo<c10::TensorImpl>> tensors_ = std::make_shared<Memo<c10::TensorImpl>>();
  const std::shared_ptr<Memo<c10::StorageImpl>> storages_ = std::make_shared<Memo<c10::StorageImpl>>();
};

// Gives access to the state behind a handle.
struct ModeAccess {
  static const std::shared_ptr<ModeState>& StateOf(const FakeTensorMode& mode) { return mode.state_; }
};
inline const std::shared_ptr<ModeState>& StateOf(const FakeTensorMode& mode) { return ModeAccess::StateOf(mode); }

// The record of a mode's storage. The storage holds it in place of memory.
struct StorageRecord {
  std::shared_ptr<ModeState> mode;
  c10::Device device;
  int64_t nbytes;  // as counted
  // If the data is known, a real cpu storage with the same bytes. All aliases read and write it.
  c10::Storage known;
  // The last bytes that were known, to which a program may still have a pointer.
  c10::Storage former = {};
  uint32_t writes = 0;  // the number of writes to its data so far
  std::shared_ptr<void> attachment = nullptr;
  // Real memory behind the data pointer of a fake that is being filled, and a byte for each of its elements that is 1
  // if an operator wrote it (drafts.h).
  c10::Storage draft = {}, filled = {};
  bool is_pinned = false;
  std::shared_ptr<void> recording = nullptr;  // of lib/deferred_init
};

c10::DataPtr NewRecord(std::shared_ptr<ModeState> mode, int64_t nbytes, c10::Device device);
// The record of the tensor's storage. Null for real tensors and for tensors without storage.
StorageRecord* FindRecord(const at::Tensor& tensor);
StorageRecord* FindRecord(c10::StorageImpl* storage);
// Updates the count for a storage that may have grown.
void Recount(const at::Tensor& tensor);
ModeState* ModeOf(const at::Tensor& tensor);

// This thread's innermost mode, or null.
std::shared_ptr<ModeState> CurrentMode();
// True in this thread if copies of real tensors are their fakes (FakeCopyMode).
bool& IsCopying();
// If tensors that this thread makes must look like Python's, the list of these tensors (composites.cc). Else null.
std::vector<at::Tensor>*& Posed();

// Registers everything that fake tensors need in LibTorch: devices, hooks, the fallback. Later calls do nothing.
void Prepare();

}  // namespace fakeprop::fake
