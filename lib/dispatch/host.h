// Who is behind the operators on fake tensors of this thread: one call of the tail, or a FakeTensorMode.
#pragma once

#include <ATen/core/TensorBody.h>
#include <c10/core/SymNodeImpl.h>

#include "lib/rules/call.h"

namespace fakeprop::dispatch {

class Host {
 public:
  virtual ~Host() = default;
  // The innermost host of this thread, or null.
  static Host* Current();

  // The thread's state as rules see it; grad mode is the thread's own.
  virtual const WalkState& state() const = 0;
  // Whether our rule for the operator is left out.
  virtual bool IsJudged(std::string_view) const { return false; }
  // Whether fake tensors show the key Python; calls must not be dispatched by it then.
  virtual bool PosesAsPython() const { return false; }
  // A tensor has been made to.
  virtual void NotePosing(const at::Tensor&) const {}
  // Whether asking for a fake storage's data pointer to read from is an error, as to write to always is. Some of
  // LibTorch's composites ask without reading.
  virtual bool ForbidsReading() const { return false; }
  // The fake tensor that stands in for a real one, the same for the same: LibTorch makes real 0-dim tensors of numbers
  // without asking the dispatcher.
  virtual at::Tensor FakeOf(const at::Tensor& real) = 0;
  // What is known of a fake tensor's data, until it is written to.
  virtual void RememberConstant(const at::Tensor& tensor, Constant constant) = 0;
  virtual Constant FindConstant(const at::Tensor& tensor) const = 0;
  // An operator writes to a fake tensor's data. Whoever reads the effects of a call off its arguments counts writes by
  // their version; where autograd has its own count, nobody below it may.
  virtual void NoteWrite(const at::Tensor& tensor) { tensor.unsafeGetTensorImpl()->bump_version(); }
  // An expression over symbols as LibTorch's, and back. A host without symbols gives null: sizes are numbers then.
  virtual c10::SymNode ToSymbol(const SymNode*) const { return {}; }
  virtual const SymNode* FromSymbol(const c10::SymNodeImpl&) const { return nullptr; }
  // What the data of a fake tensor was asked before, kept with the tensor; null where nobody keeps it. `WritesTo`: how
  // often its data has changed since.
  virtual std::shared_ptr<Memos> MemosOf(const at::Tensor&) const { return nullptr; }
  virtual uint32_t WritesTo(const at::Tensor&) const { return 0; }
  // The object that a fake tensor was made of, where it is an argument of the host's own call; or null.
  virtual Tensor* FindArgument(const c10::TensorImpl*) const { return nullptr; }
  // What a new fake storage of this many bytes holds in the place of memory: no data, a context of the host's.
  virtual c10::DataPtr NewStorageContext(int64_t, Device) { return {nullptr, Device(DeviceType::Meta)}; }
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
