// What a FakeTensorMode is, behind its handles: options and the converter's memo; and what its storages hold.
#pragma once

#include <ATen/core/TensorBody.h>

#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "fakeprop/fake_tensor_mode.h"

namespace fakeprop::fake {

// From real objects to the fakes that were made of them, weakly on both sides. An entry goes when its fake dies; the
// address of a real object that has died is not used again before that.
template <typename Target>
class Memo : public std::enable_shared_from_this<Memo<Target>> {
 public:
  // The live fake, or null.
  c10::intrusive_ptr<Target> Find(Target* real) {
    const std::lock_guard lock(mutex_);
    const auto it = entries_.find(real);
    return it == entries_.end() ? c10::intrusive_ptr<Target>() : it->second.fake.lock();
  }

  // Remembers a fake. The entry lives as long as what is returned, which belongs to the fake.
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
    Weak real;  // keeps the address from being used again
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

  // Storages come, go and grow by this many bytes.
  void Count(c10::Device device, int64_t bytes);
  struct Bytes {
    int64_t live = 0, peak = 0;
  };
  Bytes BytesOn(c10::Device device) const;
  void ResetPeak(c10::Device device);

  // Held while a tensor is taken in, so that all threads get the one fake of it. After SymbolsMutex, where both are.
  std::recursive_mutex& conversions() { return conversions_; }
  Memo<c10::TensorImpl>& tensors() { return *tensors_; }
  Memo<c10::StorageImpl>& storages() { return *storages_; }

 private:
  std::recursive_mutex conversions_;
  mutable std::mutex bytes_mutex_;
  std::map<std::pair<int, int>, Bytes> bytes_;  // by device
  const FakeTensorModeOptions options_;
  const std::shared_ptr<Memo<c10::TensorImpl>> tensors_ = std::make_shared<Memo<c10::TensorImpl>>();
  const std::shared_ptr<Memo<c10::StorageImpl>> storages_ = std::make_shared<Memo<c10::StorageImpl>>();
};

// What stands behind a handle.
struct ModeAccess {
  static const std::shared_ptr<ModeState>& StateOf(const FakeTensorMode& mode) { return mode.state_; }
};
inline const std::shared_ptr<ModeState>& StateOf(const FakeTensorMode& mode) { return ModeAccess::StateOf(mode); }

// Held by each storage of a mode in the place of memory.
struct StorageRecord {
  std::shared_ptr<ModeState> mode;
  c10::Device device;
  int64_t nbytes;  // as counted
  // Where the data is known: a real cpu storage of the same bytes, which every alias reads and writes.
  c10::Storage known;
  uint32_t writes = 0;  // to its data, so far
  std::shared_ptr<void> attachment;
};

c10::DataPtr NewRecord(std::shared_ptr<ModeState> mode, int64_t nbytes, c10::Device device);
// Null for real tensors and those without storage.
StorageRecord* FindRecord(const at::Tensor& tensor);
// Counts a storage anew that may have grown.
void Recount(const at::Tensor& tensor);
ModeState* ModeOf(const at::Tensor& tensor);

// This thread's innermost mode, or null.
std::shared_ptr<ModeState> CurrentMode();
// Whether copies of real tensors are their fakes (FakeCopyMode), on this thread.
bool& IsCopying();
// Where what is made on this thread is to be taken for Python's: the tensors that are (composites.cc); else null.
std::vector<at::Tensor>*& Posed();

// Registers what fake tensors need of LibTorch, once: devices, hooks, the fallback.
void Prepare();

}  // namespace fakeprop::fake
