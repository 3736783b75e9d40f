// The effects of earlier calls of a mode. Source: FakeTensorMode.cache (torch/_subclasses/fake_tensor.py, torch 2.13).
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "lib/dispatch/apply_effects.h"
#include "lib/fake/byte_counts.h"
#include "lib/fake/call_key.h"

namespace fakeprop::fake {

// A result of an earlier call, to be copied.
struct ResultModel {
  Output::Kind kind;  // not kValue
  // A bare meta tensor with the sizes, strides, offset and dtype of a new tensor or an alias.
  c10::intrusive_ptr<c10::TensorImpl> tensor = {};
  c10::Device device = c10::kMeta;  // with its index
  bool is_conj = false, is_neg = false;
  int64_t nbytes = 0;     // of a new tensor's storage
  size_t argument = 0;    // the place of an argument, for kArgument and aliases
  Value value = {};       // for kValue: a number, or None
  at::Tensor known = {};  // a real tensor with the data of a new tensor, if it is known
  std::vector<ResultModel> items = {};
};

// What an earlier call did to an argument, to be done again.
struct MutationModel {
  bool changes_metadata() const { return geometry || nbytes || storage_of || has_fresh_storage; }

  size_t argument;  // its place
  bool writes = false;
  // A bare meta tensor with the new sizes, strides and offset. Null if they stay.
  c10::intrusive_ptr<c10::TensorImpl> geometry = {};
  int64_t nbytes = 0;  // the storage has at least as many bytes
  // The place of the argument whose storage it gets.
  std::optional<size_t> storage_of = {};
  bool has_fresh_storage = false;
};

// A call whose effects are copies of models (repeated_results.h).
struct CallModel {
  std::vector<MutationModel> mutations;
  std::vector<ResultModel> results;
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
  std::optional<CallModel> model = {};
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
// The place among a key's tensors that an object of StandInsFor stands for.
size_t PlaceOf(const Tensor* object);

}  // namespace fakeprop::fake
