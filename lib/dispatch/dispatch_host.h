// The host of the operators on fake tensors in this thread: one call of the LibTorch fallback, or a FakeTensorMode.
#pragma once

#include <ATen/core/TensorBody.h>
#include <c10/core/SymNodeImpl.h>

#include "lib/dispatch/apply_effects.h"
#include "lib/rules/core/call.h"

namespace fakeprop::dispatch {

// Converts expressions over symbols to LibTorch's and back. Null if a symbol is not the host's.
class HostSymbols {
 public:
  virtual ~HostSymbols() = default;
  virtual c10::SymNode ToSymbol(const SymNode* expression) const = 0;
  virtual const SymNode* FromSymbol(const c10::SymNodeImpl& symbol) const = 0;
};

// Decides whether asking a fake storage for a data pointer to read from is an error. To ask for one to write to is
// always an error. Some of LibTorch's composites ask for a pointer and do not read.
enum class DataPointers { kReadable, kForbidden };

// The earlier questions about the data of a fake tensor, and how often the data has changed since.
struct DataHistory {
  std::shared_ptr<Memos> memos;  // stored with the tensor; null if they are not stored
  uint32_t writes = 0;
};

class Host {
 public:
  Host(const ExecutionState& state, DataPointers data_pointers) : state_(state), data_pointers_(data_pointers) {}
  virtual ~Host() = default;
  // The innermost host of this thread, or null.
  static Host* Current();

  // The thread's state as rules see it. Grad mode is that of the thread.
  const ExecutionState& state() const { return state_; }
  bool forbids_reading() const { return data_pointers_ == DataPointers::kForbidden; }

  // Returns true if fake tensors show the key Python. Calls must then not be dispatched by this key.
  virtual bool PosesAsPython() const = 0;
  // Called when a tensor got the key Python.
  virtual void NotePosing(const at::Tensor&) const {}
  // The fake tensor for a real one; the same real tensor always gives the same fake. It is needed because LibTorch
  // makes real 0-dim tensors from numbers without asking the dispatcher.
  virtual at::Tensor FakeOf(const at::Tensor& real) = 0;
  // Remembers the known data of a fake tensor until the next write to it.
  virtual void RememberConstant(const at::Tensor& tensor, Constant constant) = 0;
  virtual Constant FindConstant(const at::Tensor& tensor) const = 0;
  // Called when an operator writes to the data of a fake tensor. By default it counts the write in the tensor's
  // version: the LibTorch fallback reads the effects of a call off the versions of its arguments. A host under autograd
  // must not count, because autograd counts itself.
  virtual void NoteWrite(const at::Tensor& tensor) { tensor.unsafeGetTensorImpl()->bump_version(); }
  virtual DataHistory HistoryOf(const at::Tensor&) const { return {}; }
  // Called with the effects of a rule before they are applied.
  virtual void NoteEffects(const c10::OperatorHandle&, const Effects&, c10::ArrayRef<StandIn>) {}
  // Null for a host without symbols. All sizes are then numbers.
  virtual const HostSymbols* symbols() const { return nullptr; }
  // Returns true if LibTorch's kernels may ask tensors with symbols for sizes as numbers.
  virtual bool sizes_give_hints() const { return false; }
  // If the fake tensor is an argument of the host's own call, the object that it was made of. Else null.
  virtual Tensor* FindArgument(const c10::TensorImpl*) const { return nullptr; }
  // The DataPtr of a new fake storage of this many bytes. It has no data, but a context of the host.
  virtual c10::DataPtr NewStorageContext(int64_t, c10::Device) { return {nullptr, c10::Device(c10::DeviceType::Meta)}; }

 private:
  const ExecutionState state_;
  const DataPointers data_pointers_;
};

// Makes a host this thread's current one.
class HostScope {
 public:
  explicit HostScope(Host* host);
  ~HostScope();
  HostScope(const HostScope&) = delete;

 private:
  Host* const outer_;
};

}  // namespace fakeprop::dispatch
