// The graph of recorded calls. A node refers only to earlier nodes, so plain reference counts own everything: a fake
// owns its slot, and a slot or a node owns the calls that it needs. References to later calls are weak.
#pragma once

#include <ATen/core/TensorBody.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "lib/deferred_init/random_stream.h"
#include "lib/deferred_init/thread_state.h"

namespace fakeprop::deferred_init {

struct Node;

// Calls that are still to run and that take a tensor or its bytes, by order.
class Readers {
 public:
  void Add(const std::shared_ptr<Node>& node);
  // Those that were recorded before `order`, are alive and have not run.
  std::vector<std::shared_ptr<Node>> Before(uint64_t order) const;
  // The same, and forgets them.
  std::vector<std::shared_ptr<Node>> TakeBefore(uint64_t order);

 private:
  struct Entry {
    uint64_t order;
    std::weak_ptr<Node> node;
  };
  std::deque<Entry> entries_;
  size_t prune_at_ = 8;
};

// The identity of one tensor.
struct Slot {
  std::shared_ptr<Node> maker;  // the call that returns it first
  at::Tensor real;              // once `maker` has run
  Readers readers;              // calls whose argument it is
  // After the tensor was given to the program: the fake that became real, and its version at that time.
  c10::weak_intrusive_ptr<c10::TensorImpl> given{c10::intrusive_ptr<c10::TensorImpl>()};
  uint32_t given_version = 0;

  // The tensor that calls take: the program's own, if it has one.
  at::Tensor Real() const;
};

// The identity of the bytes that tensors share.
struct Bytes {
  Readers readers;                // calls that read them
  Readers tracked;                // those among them that autograd follows
  uint64_t written_by_order = 0;  // the last call that has written to them
};

// Sizes and strides of an argument, as they were when the call was recorded.
struct Geometry {
  explicit Geometry(const at::Tensor& t);
  std::vector<int64_t> sizes, strides;
  int64_t offset;
  c10::ScalarType dtype;
  c10::Device device;
  int64_t nbytes;  // of the storage
  bool contiguous;
  int64_t numel() const;
};

// A deferred tensor among the arguments of a call.
struct Input {
  uint32_t argument = 0;
  uint32_t element = 0;  // in a list of tensors
  std::shared_ptr<Slot> slot;
  std::shared_ptr<Bytes> bytes;
  std::shared_ptr<Node> last_reshape;  // the last earlier call that changed the tensor's metadata in place
  std::shared_ptr<Node> last_write;    // the last earlier call that wrote to the bytes
  std::shared_ptr<const Geometry> geometry;
  bool reads = true;  // the bytes, not only the metadata
  bool writes = false;
  bool reshapes = false;   // changes the metadata in place
  bool like_only = false;  // any tensor of this geometry will do: zeros_like
  bool is_leaf_that_requires_grad = false;
  at::Tensor pinned;  // replaces the tensor, which has changed since
};

// A real tensor among the arguments of a call, as it was when the call was recorded.
struct RealArgument {
  explicit RealArgument(const at::Tensor& t);
  // None for inference tensors, whose changes are not counted.
  std::optional<uint32_t> version;
  const c10::StorageImpl* storage;
};

struct Output {
  uint32_t result = 0;
  uint32_t element = 0;
  std::weak_ptr<Slot> slot;
};

enum class CallKind : uint8_t { kOperator, kVariableData, kTensorData, kSetData };

// One recorded call.
struct Node : std::enable_shared_from_this<Node> {
  ~Node();
  std::string Name() const;
  std::string ArgumentName(uint32_t argument) const;

  uint64_t order = 0;
  CallKind kind = CallKind::kOperator;
  std::optional<c10::OperatorHandle> op;
  std::vector<c10::IValue> arguments;  // undefined tensors stand for the inputs
  std::vector<RealArgument> reals;     // the real tensors among them, in order
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::shared_ptr<const ThreadState> state;
  std::optional<RandomPlace> random;
  int64_t made_bytes = 0;  // of new storages
  std::optional<c10::Device> draws_on;
  bool tracks_grad = false;
  bool done = false;
  uint64_t visited = 0;  // by which walk
};

// What a deferred fake holds.
struct Recording {
  std::shared_ptr<Slot> slot;
  std::shared_ptr<Node> last_reshape;
  // While the tensor is real but its recording is kept: what it was as a fake, and its version when it became real.
  c10::intrusive_ptr<c10::TensorImpl> as_fake;
  std::optional<uint32_t> real_version;
};

// What the storage of deferred fakes holds.
struct Group {
  std::shared_ptr<Bytes> bytes = std::make_shared<Bytes>();
  std::shared_ptr<Node> last_write;
  std::vector<c10::weak_intrusive_ptr<c10::TensorImpl>> members;
  // Those that are alive and still on this storage.
  std::vector<at::Tensor> Live();
};

// Null if the tensor is not deferred.
Recording* FindRecording(const at::Tensor& tensor);
// The same for a real tensor whose recording is kept.
Recording* FindKept(const at::Tensor& tensor);
// Null if no deferred tensor is on this storage.
Group* FindGroup(const at::Tensor& fake);
// Adds the tensor to the group of its storage.
Group& Join(const at::Tensor& fake);
// Makes the fake deferred: the result of `maker`.
void Attach(const at::Tensor& fake, const std::shared_ptr<Node>& maker, uint32_t result, uint32_t element);

// Guards the graph: one call is recorded or replayed at a time.
std::recursive_mutex& GraphMutex();

// Visits the tensors of a boxed value, with their indices if it is a list. Undefined ones are left out.
template <typename Visit>
void ForEachElement(const c10::IValue& value, const Visit& visit) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) visit(value.toTensor(), 0u);
  } else if (value.isTensorList() || value.isOptionalTensorList()) {
    uint32_t index = 0;
    for (const c10::IValue& item : value.toListRef()) {
      if (item.isTensor() && item.toTensor().defined()) visit(item.toTensor(), index);
      ++index;
    }
  }
}

}  // namespace fakeprop::deferred_init
