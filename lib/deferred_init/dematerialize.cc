// Drops real tensors again whose recording was kept.
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <mutex>

#include "fakeprop/deferred_init.h"
#include "lib/deferred_init/op_graph.h"
#include "lib/dispatch/fake_tensor.h"

namespace fakeprop {
namespace deferred_init {
namespace {

constexpr const char* kWasSpent = "a call that it depends on ran before, and its recording was not kept";

[[noreturn]] void Refuse(const std::string& reason) {
  throw DeferredInitError("", "the tensor cannot be dropped again: " + reason);
}

// The calls that wrote to the bytes of a group or made its tensors.
class GroupHistory {
 public:
  explicit GroupHistory(Group& group) : group_(group), aliases_(group.Live()) {
    for (const at::Tensor& alias : aliases_) {
      const Recording* kept = FindKept(alias);
      if (!kept) continue;
      storage_ = dispatch::StorageOf(kept->slot->real);
      if (!kept->slot->maker) Refuse(kWasSpent);
      Add(kept->slot->maker);
      Add(kept->last_reshape);
    }
    Add(group.last_write);
  }

  // Everything that the calls take must be there as it was.
  void Check() const {
    for (const auto& node : nodes_) CheckResults(*node);
    for (const auto& node : nodes_)
      for (const Input& input : node->inputs)
        if (!input.like_only) CheckAny(*node, input);
  }

  void Undo() {
    for (const auto& node : nodes_) {
      node->done = false;
      for (Input& input : node->inputs) {
        if (input.like_only) continue;
        if (IsOwn(input)) input.pinned.reset();  // an alias of what is dropped
        input.slot->readers.Add(node);
        if (!input.reads || !input.bytes) continue;
        input.bytes->readers.Add(node);
        if (node->tracks_grad) input.bytes->tracked.Add(node);
      }
      for (const Output& output : node->outputs)
        if (const auto slot = output.slot.lock()) slot->real.reset();
    }
    group_.bytes->written_by_order = 0;
  }

 private:
  bool IsOwn(const Input& input) const { return input.bytes == group_.bytes; }

  void Add(const std::shared_ptr<Node>& root) {
    std::vector<std::shared_ptr<Node>> waiting = {root};
    while (!waiting.empty()) {
      const std::shared_ptr<Node> node = std::move(waiting.back());
      waiting.pop_back();
      if (!node || !node->done || std::find(nodes_.begin(), nodes_.end(), node) != nodes_.end()) continue;
      if (!node->state) Refuse(kWasSpent);
      nodes_.push_back(node);
      for (const Input& input : node->inputs) {
        if (!IsOwn(input)) continue;
        waiting.push_back(input.slot->maker);
        waiting.push_back(input.last_reshape);
        waiting.push_back(input.last_write);
      }
    }
  }

  void CheckAny(const Node& node, const Input& input) const {
    if (IsOwn(input)) return CheckOwn(input);
    if (input.reshapes) Refuse(node.Name() + " has exchanged its memory");
    CheckInput(node, input);
  }

  // Results that have moved to another storage stay there, so the call cannot run again.
  void CheckResults(const Node& node) const {
    for (const Output& output : node.outputs) {
      const auto slot = output.slot.lock();
      if (slot && slot->real.defined() && dispatch::StorageOf(slot->real) != storage_)
        Refuse(node.Name() + " also gave a tensor that is elsewhere in memory");
    }
  }

  // All that is dropped must come from calls that can run again, and must not be a tensor that had another storage when
  // the call ran (set_, set_data) and is real now.
  void CheckOwn(const Input& input) const {
    if (!input.slot->maker) Refuse(kWasSpent);
    const at::Tensor now(input.slot->given.lock());
    const bool is_here = !now.defined() || std::any_of(aliases_.begin(), aliases_.end(),
                                               [&](const at::Tensor& alias) { return alias.is_same(now); });
    if (input.pinned.defined() && !is_here) Refuse(kWasSpent);
  }

  static void CheckInput(const Node& node, const Input& input) {
    const std::string argument = "`" + node.ArgumentName(input.argument) + "` of " + node.Name();
    if (input.writes) Refuse(node.Name() + " also wrote to other tensors");
    if (input.pinned.defined()) return;
    const bool is_there = input.slot->Real().defined() || (input.slot->maker && !input.slot->maker->done);
    if (!is_there) Refuse("the argument " + argument + " is gone");
    const uint64_t expected = input.last_write ? input.last_write->order : 0;
    if (input.bytes->written_by_order > expected) Refuse("the argument " + argument + " has changed since");
  }

  Group& group_;
  const std::vector<at::Tensor> aliases_;
  const c10::StorageImpl* storage_ = nullptr;
  std::vector<std::shared_ptr<Node>> nodes_;
};

void CheckUnchanged(const at::Tensor& tensor) {
  const Recording* kept = FindKept(tensor);
  if (!kept || tensor.is_inference()) return;
  if (tensor._version() != *kept->real_version) Refuse("it was changed in place after it was materialised");
}

void BecomeFake(const at::Tensor& tensor) {
  Recording* kept = FindKept(tensor);
  if (!kept) return;
  const auto as_fake = std::move(kept->as_fake);
  kept->slot->real.reset();
  kept->slot->given = c10::weak_intrusive_ptr<c10::TensorImpl>(c10::intrusive_ptr<c10::TensorImpl>());
  kept->real_version.reset();
  static_cast<dispatch::FakeTensorImpl*>(tensor.unsafeGetTensorImpl())->Become(*as_fake);
}

}  // namespace
}  // namespace deferred_init

void Dematerialize(const at::Tensor& tensor) {
  using namespace deferred_init;  // NOLINT: this file implements the public function
  const std::lock_guard lock(GraphMutex());
  if (FindRecording(tensor)) return;
  const Recording* kept = FindKept(tensor);
  if (!kept) Refuse("it was not materialised with `keep_recording`");
  Group& group = *FindGroup(at::Tensor(kept->as_fake));
  const std::vector<at::Tensor> aliases = group.Live();
  for (const at::Tensor& alias : aliases) CheckUnchanged(alias);
  GroupHistory history(group);
  history.Check();
  history.Undo();
  for (const at::Tensor& alias : aliases) BecomeFake(alias);
}

}  // namespace fakeprop
