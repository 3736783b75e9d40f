#include "lib/fake/watched_call.h"

#include <ATen/core/Tensor.h>

#include <algorithm>

#include "lib/dispatch/autograd_meta.h"
#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/layout_tensors.h"
#include "lib/dispatch/sym_ints.h"
#include "lib/fake/mode_state.h"

namespace fakeprop::fake {

// What was seen of an argument before the call.
struct WatchedCall::Seen {
  explicit Seen(const at::Tensor& t)
      : tensor(&t),
        record(FindRecord(t)),
        writes(record ? record->writes : 0),
        nbytes(dispatch::StorageOf(t) ? dispatch::StorageOf(t)->sym_nbytes() : c10::SymInt(0)),
        version(t._version()),
        requires_grad(t.requires_grad()),
        sizes(t.sym_sizes().vec()),
        strides(t.sym_strides().vec()),
        offset(t.sym_storage_offset()) {}

  bool IsWritten() const { return tensor->_version() != version; }
  // Data apart, the tensor is what it was.
  bool IsSame() const {
    return FindRecord(*tensor) == record && !HasGrown() && tensor->sym_sizes() == sizes &&
           tensor->sym_strides() == strides && tensor->sym_storage_offset() == offset;
  }
  // The storage that it had, or its new one.
  bool HasGrown() const { return dispatch::StorageOf(*tensor) && dispatch::StorageOf(*tensor)->sym_nbytes() != nbytes; }

  const at::Tensor* tensor;
  const StorageRecord* record;
  uint32_t writes;
  c10::SymInt nbytes;
  int64_t version;
  bool requires_grad;
  std::vector<c10::SymInt> sizes, strides;
  c10::SymInt offset;
};

namespace {

KeptCall::View ViewOf(size_t result, const at::Tensor& t) {
  return {result, dispatch::ReadMeta(at::Tensor(t._base())), dispatch::OriginOf(t)};
}

}  // namespace

WatchedCall::WatchedCall(const c10::OperatorHandle& op, const CallKey& key)
    : key_(key), is_set_(op.operator_name().name == "aten::set_"), tensors_(StandInsFor(key)) {
  for (const at::Tensor* t : key.tensors()) seen_.emplace_back(*t);
}

WatchedCall::~WatchedCall() = default;

std::optional<KeptCall> WatchedCall::Describe(c10::ArrayRef<c10::IValue> results) {
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

// Also of results, if the call is an out= form.
bool WatchedCall::AddWrites(KeptCall& kept) const {
  for (size_t i = 0; i < seen_.size(); ++i) {
    const Seen& seen = seen_[i];
    if (seen.tensor->requires_grad() != seen.requires_grad) return false;
    if (!seen.IsSame() && !AddChange(i, kept)) return false;
    if (seen.IsWritten()) {
      if (key_.has_known() || IsShared(seen)) return false;
      kept.bumps.push_back({i, seen.tensor->_version() - seen.version});
    }
    if (seen.record && seen.record->writes != seen.writes)
      kept.effects.mutations.push_back({.target = Place(i), .writes = true});
  }
  return true;
}

// A tensor that got other sizes, strides or offset, a storage that grew, or that of another argument. Operators that
// resize their results are not kept: they may warn each time.
bool WatchedCall::AddChange(size_t argument, KeptCall& kept) const {
  const Seen& seen = seen_[argument];
  const at::Tensor& t = *seen.tensor;
  const StorageRecord* record = FindRecord(t);
  if (!is_set_ || key_.has_known() || !record || dispatch::PartsOf(t).values) return false;
  Mutation change{.target = Place(argument), .meta = dispatch::ReadMeta(t)};
  if (record != seen.record) {
    const auto has_it = [&](const Seen& other) { return other.record == record; };
    const auto other = std::find_if(seen_.begin(), seen_.end(), has_it);
    if (other == seen_.end()) return false;
    change.storage_of = Place(static_cast<size_t>(other - seen_.begin()));
  }
  if (seen.HasGrown()) change.nbytes = dispatch::ToDim(t.storage().sym_nbytes());
  kept.effects.mutations.push_back(std::move(change));
  return true;
}

// Arguments on one storage may count one version.
bool WatchedCall::IsShared(const Seen& seen) const {
  const auto counts = [&](const Seen& s) { return s.record == seen.record && s.IsWritten(); };
  return std::count_if(seen_.begin(), seen_.end(), counts) > 1;
}

bool WatchedCall::Add(const c10::IValue& result, std::vector<Output>& outputs) {
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
bool WatchedCall::AddArgument(const at::Tensor& t, std::vector<Output>& outputs) const {
  const auto same = [&](const Seen& seen) { return seen.tensor->is_same(t); };
  const auto it = std::find_if(seen_.begin(), seen_.end(), same);
  if (it == seen_.end()) return false;
  Output& output = outputs.emplace_back();
  output.kind = Output::Kind::kArgument;
  output.source = Place(static_cast<size_t>(it - seen_.begin()));
  return true;
}

// A plain tensor that has a storage of its own, and nobody knows yet, or none.
bool WatchedCall::AddTensor(const at::Tensor& t, Output& output) {
  if (!t.defined()) return true;
  if (dispatch::PartsOf(t).values) return AddSparse(t, output);
  const StorageRecord* record = FindRecord(t);
  if (!record || record->mode.get() != key_.mode() || record->known || record->draft || record->is_pinned) return false;
  const c10::TensorImpl* impl = t.unsafeGetTensorImpl();
  if (t.requires_grad() || impl->layout() != c10::kStrided || impl->is_wrapped_number()) return false;
  if (impl->key_set().has(c10::DispatchKey::ZeroTensor) || !IsNewStorage(*record)) return false;
  output.kind = Output::Kind::kNew;
  output.meta = dispatch::ReadMeta(t);
  output.nbytes = dispatch::ToDim(t.storage().sym_nbytes());
  results_.push_back(record);
  return true;
}

bool WatchedCall::AddSparse(const at::Tensor& t, Output& output) {
  const dispatch::PartsInside parts = dispatch::PartsOf(t);
  output.kind = Output::Kind::kNew;
  output.meta = dispatch::ReadLayoutMeta(t);
  output.is_coalesced = parts.is_coalesced;
  for (const at::Tensor* part : {parts.values, parts.indices, parts.plain})
    if (part && !AddPart(*part, output.items)) return false;
  return !t.requires_grad();
}

// Indices are often those of an argument, in another shape.
bool WatchedCall::AddPart(const at::Tensor& part, std::vector<Output>& parts) {
  const auto shares = [&](const Seen& seen) { return seen.record == FindRecord(part); };
  const auto it = std::find_if(seen_.begin(), seen_.end(), shares);
  if (it == seen_.end()) return AddTensor(part, parts.emplace_back());
  Output& output = parts.emplace_back();
  output.kind = Output::Kind::kAlias;
  output.meta = dispatch::ReadMeta(part);
  output.source = Place(static_cast<size_t>(it - seen_.begin()));
  return it->record != nullptr;
}

bool WatchedCall::IsNewStorage(const StorageRecord& record) const {
  return std::none_of(seen_.begin(), seen_.end(), [&](const Seen& s) { return s.record == &record; }) &&
         std::find(results_.begin(), results_.end(), &record) == results_.end();
}

// What is alive after the call must be its results.
bool WatchedCall::HoldsResultsAlone(std::vector<ByteWatch::Bytes> bytes) const {
  for (const StorageRecord* record : results_) {
    const auto it = std::find_if(bytes.begin(), bytes.end(), [&](const auto& b) { return b.device == record->device; });
    if (it != bytes.end()) it->live -= record->nbytes;
  }
  return std::all_of(bytes.begin(), bytes.end(), [](const ByteWatch::Bytes& b) { return b.live == 0; });
}

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

}  // namespace fakeprop::fake
