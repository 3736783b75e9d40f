// torch.vmap as torch.export writes it: tensors have a dimension that operators between `_vmap_increment_nesting` and
// `_vmap_decrement_nesting` do not see. Source: torch/_functorch/predispatch.py, aten/src/ATen/functorch (torch 2.13).
#pragma once

#include <functional>
#include <span>
#include <unordered_map>

#include "lib/higher_order/higher_order.h"
#include "lib/meta/objects.h"
#include "lib/schema/schema.h"

namespace fakeprop {

// The tensors with hidden dimensions. A tensor with several of them was made by hiding one more dimension of a tensor
// with fewer.
class Batched {
 public:
  // Runs an operator on tensors as they are, and returns its results.
  using Run = std::function<Value(std::span<const Value* const> arguments)>;

  explicit Batched(ObjectTable& objects) : objects_(objects) {}

  // Begin and end a torch.vmap, and return its level.
  int64_t Enter() { return ++level_; }
  int64_t Leave() { return level_--; }

  // Hides dimension `dim` of a tensor from operators at `level`.
  Tensor* Hide(Tensor& whole, int64_t dim, int64_t level);
  // The tensor with the dimension of `level` shown at `dim`. A tensor without such a dimension is expanded to `size`.
  Tensor* Show(Tensor& tensor, int64_t level, Dim size, int64_t dim);

  bool Among(std::span<const Value* const> arguments) const;
  // Runs an operator on tensors with hidden dimensions. Elementwise operators run on the whole tensors and keep their
  // strides. New results of other operators have the hidden dimensions outermost, and views keep the strides.
  Value Call(const Schema& schema, std::span<const Value* const> arguments, const Run& run);

 private:
  struct Hidden {
    Tensor* whole = nullptr;
    int64_t dim = 0;
    int64_t level = 0;
  };

  const Hidden* Find(const Tensor* tensor) const;
  // The tensor among the arguments that hides the innermost dimension; null if none hides any.
  const Tensor* Innermost(std::span<const Value* const> arguments) const;
  Value CallElementwise(const Schema& schema, std::span<const Value* const> arguments, int64_t level, const Run& run);
  Tensor* InFront(Tensor& tensor, int64_t level, int64_t rank);
  void HideResult(Tensor& result, std::span<const Value* const> arguments);
  // `shown`, which shows the dimension of `hidden`, still hides the dimensions of outer levels.
  void KeepOuter(Tensor& shown, const Hidden& hidden);
  Tensor* NewView(Tensor& of, TensorMeta meta);

  ObjectTable& objects_;
  int64_t level_ = 0;
  std::unordered_map<const Tensor*, Hidden> hidden_;
};

}  // namespace fakeprop
