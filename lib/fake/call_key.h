// What the effects of an operator's call depend on, as words: the operator, the metadata of its tensors and which of
// them share storage, its other arguments, and the state of the thread. Calls with equal words have equal effects.
#pragma once

#include <ATen/core/IListRef.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <array>
#include <memory>
#include <optional>
#include <string_view>

#include "lib/dispatch/apply_effects.h"

namespace fakeprop {
class ShapeEnv;
}

namespace fakeprop::fake {

class ModeState;
struct StorageRecord;

class CallKey {
 public:
  // Reads a call of fake tensors of the mode, or of the first tensor's mode if it is null. Returns false if the effects
  // depend on more: on known data of many elements, real tensors, objects; and if all data is known. If the mode has a
  // ShapeEnv, SymbolsMutex must be locked.
  bool Read(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments, ModeState* mode);

  // The same for arguments that are not boxed: Begin, AddArgument for each, End. What returns false ends it.
  void Begin(const c10::OperatorHandle& op, ModeState* mode);
  bool AddArgument(const at::Tensor& t) { return AddTensor(t); }
  bool AddArgument(bool value);
  bool AddArgument(double value);
  bool AddArgument(int64_t value);
  bool AddArgument(c10::ScalarType value) { return AddArgument(static_cast<int64_t>(value)); }
  bool AddArgument(c10::Layout value) { return AddArgument(static_cast<int64_t>(value)); }
  bool AddArgument(c10::MemoryFormat value) { return AddArgument(static_cast<int64_t>(value)); }
  bool AddArgument(const c10::SymInt& value);
  bool AddArgument(const c10::Scalar& value) { return Add(c10::IValue(value)); }
  bool AddArgument(c10::Device value) { return Add(c10::IValue(value)); }
  bool AddArgument(const at::Generator& value) { return Add(c10::IValue(value)); }
  bool AddArgument(std::string_view text);
  bool AddArgument(c10::IntArrayRef items);
  bool AddArgument(c10::SymIntArrayRef items);
  bool AddArgument(c10::ArrayRef<double> items);
  bool AddArgument(const at::ITensorListRef& items);
  bool AddArgument(const c10::List<std::optional<at::Tensor>>& items);
  template <size_t kSize>
  bool AddArgument(const std::array<bool, kSize>& items) {
    return Add(c10::IValue(items));
  }
  template <typename T>
  bool AddArgument(c10::OptionalArrayRef<T> items) {
    return items ? AddArgument(*items) : AddNone();
  }
  template <typename T>
  bool AddArgument(const std::optional<T>& value) {
    return value ? AddArgument(*value) : AddNone();
  }
  bool End();

  ModeState* mode() const { return mode_; }
  uint64_t hash() const { return hash_; }
  c10::ArrayRef<int64_t> words() const { return words_; }
  // The tensors of the call, each once, in order. A tensor without elements stands for an argument that is a storage.
  c10::ArrayRef<const at::Tensor*> tensors() const { return tensors_; }
  // How much was known of the symbols when the call was read.
  int64_t knowledge() const { return knowledge_; }
  // Whether it has the data of a tensor.
  bool has_known() const { return has_known_; }

 private:
  void Add(int64_t tag, int64_t value) {
    words_.push_back(tag);
    words_.push_back(value);
  }
  bool Add(const c10::IValue& value);
  bool AddNone();
  bool AddTensor(const at::Tensor& t);
  bool AddStorageItself(const c10::Storage& storage);
  bool AddMeta(const at::Tensor& t);
  bool AddSize(const c10::SymInt& size);
  void AddStorage(const at::Tensor& t);
  bool AddNumber(const at::Tensor& t);
  bool AddKnown(const at::Tensor& t, const StorageRecord& record);
  void AddString(std::string_view text);
  bool AddList(c10::ArrayRef<c10::IValue> items);
  void Finish();

  ModeState* mode_ = nullptr;
  bool has_known_ = false, has_unknown_ = false;
  int64_t knowledge_ = 0;
  uint64_t hash_ = 0;
  c10::SmallVector<int64_t, 64> words_;
  c10::SmallVector<const at::Tensor*, 8> tensors_;
  std::unique_ptr<at::Tensor> holder_;
};

// Grows with everything that becomes known of symbols: new ones, facts, guards. 0 without an environment.
int64_t KnowledgeOf(const ShapeEnv* env);

}  // namespace fakeprop::fake
