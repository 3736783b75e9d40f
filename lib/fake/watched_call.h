// A call that LibTorch's own code runs, while its effects are watched, so that they can be kept.
#pragma once

#include <optional>
#include <vector>

#include "lib/fake/call_cache.h"

namespace fakeprop::fake {

class WatchedCall {
 public:
  // Begin before the call. The key's tensors must live as long.
  WatchedCall(const c10::OperatorHandle& op, const CallKey& key);
  ~WatchedCall();
  WatchedCall(const WatchedCall&) = delete;

  // What the call did. Nothing if an equal call cannot repeat it.
  std::optional<KeptCall> Describe(c10::ArrayRef<c10::IValue> results);

 private:
  struct Seen;

  bool AddWrites(KeptCall& kept) const;
  bool AddChange(size_t argument, KeptCall& kept) const;
  bool IsShared(const Seen& seen) const;
  Tensor* Place(size_t argument) const { return const_cast<Tensor*>(tensors_[argument].object); }
  bool Add(const c10::IValue& result, std::vector<Output>& outputs);
  bool AddArgument(const at::Tensor& t, std::vector<Output>& outputs) const;
  bool AddTensor(const at::Tensor& t, Output& output);
  bool AddSparse(const at::Tensor& t, Output& output);
  bool AddPart(const at::Tensor& part, std::vector<Output>& parts);
  bool IsNewStorage(const StorageRecord& record) const;
  bool HoldsResultsAlone(std::vector<ByteWatch::Bytes> bytes) const;

  const CallKey& key_;
  const bool is_set_;
  const dispatch::StandIns tensors_;
  const ByteWatch watch_;
  std::vector<Seen> seen_;
  std::vector<const StorageRecord*> results_;
};

// An equal call does these as well.
void CountTransient(ModeState& mode, const KeptCall& kept);
void CountVersions(const KeptCall& kept, const CallKey& key);

}  // namespace fakeprop::fake
