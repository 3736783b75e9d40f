// The three identities of a run: storages, tensor objects, and (in lib/interpreter) nodes.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "lib/meta/tensor_meta.h"

namespace fakeprop {

class Value;
struct Tensor;

// Bytes on a device that tensors share. A write increments the version, and with that the known data is forgotten.
struct Storage {
  Dim nbytes = 0;
  Device device = Device(DeviceType::CPU);
  uint32_t version = 0;  // writes to its data
  int32_t id = -1;       // its number in annotations, given when a result on it is first written
};

// The known elements of a small tensor, row-major, as ints, floats, bools or complex numbers.
using Constant = std::shared_ptr<const std::vector<Value>>;

// Questions about a tensor's data whose answer is a symbol. Source: FakeTensorMemo in torch/_subclasses/fake_tensor.py.
enum class Asked : uint8_t { kNonzero, kItem, kUnique, kUniqueConsecutive };

// The answers for one tensor: the same question gets the same symbol until the data changes. Views have their own
// answers.
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

// How a view was made. Autograd forbids in-place writes to some kinds (torch::autograd::CreationMeta).
enum class ViewOrigin : uint8_t { kPlain, kNoGrad, kMultiOutput };

// What a tensor of a sparse layout consists of. Tensor::storage of the sparse tensor is that of its values.
struct SparseParts {
  Tensor* values = nullptr;
  // COO: [sparse_dim, nnz]. Compressed: crow_indices or ccol_indices.
  Tensor* indices = nullptr;
  Tensor* plain = nullptr;  // compressed: col_indices or row_indices
  bool is_coalesced = false;
};

// A tensor object of a run. Several nodes can return the same object, and a mutation changes it for all of them.
struct Tensor {
  TensorMeta meta;
  Storage* storage = nullptr;
  const SparseParts* parts = nullptr;  // of a sparse layout, else null
  // The tensor that this one is a differentiable view of, which is not such a view itself. Null if this is not a view,
  // or an alias that autograd does not follow (detach, a view as integers).
  Tensor* base = nullptr;
  ViewOrigin origin = ViewOrigin::kPlain;
  bool is_of_base = false;  // of a view: it was made of the base itself, not of another view
  // The tensor whose version this one shares, as views and detached tensors do. Null if it has its own: also on a
  // shared storage, after set_ or from unsafe_split.
  Tensor* versioned_with = nullptr;
  uint32_t own_version = 0;
  // Of a view: the version when it was made, or when autograd last followed a write to it.
  uint32_t view_version = 0;
  // As set on the tensor itself; see RequiresGrad.
  bool own_requires_grad = false;
  bool is_leaf = true;
  // The known data. Valid while constant_version is the storage's version.
  Constant constant;
  uint32_t constant_version = 0;
  std::shared_ptr<Memos> memos;
  // The latest snapshot (lib/interpreter/snapshot.h).
  Tensor* snapshot = nullptr;

  // As torch.Tensor._version: writes, and changes of sizes or strides in place.
  uint32_t Version() const { return versioned_with ? versioned_with->own_version : own_version; }
  void CountChange() { ++(versioned_with ? versioned_with : this)->own_version; }
  void CountWrite() {
    ++storage->version;
    CountChange();
  }
  // As torch.Tensor.requires_grad. A view requires grad if its base does.
  bool RequiresGrad() const { return own_requires_grad || (base && base->own_requires_grad); }
  const std::vector<Value>* KnownValue() const {
    return constant && constant_version == storage->version ? constant.get() : nullptr;
  }
  // The symbol that answered the same question before. Null if there is none, or if the data has changed since.
  const SymNode* Recall(Asked asked) const { return memos ? memos->Find(asked, storage->version) : nullptr; }
  void Remember(Asked asked, const SymNode* symbol);
};

// Owns the storages and tensors of a run; pointers stay valid as long as it lives.
class ObjectTable {
 public:
  Storage* NewStorage(Dim nbytes, Device device);
  Tensor* NewTensor(TensorMeta meta, Storage* storage);
  // A tensor of a sparse layout.
  Tensor* NewSparse(TensorMeta meta, SparseParts parts);
  const SparseParts* NewParts(SparseParts parts);

 private:
  std::deque<Storage> storages_;
  std::deque<Tensor> tensors_;
  std::deque<SparseParts> parts_;
};

}  // namespace fakeprop
