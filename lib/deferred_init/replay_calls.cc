#include "lib/deferred_init/replay_calls.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/VariableHooksInterface.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <map>

#include "fakeprop/deferred_init.h"
#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/for_each_tensor.h"

namespace fakeprop::deferred_init {
namespace {

using c10::IValue;
using torch::jit::Stack;

bool IsMissing(const std::shared_ptr<Node>& node) { return node && !node->done; }

// Calls `visit` for each call that has to run before.
template <typename Visit>
void ForEachDependency(const Node& node, const Visit& visit) {
  for (const Input& input : node.inputs) {
    if (input.like_only) continue;
    if (!input.pinned.defined()) {
      if (IsMissing(input.slot->maker)) visit(input.slot->maker);
      if (IsMissing(input.last_reshape)) visit(input.last_reshape);
    }
    const bool has_copy = !input.bytes;
    if ((input.reads || input.writes) && !has_copy && IsMissing(input.last_write)) visit(input.last_write);
  }
}

// Runs one call, in a thread that has the recorded state.
class Call {
 public:
  Call(Node& node, const ReplayOptions& options) : node_(node), options_(options) {}

  void Run() {
    Stack stack = Arguments();
    {
      std::optional<DrawScope> draw;
      if (DrawsOnCpu()) draw.emplace(*node_.random);
      Dispatch(stack);
      if (draw && !draw->DrewAsCounted())
        throw DeferredInitError(node_.Name(), "LibTorch drew another count of random numbers than expected");
    }
    Keep(stack);
  }

 private:
  bool DrawsOnCpu() const { return node_.random && DeviceOf(*node_.draws_on).is_cpu(); }

  c10::Device DeviceOf(c10::Device recorded) const { return options_.device.value_or(recorded); }

  Stack Arguments() const {
    Stack stack;
    stack.reserve(node_.arguments.size());
    for (const IValue& argument : node_.arguments)
      stack.push_back(argument.isDevice() ? IValue(DeviceOf(argument.toDevice())) : argument);
    uint32_t own_list = UINT32_MAX;
    for (const Input& input : node_.inputs) {
      IValue& argument = stack[input.argument];
      if (!argument.isList()) {
        argument = TensorFor(input);
        continue;
      }
      if (std::exchange(own_list, input.argument) != input.argument) argument = argument.toList().copy();
      argument.toList().set(input.element, TensorFor(input));
    }
    return stack;
  }

  at::Tensor TensorFor(const Input& input) const {
    if (input.pinned.defined()) return input.pinned;
    if (input.like_only) return StandIn(*input.geometry);
    CheckGiven(node_, input);
    at::Tensor real = input.slot->Real();
    if (input.is_leaf_that_requires_grad && real.is_leaf() && !real.requires_grad()) real.set_requires_grad(true);
    return real;
  }

  // Nobody reads its elements, so it has none.
  at::Tensor StandIn(const Geometry& geometry) const {
    const ThreadStateScope plain(PlainState());
    const at::Tensor tensor = at::empty({0}, at::device(DeviceOf(geometry.device)).dtype(geometry.dtype));
    tensor.unsafeGetTensorImpl()->set_sizes_and_strides(geometry.sizes, geometry.strides);
    return tensor;
  }

  void Dispatch(Stack& stack) const {
    switch (node_.kind) {
      case CallKind::kOperator: return node_.op->callBoxed(stack);
      case CallKind::kVariableData: stack = {at::Tensor(stack[0].toTensor().variable_data())}; return;
      case CallKind::kTensorData: stack = {at::Tensor(stack[0].toTensor().tensor_data())}; return;
      case CallKind::kSetData:
        stack[0].toTensor().set_data(stack[1].toTensor());
        stack.pop_back();
        return;
    }
  }

  void Keep(const Stack& results) const {
    for (const Output& output : node_.outputs) {
      const auto slot = output.slot.lock();
      if (!slot) continue;
      ForEachElement(results[output.result], [&](const at::Tensor& t, uint32_t element) {
        if (element == output.element) slot->real = t;
      });
    }
  }

  Node& node_;
  const ReplayOptions& options_;
};

at::Tensor CopyOfBytes(const at::Tensor& t) {
  const auto nbytes = static_cast<int64_t>(t.storage().nbytes());
  const auto options = at::device(t.device()).dtype(at::kByte);
  const at::Tensor bytes = at::empty({0}, options).set_(t.storage(), 0, {nbytes}, {1});
  return at::empty({nbytes}, options).copy_(bytes);
}

void MakeReal(
    const std::shared_ptr<Slot>& slot, const std::shared_ptr<Node>& last_reshape, const ReplayOptions& options) {
  if (!IsMissing(slot->maker) && !IsMissing(last_reshape)) return;
  Plan plan;
  if (slot->maker) plan.AddNode(slot->maker);
  if (last_reshape) plan.AddNode(last_reshape);
  plan.Run(options);
}

// Later calls must not see what `write` does to its arguments: calls that were recorded before it, but run after it.
// They get a copy of the bytes, or an alias with the old sizes.
class EarlierReaders {
 public:
  EarlierReaders(const Node& write, const ReplayOptions& options) : write_(write), options_(options) {}

  void Pin() {
    for (const Input& input : write_.inputs) {
      if (input.reshapes) PinShapes(input.slot);
      if (input.writes && input.bytes) PinBytes(input);
    }
  }

 private:
  template <typename Visit>
  void ForEachEarlier(Readers& readers, const Visit& visit) {
    for (const auto& node : readers.TakeBefore(write_.order))
      for (Input& input : node->inputs)
        if (!input.like_only) visit(input);
  }

  void PinShapes(const std::shared_ptr<Slot>& slot) {
    ForEachEarlier(slot->readers, [&](Input& input) {
      if (input.slot != slot || input.pinned.defined()) return;
      MakeReal(input.slot, input.last_reshape, options_);
      const ThreadStateScope plain(PlainState());
      const at::Tensor real = input.slot->Real();
      input.pinned = ViewOn(real.storage(), real);
    });
  }

  void PinBytes(const Input& written) {
    at::Tensor copy;
    ForEachEarlier(written.bytes->readers, [&](Input& input) {
      if (input.bytes != written.bytes || !input.reads) return;
      if (!input.pinned.defined()) MakeReal(input.slot, input.last_reshape, options_);
      const at::Tensor real = input.pinned.defined() ? input.pinned : input.slot->Real();
      const ThreadStateScope plain(PlainState());
      if (!copy.defined()) copy = CopyOfBytes(real);
      input.pinned = ViewOn(copy.storage(), real);
      input.bytes = nullptr;
    });
  }

  const Node& write_;
  const ReplayOptions& options_;
};

// Releases what the node needed.
void Spend(Node& node) {
  std::vector<Input> inputs = std::move(node.inputs);
  node.inputs.clear();
  node.arguments.clear();
  node.reals.clear();
  node.state.reset();
  node.random.reset();
  for (const Output& output : node.outputs)
    if (const auto slot = output.slot.lock()) slot->maker.reset();
}

// Nothing if the tensor is as it was when the call was recorded.
std::string ChangeOf(const RealArgument& recorded, const at::Tensor& now) {
  if (!recorded.version)
    return "is an inference tensor that was made outside of the recording: LibTorch does not count its changes, so the "
           "call cannot be replayed";
  const bool has_other_data = dispatch::StorageOf(now) != recorded.storage;
  if (!has_other_data && now._version() == *recorded.version) return "";
  return std::string("is a real tensor that was ") +
         (has_other_data ? "given other data (set_data)" : "changed in place") +
         " after the call was recorded; pass a clone of it, or change it after materialising";
}

}  // namespace

uint64_t Plan::NextWalk() {
  static uint64_t last = 0;
  return ++last;
}

void Plan::AddFake(const at::Tensor& fake) {
  const auto add = [&](const std::shared_ptr<Node>& node) {
    if (node) AddNode(node);
  };
  Group* group = FindGroup(fake);
  const Recording& own = *FindRecording(fake);
  add(own.slot->maker);
  add(own.last_reshape);
  for (const at::Tensor& alias : group->Live()) {
    if (const Recording* recording = FindRecording(alias)) {
      add(recording->slot->maker);
      add(recording->last_reshape);
    }
  }
  add(group->last_write);
}

void Plan::AddNode(const std::shared_ptr<Node>& root) {
  std::vector<std::shared_ptr<Node>> waiting = {root};
  while (!waiting.empty()) {
    const std::shared_ptr<Node> node = std::move(waiting.back());
    waiting.pop_back();
    if (node->done || node->visited == walk_) continue;
    node->visited = walk_;
    ForEachDependency(*node, [&](const std::shared_ptr<Node>& dependency) { waiting.push_back(dependency); });
    nodes_.push_back(node);
  }
}

// A copy of an argument would cut the graph of autograd, so readers that autograd follows run before the write.
void Plan::AddEarlyReaders() {
  for (size_t before = 0; before != nodes_.size();) {
    before = nodes_.size();
    std::map<std::shared_ptr<Bytes>, uint64_t> last_writes;
    for (const auto& write : nodes_)
      for (const Input& input : write->inputs)
        if (input.writes && input.bytes) last_writes[input.bytes] = std::max(last_writes[input.bytes], write->order);
    for (const auto& [bytes, order] : last_writes)
      for (const auto& reader : bytes->tracked.Before(order)) AddNode(reader);
  }
}

const std::vector<std::shared_ptr<Node>>& Plan::InOrder() {
  AddEarlyReaders();
  std::sort(nodes_.begin(), nodes_.end(), [](const auto& a, const auto& b) { return a->order < b->order; });
  return nodes_;
}

void CheckReals(const Node& node) {
  auto recorded = node.reals.begin();
  for (size_t i = 0; i < node.arguments.size(); ++i)
    ForEachElement(node.arguments[i], [&](const at::Tensor& t, uint32_t) {
      const std::string change = ChangeOf(*recorded++, t);
      if (change.empty()) return;
      throw DeferredInitError(node.Name(),
          "the argument `" + node.ArgumentName(static_cast<uint32_t>(i)) + "` of " + node.Name() + " " + change);
    });
}

void CheckGiven(const Node& node, const Input& input) {
  const Slot& slot = *input.slot;
  const at::Tensor real = slot.Real();
  if (slot.given.expired() || real.is_inference() || real._version() == slot.given_version) return;
  throw DeferredInitError(node.Name(),
      "the argument `" + node.ArgumentName(input.argument) + "` of " + node.Name() +
          " was materialised and then changed in place, so the call can no longer be replayed; materialise what "
          "depends on a tensor before you change it");
}

void Plan::Run(const ReplayOptions& options) {
  for (const auto& node : InOrder()) CheckReals(*node);
  std::optional<ThreadStateScope> scope;
  std::shared_ptr<const ThreadState> current;  // consecutive calls share it
  for (const auto& node : nodes_) {
    if (node->done) continue;
    EarlierReaders(*node, options).Pin();
    if (current != node->state) {
      scope.reset();
      scope.emplace(*(current = node->state));
    }
    Call(*node, options).Run();
    node->done = true;
    for (const Input& input : node->inputs)
      if (input.writes && input.bytes) input.bytes->written_by_order = node->order;
    if (!options.keep) Spend(*node);
  }
  nodes_.clear();
}

at::Tensor ViewOn(const c10::Storage& storage, const at::Tensor& like) {
  at::Tensor view = at::empty({0}, like.options().requires_grad(false));
  view.set_(storage, like.storage_offset(), like.sizes(), like.strides());
  if (like.is_conj()) view.unsafeGetTensorImpl()->_set_conj(true);
  if (like.is_neg()) view.unsafeGetTensorImpl()->_set_neg(true);
  return view;
}

at::Tensor RealOf(const at::Tensor& fake, const ReplayOptions& options) {
  Plan plan;
  plan.AddFake(fake);
  plan.Run(options);
  return FindRecording(fake)->slot->Real();
}

void SpareReaders(const at::Tensor& fake, const ReplayOptions& options) {
  const std::lock_guard lock(GraphMutex());
  RealOf(fake, options);
  Node write;  // by nobody knows whom
  write.order = UINT64_MAX;
  Input& input = write.inputs.emplace_back();
  input.bytes = FindGroup(fake)->bytes;
  input.writes = true;
  Plan readers;
  for (const auto& reader : input.bytes->tracked.Before(write.order)) readers.AddNode(reader);
  readers.Run(options);
  EarlierReaders(write, options).Pin();
}

}  // namespace fakeprop::deferred_init
