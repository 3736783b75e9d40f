// Who is behind the operators on fake tensors of this thread: one call of the LibTorch fallback, or a FakeTensorMode.
#pragma once

#include <ATen/core/TensorBody.h>
#include <c10/core/SymNodeImpl.h>

#include "lib/rules/core/call.h"

namespace fakeprop::dispatch {

// Expressions over symbols as LibTorch's, and back; null where one is not the host's.
class HostSymbols {
 public:
  virtual ~HostSymbols() = default;
  virtual c10::SymNode ToSymbol(const SymNode* expression) const = 0;
  virtual const SymNode* FromSymbol(const c10::SymNodeImpl& symbol) const = 0;
};

// Whether asking for a fake storage's data pointer to read from is an error, as to write to always is. Some of
// LibTorch's composites ask without reading.
enum class DataPointers { kReadable, kForbidden };

// What the data of a fake tensor was asked before, and how often it has changed since.
struct DataHistory {
  std::shared_ptr<Memos> memos;  // kept with the tensor; null where nobody keeps them
  uint32_t writes = 0;
};

class Host {
 public:
  Host(const ExecutionState& state, DataPointers data_pointers) : state_(state), data_pointers_(data_pointers) {}
  virtual ~Host() = default;
  // The innermost host of this thread, or null.
  static Host* Current();

  // The thread's state as rules see it; grad mode is the thread's own.
  const ExecutionState& state() const { return state_; }
  bool forbids_reading() const { return data_pointers_ == DataPointers::kForbidden; }

  // Whether fake tensors show the key Python; calls must not be dispatched by it then.
  virtual bool PosesAsPython() const = 0;
  // Called when a tensor got the key Python.
  virtual void NotePosing(const at::Tensor&) const {}
  // The fake tensor that stands in for a real one, the same for the same: LibTorch makes real 0-dim tensors of numbers
  // without asking the dispatcher.
  virtual at::Tensor FakeOf(const at::Tensor& real) = 0;
  // What is known of a fake tensor's data, until it is written to.
  virtual void RememberConstant(const at::Tensor& tensor, Constant constant) = 0;
  virtual Constant FindConstant(const at::Tensor& tensor) const = 0;
  // An operator writes to a fake tensor's data. Whoever reads the effects of a call off its arguments counts writes by
  // their version; where autograd has its own count, nobody below it may.
  virtual void NoteWrite(const at::Tensor& tensor) { tensor.unsafeGetTensorImpl()->bump_version(); }
  virtual DataHistory HistoryOf(const at::Tensor&) const { return {}; }
  // Null for a host without symbols: sizes are numbers then.
  virtual const HostSymbols* symbols() const { return nullptr; }
  // The object that a fake tensor was made of, where it is an argument of the host's own call; or null.
  virtual Tensor* FindArgument(const c10::TensorImpl*) const { return nullptr; }
  // What a new fake storage of this many bytes holds in the place of memory: no data, a context of the host's.
  virtual c10::DataPtr NewStorageContext(int64_t, Device) { return {nullptr, Device(DeviceType::Meta)}; }

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
