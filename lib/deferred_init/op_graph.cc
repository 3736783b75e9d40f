#include "lib/deferred_init/op_graph.h"

#include <ATen/core/Tensor.h>

#include <algorithm>

#include "fakeprop/deferred_init.h"
#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/fallback.h"
#include "lib/fake/mode_state.h"

namespace fakeprop::deferred_init {

using dispatch::FakeTensorImpl;

namespace {

// Null if the call has run, or if nobody needs it.
std::shared_ptr<Node> PendingOf(const std::weak_ptr<Node>& weak) {
  auto node = weak.lock();
  return node && !node->done ? node : nullptr;
}

}  // namespace

void Readers::Add(const std::shared_ptr<Node>& node) {
  if (entries_.size() >= prune_at_) {
    std::erase_if(entries_, [](const Entry& entry) { return !PendingOf(entry.node); });
    prune_at_ = std::max<size_t>(8, 2 * entries_.size());
  }
  // Threads that record at the same time, and calls that are to run again, may come late.
  const auto at = std::upper_bound(entries_.begin(), entries_.end(), node->order,
      [](uint64_t order, const Entry& entry) { return order < entry.order; });
  entries_.insert(at, {node->order, node});
}

std::vector<std::shared_ptr<Node>> Readers::Before(uint64_t order) const {
  std::vector<std::shared_ptr<Node>> pending;
  for (auto it = entries_.begin(); it != entries_.end() && it->order < order; ++it)
    if (auto node = PendingOf(it->node)) pending.push_back(std::move(node));
  return pending;
}

std::vector<std::shared_ptr<Node>> Readers::TakeBefore(uint64_t order) {
  auto pending = Before(order);
  while (!entries_.empty() && entries_.front().order < order) entries_.pop_front();
  return pending;
}

at::Tensor Slot::Real() const {
  auto alive = given.lock();
  return alive ? at::Tensor(std::move(alive)) : real;
}

Geometry::Geometry(const at::Tensor& t)
    : sizes(t.sizes().vec()),
      strides(t.strides().vec()),
      offset(t.storage_offset()),
      dtype(t.scalar_type()),
      device(t.device()),
      nbytes(static_cast<int64_t>(t.storage().nbytes())),
      contiguous(t.is_contiguous()) {}

RealArgument::RealArgument(const at::Tensor& t) : storage(dispatch::StorageOf(t)) {
  if (!t.is_inference()) version = static_cast<uint32_t>(t._version());
}

int64_t Geometry::numel() const {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  return count;
}

// A history may be a million calls long, so the nodes that this one owned are released in a loop.
Node::~Node() {
  thread_local std::vector<Input>* queue = nullptr;
  if (queue) {
    std::move(inputs.begin(), inputs.end(), std::back_inserter(*queue));
    return;
  }
  std::vector<Input> released = std::move(inputs);
  queue = &released;
  while (!released.empty()) {
    const Input input = std::move(released.back());
    released.pop_back();
  }
  queue = nullptr;
}

std::string Node::Name() const {
  switch (kind) {
    case CallKind::kVariableData: return "Tensor::variable_data";
    case CallKind::kTensorData: return "Tensor::tensor_data";
    case CallKind::kSetData: return "Tensor::set_data";
    case CallKind::kOperator: break;
  }
  return dispatch::FullName(op->operator_name());
}

std::string Node::ArgumentName(uint32_t argument) const {
  if (kind == CallKind::kOperator) return op->schema().arguments()[argument].name();
  return argument == 0 ? "self" : "new_data";
}

std::vector<at::Tensor> Group::Live() {
  std::vector<at::Tensor> live;
  std::erase_if(members, [&](const c10::weak_intrusive_ptr<c10::TensorImpl>& weak) {
    at::Tensor member(weak.lock());
    const Recording* kept = member.defined() ? FindKept(member) : nullptr;
    const bool is_here = member.defined() && FindGroup(kept ? at::Tensor(kept->as_fake) : member) == this;
    if (is_here) live.push_back(std::move(member));
    return !is_here;
  });
  return live;
}

namespace {

Recording* RecordingOf(const at::Tensor& tensor) {
  auto* impl = dynamic_cast<FakeTensorImpl*>(tensor.unsafeGetTensorImpl());
  return impl ? static_cast<Recording*>(impl->recording.get()) : nullptr;
}

}  // namespace

Recording* FindRecording(const at::Tensor& tensor) {
  return tensor.defined() && tensor.unsafeGetTensorImpl()->is_fake() ? RecordingOf(tensor) : nullptr;
}

Recording* FindKept(const at::Tensor& tensor) {
  return tensor.defined() && !tensor.unsafeGetTensorImpl()->is_fake() ? RecordingOf(tensor) : nullptr;
}

Group* FindGroup(const at::Tensor& fake) {
  fake::StorageRecord* record = fake::FindRecord(fake);
  return record ? static_cast<Group*>(record->recording.get()) : nullptr;
}

Group& Join(const at::Tensor& fake) {
  fake::StorageRecord* record = fake::FindRecord(fake);
  if (!record->recording) record->recording = std::make_shared<Group>();
  auto& group = *static_cast<Group*>(record->recording.get());
  // Views come and go. This keeps the list about as short as those that are alive.
  const size_t size = group.members.size();
  if (size >= 16 && (size & (size - 1)) == 0) group.Live();
  c10::weak_intrusive_ptr<c10::TensorImpl> member(fake.getIntrusivePtr());
  if (std::find(group.members.begin(), group.members.end(), member) == group.members.end())
    group.members.push_back(std::move(member));
  return group;
}

void Attach(const at::Tensor& fake, const std::shared_ptr<Node>& maker, uint32_t result, uint32_t element) {
  auto* impl = dynamic_cast<FakeTensorImpl*>(fake.unsafeGetTensorImpl());
  if (!impl)
    throw DeferredInitError(
        maker->Name(), maker->Name() + " gives a tensor that is not strided, which cannot be deferred");
  auto recording = std::make_shared<Recording>();
  recording->slot = std::make_shared<Slot>();
  recording->slot->maker = maker;
  maker->outputs.push_back({result, element, recording->slot});
  impl->recording = std::move(recording);
  Join(fake);
}

std::recursive_mutex& GraphMutex() {
  static auto* const mutex = new std::recursive_mutex;
  return *mutex;
}

}  // namespace fakeprop::deferred_init
