#include "lib/fake/repeated_composites.h"

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "lib/dispatch/autograd_meta.h"
#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/for_each_tensor.h"
#include "lib/dispatch/rule_service.h"
#include "lib/dispatch/sym_ints.h"
#include "lib/fake/mode_info.h"
#include "lib/fake/replay.h"
#include "lib/fake/serve.h"
#include "lib/fake/sym_nodes.h"

namespace fakeprop::fake {
namespace {

// What was seen of an argument before the call.
struct Seen {
  const at::Tensor* tensor;
  const StorageRecord* record;
  uint32_t writes;
  int64_t version;
};

// A call that runs by its parts while its effects are watched.
class WatchedCall {
 public:
  explicit WatchedCall(const CallKey& key) : key_(key) {
    for (const at::Tensor* t : key.tensors()) {
      const StorageRecord* record = FindRecord(*t);
      seen_.push_back({t, record, record ? record->writes : 0, t->_version()});
    }
  }

  // Nothing if the call did what an equal one cannot repeat.
  std::optional<KeptCall> Describe(c10::ArrayRef<c10::IValue> results) {
    KeptCall kept;
    const dispatch::StandIns tensors = StandInsFor(key_);
    for (size_t i = 0; i < seen_.size(); ++i) {
      if (seen_[i].tensor->_version() != seen_[i].version) return std::nullopt;
      if (seen_[i].record && seen_[i].record->writes != seen_[i].writes)
        kept.effects.mutations.push_back({.target = const_cast<Tensor*>(tensors[i].object), .writes = true});
    }
    for (size_t i = 0; i < results.size(); ++i) {
      if (!Add(results[i], kept.effects.outputs)) return std::nullopt;
      if (results[i].isTensor() && results[i].toTensor().is_view())
        kept.views.push_back(ViewOf(i, results[i].toTensor()));
    }
    kept.transient = watch_.bytes();
    if (!HoldsResultsAlone(kept.transient)) return std::nullopt;
    return kept;
  }

 private:
  static KeptCall::View ViewOf(size_t result, const at::Tensor& t) {
    return {result, dispatch::ReadMeta(at::Tensor(t._base())), dispatch::OriginOf(t)};
  }

  bool Add(const c10::IValue& result, std::vector<Output>& outputs) {
    if (result.isTensor()) return AddTensor(result.toTensor(), outputs.emplace_back());
    if (!result.isTensorList()) return false;
    Output& list = outputs.emplace_back();
    list.kind = Output::Kind::kList;
    for (const c10::IValue& item : result.toListRef())
      if (!item.isTensor() || item.toTensor().is_view() || !Add(item, list.items)) return false;
    return true;
  }

  // A plain tensor that has a storage of its own, and nobody knows yet.
  bool AddTensor(const at::Tensor& t, Output& output) {
    const StorageRecord* record = t.defined() ? FindRecord(t) : nullptr;
    if (!record || record->mode.get() != key_.mode() || record->known || record->draft || record->is_pinned)
      return false;
    const c10::TensorImpl* impl = t.unsafeGetTensorImpl();
    if (t.requires_grad() || impl->layout() != c10::kStrided || impl->is_wrapped_number()) return false;
    if (impl->key_set().has(c10::DispatchKey::ZeroTensor) || !IsNewStorage(*record)) return false;
    output.kind = Output::Kind::kNew;
    output.meta = dispatch::ReadMeta(t);
    output.nbytes = dispatch::ToDim(t.storage().sym_nbytes());
    results_.push_back(record);
    return true;
  }

  bool IsNewStorage(const StorageRecord& record) const {
    return std::none_of(seen_.begin(), seen_.end(), [&](const Seen& s) { return s.record == &record; }) &&
           std::find(results_.begin(), results_.end(), &record) == results_.end();
  }

  // What is alive after the call must be its results.
  bool HoldsResultsAlone(std::vector<ByteWatch::Bytes> bytes) const {
    for (const StorageRecord* record : results_) {
      const auto it =
          std::find_if(bytes.begin(), bytes.end(), [&](const auto& b) { return b.device == record->device; });
      if (it != bytes.end()) it->live -= record->nbytes;
    }
    return std::all_of(bytes.begin(), bytes.end(), [](const ByteWatch::Bytes& b) { return b.live == 0; });
  }

  const CallKey& key_;
  const ByteWatch watch_;
  std::vector<Seen> seen_;
  std::vector<const StorageRecord*> results_;
};

void CountTransient(ModeState& mode, const KeptCall& kept) {
  for (const ByteWatch::Bytes& bytes : kept.transient) {
    const int64_t more = bytes.peak - bytes.live;
    if (more <= 0) continue;
    mode.bytes().Add(bytes.device, more);
    mode.bytes().Add(bytes.device, -more);
  }
}

void MakeViews(const KeptCall& kept, c10::ArrayRef<c10::IValue> results) {
  for (const KeptCall::View& view : kept.views) {
    const at::Tensor& t = results[view.result].toTensor();
    dispatch::FollowBase(t, dispatch::MakeFakeAlias(view.base, t.storage(), t.key_set()), view.origin);
  }
}

}  // namespace

// The results of calls that autograd follows have a history of their own.
void CallState::Look(const at::Tensor& t) {
  if (!t.defined()) return;
  has_fake_ |= FindRecord(t) != nullptr;
  if (!t.unsafeGetTensorImpl()->autograd_meta()) return;
  is_followed_ |= (t.requires_grad() && c10::GradMode::is_enabled()) || t._fw_grad(/*level=*/0).defined();
}

bool CallState::MayRepeat() const {
  if (!has_fake_ || is_followed_) return false;
  const c10::impl::LocalDispatchKeySet state = c10::impl::tls_local_dispatch_key_set();
  const c10::DispatchKeySet more =
      state.included_ - c10::default_included_set - c10::DispatchKeySet(c10::DispatchKey::Fake);
  return more.empty() && (c10::default_excluded_set - state.excluded_).empty() && !dispatch::Host::Current() &&
         !dispatch::LeavesOutRule();
}

RepeatedComposite::RepeatedComposite(const c10::OperatorHandle& op, torch::jit::Stack& stack)
    : op_(op), stack_(stack) {}

bool RepeatedComposite::Read(c10::ArrayRef<c10::IValue> arguments) {
  const ModeInfo* info = CurrentInfo();
  if (!key_.Read(op_, arguments, info ? info->mode.get() : nullptr)) return false;
  const FakeTensorModeOptions& options = key_.mode()->options();
  return !options.cross_check && !options.unknown_floats_are_nan;  // which says so each time
}

bool RepeatedComposite::ServeAgain() {
  const ModeInfo* info = CurrentInfo();
  std::unique_lock lock(SymbolsMutex(), std::defer_lock);
  if (!info || !info->mode || info->mode->options().shape_env) lock.lock();
  has_key_ = Read(torch::jit::last(stack_, op_.schema().arguments().size()));
  const auto kept = has_key_ ? key_.mode()->composites().Find(key_) : nullptr;
  if (!kept) return false;
  ModeState& mode = *key_.mode();
  const auto alive = mode.shared_from_this();
  const BelowMode below(mode);
  Replay(op_, *kept, key_, stack_);
  MakeViews(*kept, torch::jit::last(stack_, op_.schema().returns().size()));
  CountTransient(mode, *kept);
  return true;
}

void RepeatedComposite::Run(const std::function<void()>& by_parts) {
  if (!has_key_) return by_parts();
  // The key refers to tensors on the stack.
  const torch::jit::Stack arguments = torch::jit::last(stack_, op_.schema().arguments().size()).vec();
  key_ = CallKey();
  {
    const std::lock_guard lock(SymbolsMutex());
    if (!Read(arguments)) return by_parts();
  }
  WatchedCall watched(key_);
  by_parts();
  const std::lock_guard lock(SymbolsMutex());
  // What was learned in this call, an equal one knows before.
  if (KnowledgeOf(key_.mode()->options().shape_env.get()) != key_.knowledge()) return;
  const BelowMode below(*key_.mode());
  auto kept = watched.Describe(torch::jit::last(stack_, op_.schema().returns().size()));
  if (kept) key_.mode()->composites().Keep(key_, *std::move(kept), StandInsFor(key_));
}

void ServeRepeated(const c10::OperatorHandle& op, torch::jit::Stack& stack, const std::function<void()>& by_parts) {
  CallState state;
  for (const c10::IValue& argument : torch::jit::last(stack, op.schema().arguments().size()))
    dispatch::ForEachTensor(argument, [&](const at::Tensor& t) { state.Look(t); });
  if (!state.MayRepeat()) return by_parts();
  RepeatedComposite call(op, stack);
  if (!call.ServeAgain()) call.Run(by_parts);
}

}  // namespace fakeprop::fake
