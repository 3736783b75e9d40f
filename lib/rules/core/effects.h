// The effects of one operator call: its results, and the changes of its arguments. A rule or the LibTorch fallback
// states them. Only the host applies them.
#pragma once

#include <optional>
#include <vector>

#include "lib/meta/value.h"

namespace fakeprop {

// One result of a call.
struct Output {
  enum class Kind {
    kValue,     // `value`: a number, None, or anything else that is not a new tensor
    kNew,       // a tensor `meta` on a storage of its own, or on that of the earlier new output `shares_with`
    kView,      // a tensor `meta` on `source`'s storage; autograd follows it to source
    kAlias,     // a tensor `meta` on `source`'s storage that autograd does not follow (detach)
    kArgument,  // `source` itself
    kList,      // `items`
  };
  Kind kind = Kind::kValue;
  TensorMeta meta;
  Tensor* source = nullptr;
  int shares_with = -1;
  Value value;
  // The items of kList. Of a tensor of a sparse layout its parts: values, indices, and what is compressed has plain
  // indices as well (SparseParts).
  std::vector<Output> items;
  bool is_coalesced = false;
  // The size of a new storage, if it is larger than the tensor needs.
  std::optional<Dim> nbytes;
  // Whether the result requires grad. Nothing: autograd's default for the call.
  std::optional<bool> requires_grad;
  // The last step of a composite is a view of what it computed before. So to autograd the result is a view of a tensor
  // that nobody else sees (avg_pool1d squeezes the result of avg_pool2d). Found by `_is_view()` in eager (torch 2.13).
  bool ends_in_view = false;
  Constant constant;
};

// A change of one argument.
struct Mutation {
  Tensor* target = nullptr;
  // New sizes, strides, offset (t_, resize_, set_); the dtype and device stay.
  std::optional<TensorMeta> meta;
  // The storage grows to hold this much (resize_).
  std::optional<Dim> nbytes;
  // The target gets the storage of this tensor (set_). With `fresh_storage` instead, it gets a new empty storage.
  Tensor* storage_of = nullptr;
  bool fresh_storage = false;
  // The target becomes a leaf with this requires_grad (requires_grad_, detach_).
  std::optional<bool> requires_grad;
  // The new parts of a target of a sparse layout, as in Output.
  std::vector<Output> parts;
  bool is_coalesced = false;
  // The data changes. Known elements and memos of all aliases are forgotten.
  bool writes = false;
  // Autograd sees the write: if an input of the call requires grad, so do the target, its base and its views.
  bool differentiable = true;
  // Autograd does not see the write, but refuses it where it would refuse one that it sees.
  bool refused_as_seen = false;
};

// A symbol to remember: the answer to a question about the data of `of`.
struct Remembered {
  Tensor* of = nullptr;
  Asked asked = Asked::kNonzero;
  const SymNode* symbol = nullptr;
};

struct Effects {
  std::vector<Output> outputs;
  std::vector<Mutation> mutations;
  std::vector<Remembered> remembered;

  void Clear() {
    outputs.clear();
    mutations.clear();
    remembered.clear();
  }
};

}  // namespace fakeprop
