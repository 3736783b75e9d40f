// The effects of earlier calls of a mode. Source: FakeTensorMode.cache (torch/_subclasses/fake_tensor.py, torch 2.13).
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "lib/dispatch/apply_effects.h"
#include "lib/fake/call_key.h"

namespace fakeprop::fake {

class CallCache {
 public:
  // The effects of a call with the same key, or null. Their objects are those that StandInsFor gives to the tensors.
  std::shared_ptr<const Effects> Find(const CallKey& key) const;
  // Keeps the effects of the call for others, unless they depend on more than the key. `tensors` are the objects in
  // the effects.
  void Keep(const CallKey& key, const Effects& effects, c10::ArrayRef<dispatch::StandIn> tensors);

 private:
  struct Entry {
    std::vector<int64_t> words;
    std::shared_ptr<const Effects> effects;
  };
  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, Entry> entries_;  // by hash; the last one of those with one hash
};

dispatch::StandIns StandInsFor(const CallKey& key);

}  // namespace fakeprop::fake
