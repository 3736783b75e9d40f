// The three identities of a run: storages, tensor objects, and (in lib/interpreter) nodes.
#pragma once

#include <array>
#include <deque>
#include <memory>

#include "lib/meta/tensor_meta.h"

namespace fakeprop {

class Value;

// Bytes on a device that tensors share. A write bumps the version, which forgets what was known of the data.
struct Storage {
  Dim nbytes = 0;
  Device device = Device(DeviceType::CPU);
  uint32_t version = 0;
  int32_t id = -1;  // the number it is written under, given when a result that stands on it is first written
};

// The known elements of a small tensor, row-major, as ints, floats, bools or complex numbers.
using Constant = std::shared_ptr<const std::vector<Value>>;

// What a tensor's data is asked, with a symbol for an answer. Source: FakeTensorMemo in
// torch/_subclasses/fake_tensor.py.
enum class Asked : uint8_t { kNonzero, kItem, kUnique, kUniqueConsecutive };

// The answers of one tensor: the same question gets the same symbol until the data changes. Views have their own.
class Memos {
 public:
  const SymNode* Find(Asked asked, uint32_t version) const {
    const Answer& answer = answers_[static_cast<size_t>(asked)];
    return answer.version == version ? answer.symbol : nullptr;
  }
  void Set(Asked asked, uint32_t version, const SymNode* symbol) {
    answers_[static_cast<size_t>(asked)] = {symbol, version};
  }

 private:
  struct Answer {
    const SymNode* symbol = nullptr;
    uint32_t version = 0;
  };
  std::array<Answer, 4> answers_;
};

// How a view came to be, where autograd then forbids in-place writes to it (torch::autograd::CreationMeta).
enum class ViewOrigin : uint8_t { kPlain, kNoGrad, kMultiOutput };

// A tensor that exists in a run: what several nodes can return and a mutation changes for all of them.
struct Tensor {
  TensorMeta meta;
  Storage* storage = nullptr;
  // The tensor that this one is a differentiable view of; never itself such a view. Null for what is no view,
  // and for aliases that autograd does not follow (detach, a view as integers).
  Tensor* base = nullptr;
  ViewOrigin origin = ViewOrigin::kPlain;
  // Of a view: the storage's version when it was made, or when autograd last followed a write to it.
  uint32_t view_version = 0;
  // As set on the tensor itself; see RequiresGrad.
  bool own_requires_grad = false;
  bool is_leaf = true;
  // What is known of the data; valid while constant_version is the storage's version.
  Constant constant;
  uint32_t constant_version = 0;
  std::shared_ptr<Memos> memos;
  // The latest copy for the written record (lib/interpreter/snapshot.h).
  Tensor* snapshot = nullptr;

  // As torch.Tensor.requires_grad: a view requires grad as soon as its base does.
  bool RequiresGrad() const { return own_requires_grad || (base && base->own_requires_grad); }
  const std::vector<Value>* KnownValue() const {
    return constant && constant_version == storage->version ? constant.get() : nullptr;
  }
  // The symbol that answered the same before; null where there is none, or the data has changed since.
  const SymNode* Recall(Asked asked) const { return memos ? memos->Find(asked, storage->version) : nullptr; }
  void Remember(Asked asked, const SymNode* symbol);
};

// Owns the storages and tensors of a run; pointers stay valid as long as it lives.
class ObjectTable {
 public:
  Storage* NewStorage(Dim nbytes, Device device);
  Tensor* NewTensor(TensorMeta meta, Storage* storage);

 private:
  std::deque<Storage> storages_;
  std::deque<Tensor> tensors_;
};

}  // namespace fakeprop
