// What the effects of an operator's call depend on, as words: the operator, the metadata of its tensors and which of
// them share storage, its other arguments, and the state of the thread. Calls with equal words have equal effects.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

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

  ModeState* mode() const { return mode_; }
  uint64_t hash() const { return hash_; }
  c10::ArrayRef<int64_t> words() const { return words_; }
  // The tensors of the call, each once, in order.
  c10::ArrayRef<const at::Tensor*> tensors() const { return tensors_; }
  // How much was known of the symbols when the call was read.
  int64_t knowledge() const { return knowledge_; }
  // Whether it has the data of a tensor.
  bool has_known() const { return has_known_; }

 private:
  bool Add(const c10::IValue& value);
  bool AddTensor(const at::Tensor& t);
  bool AddMeta(const at::Tensor& t);
  bool AddSize(const c10::SymInt& size);
  void AddStorage(const at::Tensor& t);
  bool AddNumber(const at::Tensor& t);
  bool AddKnown(const at::Tensor& t, const StorageRecord& record);
  void AddString(const std::string& text);
  bool AddList(c10::ArrayRef<c10::IValue> items);
  void Finish();

  ModeState* mode_ = nullptr;
  bool has_known_ = false, has_unknown_ = false;
  int64_t knowledge_ = 0;
  uint64_t hash_ = 0;
  c10::SmallVector<int64_t, 64> words_;
  c10::SmallVector<const at::Tensor*, 8> tensors_;
};

// Grows with everything that becomes known of symbols: new ones, facts, guards. 0 without an environment.
int64_t KnowledgeOf(const ShapeEnv* env);

}  // namespace fakeprop::fake
