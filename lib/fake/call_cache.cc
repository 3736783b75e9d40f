#include "lib/fake/call_cache.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "lib/fake/repeated_results.h"
#include "lib/meta/value_visit.h"

namespace fakeprop::fake {
namespace {

// Programs whose sizes change all the time fill the cache. It then starts anew.
constexpr size_t kMostEntries = 8192;

// Objects that stand for the tensors of any call, by their place among them.
const Tensor* Place(size_t i) {
  static const auto* const places = new std::array<Tensor, 64>;
  return &(*places)[i];
}

// Replaces the objects in effects by places.
class Placing {
 public:
  explicit Placing(c10::ArrayRef<dispatch::StandIn> tensors) : tensors_(tensors) {}

  // Returns false for effects that hold for this call alone.
  bool Run(Effects& effects) const {
    const auto mutations = [this](Mutation& m) { return PlaceMutation(m); };
    const auto outputs = [this](Output& o) { return PlaceOutput(o); };
    return effects.remembered.empty() && std::all_of(effects.mutations.begin(), effects.mutations.end(), mutations) &&
           std::all_of(effects.outputs.begin(), effects.outputs.end(), outputs);
  }

 private:
  bool PlaceMutation(Mutation& m) const {
    if (m.requires_grad || !m.parts.empty() || (m.storage_of && !PlaceObject(m.storage_of))) return false;
    return PlaceObject(m.target);
  }

  bool PlaceOutput(Output& o) const {
    if (AnyTensor(o.value, [](const Tensor&) { return true; })) return false;
    if (o.source && !PlaceObject(o.source)) return false;
    // With symbols this is an expression, which costs more than all the rest.
    if (o.kind == Output::Kind::kNew && o.shares_with < 0 && !o.nbytes) o.nbytes = StorageNbytes(o.meta);
    return std::all_of(o.items.begin(), o.items.end(), [this](Output& item) { return PlaceOutput(item); });
  }

  bool PlaceObject(Tensor*& object) const {
    const auto it = std::find_if(
        tensors_.begin(), tensors_.end(), [&](const dispatch::StandIn& tensor) { return tensor.object == object; });
    // A number is a tensor of its own in each call.
    if (it == tensors_.end() || it->fake->unsafeGetTensorImpl()->is_wrapped_number()) return false;
    object = const_cast<Tensor*>(Place(static_cast<size_t>(it - tensors_.begin())));
    return true;
  }

  const c10::ArrayRef<dispatch::StandIn> tensors_;
};

}  // namespace

dispatch::StandIns StandInsFor(const CallKey& key) {
  dispatch::StandIns tensors;
  for (size_t i = 0; i < key.tensors().size(); ++i) tensors.push_back({Place(i), key.tensors()[i]});
  return tensors;
}

size_t PlaceOf(const Tensor* object) { return static_cast<size_t>(object - Place(0)); }

struct CallCache::Recent {
  uint64_t cache = 0;
  std::shared_ptr<const Entry> entry;
};

CallCache::CallCache()
    : number_([] {
        static std::atomic<uint64_t> last = 0;
        return ++last;
      }()) {}

const KeptCall* CallCache::Find(const CallKey& key) const {
  constexpr size_t kSlots = 256;
  thread_local std::array<Recent, kSlots> found;
  Recent& slot = found[(key.hash() ^ number_) % kSlots];
  if (slot.cache != number_ || key.words() != c10::ArrayRef<int64_t>(slot.entry->words)) {
    auto entry = FindShared(key);
    if (!entry) return nullptr;
    slot = {number_, std::move(entry)};
  }
  return &slot.entry->call;
}

std::shared_ptr<const CallCache::Entry> CallCache::FindShared(const CallKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(key.hash());
  if (it == entries_.end() || key.words() != c10::ArrayRef<int64_t>(it->second->words)) return nullptr;
  return it->second;
}

void CallCache::Keep(const CallKey& key, KeptCall call, c10::ArrayRef<dispatch::StandIn> tensors) {
  if (tensors.size() != key.tensors().size() || !Placing(tensors).Run(call.effects)) return;
  call.model = ModelOf(call.effects);
  auto entry = std::make_shared<const Entry>(Entry{key.words().vec(), std::move(call)});
  const std::lock_guard lock(mutex_);
  if (entries_.size() >= kMostEntries) entries_.clear();
  entries_.insert_or_assign(key.hash(), std::move(entry));
}

}  // namespace fakeprop::fake
