// The effects of earlier calls of a mode. Source: FakeTensorMode.cache (torch/_subclasses/fake_tensor.py, torch 2.13).
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "lib/dispatch/apply_effects.h"
#include "lib/fake/byte_counts.h"
#include "lib/fake/call_key.h"

namespace fakeprop::fake {

// A result of an earlier call, to be copied (repeated_results.h).
struct ResultModel {
  c10::intrusive_ptr<c10::TensorImpl> tensor;
  int64_t nbytes;
  c10::Device device;
};

// What an earlier call did. Its objects are those that StandInsFor gives to the tensors.
struct KeptCall {
  // A result that is a view, which autograd follows, of a tensor that nobody else has.
  struct View {
    size_t result;
    TensorMeta base;
    ViewOrigin origin;
  };

  // How often the versions of arguments grew, by their places. Above autograd this is part of a call.
  struct Bump {
    size_t argument;
    int64_t times;
  };

  Effects effects;
  std::vector<View> views = {};
  std::vector<Bump> bumps = {};
  // What it held for a while beyond its results, by device.
  std::vector<ByteWatch::Bytes> transient = {};
  std::vector<ResultModel> models = {};
};

class CallCache {
 public:
  CallCache();
  // The call with the same key, or null. It stays until this thread finds another one.
  const KeptCall* Find(const CallKey& key) const;
  // Keeps the call for others, unless its effects depend on more than the key. `tensors` are the objects in them.
  void Keep(const CallKey& key, KeptCall call, c10::ArrayRef<dispatch::StandIn> tensors);

 private:
  struct Entry {
    std::vector<int64_t> words;
    KeptCall call;
  };
  // What a thread found lately, which it finds again without the lock.
  struct Recent;

  std::shared_ptr<const Entry> FindShared(const CallKey& key) const;

  const uint64_t number_;  // no other cache of this process has it
  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, std::shared_ptr<const Entry>> entries_;  // by hash; the last one of those with one hash
};

dispatch::StandIns StandInsFor(const CallKey& key);

}  // namespace fakeprop::fake
