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
#include "lib/dispatch/layout_tensors.h"
#include "lib/dispatch/rule_service.h"
#include "lib/dispatch/sym_ints.h"
#include "lib/fake/mode_info.h"
#include "lib/fake/repeated_results.h"
#include "lib/fake/serve.h"
#include "lib/fake/sym_nodes.h"

namespace fakeprop::fake {
namespace {

// What was seen of an argument before the call.
struct Seen {
  explicit Seen(const at::Tensor& t)
      : tensor(&t),
        record(FindRecord(t)),
        writes(record ? record->writes : 0),
        nbytes(record ? record->nbytes : 0),
        version(t._version()),
        sizes(t.sym_sizes().vec()),
        strides(t.sym_strides().vec()) {}

  bool IsWritten() const { return tensor->_version() != version; }
  // Data apart, the tensor is what it was.
  bool IsSame() const {
    return FindRecord(*tensor) == record && (!record || record->nbytes == nbytes) && tensor->sym_sizes() == sizes &&
           tensor->sym_strides() == strides && !tensor->requires_grad();
  }

  const at::Tensor* tensor;
  const StorageRecord* record;
  uint32_t writes;
  int64_t nbytes;
  int64_t version;
  std::vector<c10::SymInt> sizes, strides;
};

// A call that runs by its parts while its effects are watched.
class WatchedCall {
 public:
  explicit WatchedCall(const CallKey& key) : key_(key) {
    for (const at::Tensor* t : key.tensors()) seen_.emplace_back(*t);
  }

  // Nothing if the call did what an equal one cannot repeat.
  std::optional<KeptCall> Describe(c10::ArrayRef<c10::IValue> results) {
    KeptCall kept;
    if (!AddWrites(kept)) return std::nullopt;
    for (size_t i = 0; i < results.size(); ++i) {
      if (!Add(results[i], kept.effects.outputs)) return std::nullopt;
      if (kept.effects.outputs[i].kind == Output::Kind::kNew && results[i].toTensor().is_view())
        kept.views.push_back(ViewOf(i, results[i].toTensor()));
    }
    kept.transient = watch_.bytes();
    if (!HoldsResultsAlone(kept.transient)) return std::nullopt;
    return kept;
  }

 private:
  // Also of results, if the call is an out= form.
  bool AddWrites(KeptCall& kept) const {
    for (size_t i = 0; i < seen_.size(); ++i) {
      const Seen& seen = seen_[i];
      if (seen.IsWritten()) {
        if (key_.has_known() || !seen.IsSame() || IsShared(seen)) return false;
        kept.bumps.push_back({i, seen.tensor->_version() - seen.version});
      }
      if (seen.record && seen.record->writes != seen.writes)
        kept.effects.mutations.push_back({.target = Place(i), .writes = true});
    }
    return true;
  }

  // Arguments on one storage count one version.
  bool IsShared(const Seen& seen) const {
    return std::count_if(seen_.begin(), seen_.end(), [&](const Seen& s) { return s.record == seen.record; }) > 1;
  }

  Tensor* Place(size_t argument) const { return const_cast<Tensor*>(tensors_[argument].object); }

  static KeptCall::View ViewOf(size_t result, const at::Tensor& t) {
    return {result, dispatch::ReadMeta(at::Tensor(t._base())), dispatch::OriginOf(t)};
  }

  bool Add(const c10::IValue& result, std::vector<Output>& outputs) {
    if (result.isTensor() && AddArgument(result.toTensor(), outputs)) return true;
    if (result.isTensor()) return AddTensor(result.toTensor(), outputs.emplace_back());
    if (result.isInt()) {
      outputs.emplace_back().value = Value(result.toInt());
      return true;
    }
    if (!result.isTensorList()) return false;
    Output& list = outputs.emplace_back();
    list.kind = Output::Kind::kList;
    for (const c10::IValue& item : result.toListRef())
      if (!item.isTensor() || item.toTensor().is_view() || !Add(item, list.items)) return false;
    return true;
  }

  // The result of an out= form is one of its arguments.
  bool AddArgument(const at::Tensor& t, std::vector<Output>& outputs) const {
    const auto same = [&](const Seen& seen) { return seen.tensor->is_same(t); };
    const auto it = std::find_if(seen_.begin(), seen_.end(), same);
    if (it == seen_.end()) return false;
    Output& output = outputs.emplace_back();
    output.kind = Output::Kind::kArgument;
    output.source = Place(static_cast<size_t>(it - seen_.begin()));
    return true;
  }

  // A plain tensor that has a storage of its own, and nobody knows yet, or none.
  bool AddTensor(const at::Tensor& t, Output& output) {
    if (!t.defined()) return true;
    if (dispatch::PartsOf(t).values) return AddSparse(t, output);
    const StorageRecord* record = FindRecord(t);
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

  bool AddSparse(const at::Tensor& t, Output& output) {
    const dispatch::PartsInside parts = dispatch::PartsOf(t);
    output.kind = Output::Kind::kNew;
    output.meta = dispatch::ReadLayoutMeta(t);
    output.is_coalesced = parts.is_coalesced;
    for (const at::Tensor* part : {parts.values, parts.indices, parts.plain})
      if (part && !AddPart(*part, output.items)) return false;
    return !t.requires_grad();
  }

  // Indices are often those of an argument, in another shape.
  bool AddPart(const at::Tensor& part, std::vector<Output>& parts) {
    const auto shares = [&](const Seen& seen) { return seen.record == FindRecord(part); };
    const auto it = std::find_if(seen_.begin(), seen_.end(), shares);
    if (it == seen_.end()) return AddTensor(part, parts.emplace_back());
    Output& output = parts.emplace_back();
    output.kind = Output::Kind::kAlias;
    output.meta = dispatch::ReadMeta(part);
    output.source = Place(static_cast<size_t>(it - seen_.begin()));
    return it->record != nullptr;
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
  const dispatch::StandIns tensors_{StandInsFor(key_)};
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

void CountVersions(const KeptCall& kept, const CallKey& key) {
  for (const KeptCall::Bump& bump : kept.bumps)
    for (int64_t i = 0; i < bump.times; ++i) key.tensors()[bump.argument]->unsafeGetTensorImpl()->bump_version();
}

void MakeViews(ModeState& mode, const KeptCall& kept, c10::ArrayRef<c10::IValue> results) {
  const BelowMode below(mode);
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
  const KeptCall* kept = has_key_ ? key_.mode()->composites().Find(key_) : nullptr;
  if (!kept) return false;
  ModeState& mode = *key_.mode();
  const auto alive = mode.shared_from_this();
  CountVersions(*kept, key_);  // which Replay takes off the stack
  Replay(op_, *kept, key_, stack_);
  if (!kept->views.empty()) MakeViews(mode, *kept, torch::jit::last(stack_, op_.schema().returns().size()));
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
