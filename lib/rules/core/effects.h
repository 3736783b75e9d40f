// What one operator call does: its results, and what it changes about its arguments. A rule (or the LibTorch fallback)
// states it, the host alone applies it.
#pragma once

#include <optional>
#include <vector>

#include "lib/meta/value.h"

namespace fakeprop {

// One result of a call.
struct Output {
  enum class Kind {
    kValue,     // `value`: a number, None, or anything else that is no new tensor
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
  std::vector<Output> items;
  // Of a new storage that holds more than the tensor.
  std::optional<Dim> nbytes;
  // Whether the result requires grad; where it is not said, autograd's default for the call.
  std::optional<bool> requires_grad;
  Constant constant;
};

// A change of one argument.
struct Mutation {
  Tensor* target = nullptr;
  // New sizes, strides, offset (t_, resize_, set_); the dtype and device stay.
  std::optional<TensorMeta> meta;
  // The storage grows to hold this much (resize_).
  std::optional<Dim> nbytes;
  // The storage becomes another's (set_), or a new empty one where both are unset but `fresh_storage` is true.
  Tensor* storage_of = nullptr;
  bool fresh_storage = false;
  // The target becomes a leaf that requires grad or not (requires_grad_, detach_).
  std::optional<bool> requires_grad;
  // The data changes: forgets constants and memos of every alias.
  bool writes = false;
  // Autograd sees the write: requires_grad of the call's inputs spreads to the target, its base and its views.
  bool differentiable = true;
};

// The symbol that stands for what `of` was asked: to be given again.
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
