// torch.vmap, as torch.export writes it: tensors with a dimension that operators between `_vmap_increment_nesting` and
// `_vmap_decrement_nesting` do not see. Source: torch/_functorch/predispatch.py, aten/src/ATen/functorch (torch 2.13).
#pragma once

#include <functional>
#include <span>
#include <unordered_map>

#include "lib/higher_order/higher_order.h"
#include "lib/meta/objects.h"
#include "lib/schema/schema.h"

namespace fakeprop {

// Which tensors have hidden dimensions. A tensor of several is what is left of one with fewer.
class Batched {
 public:
  // Runs an operator on tensors as they are, and makes its results.
  using Run = std::function<Value(std::span<const Value* const> arguments)>;

  explicit Batched(ObjectTable& objects) : objects_(objects) {}

  // The level of a torch.vmap that begins, and of the one that ends.
  int64_t Enter() { return ++level_; }
  int64_t Leave() { return level_--; }

  // Hides dimension `dim` of a tensor from operators at `level`.
  Tensor* Hide(Tensor& whole, int64_t dim, int64_t level);
  // The tensor with the dimension of `level` at `dim`; one that has none is expanded to `size`.
  Tensor* Show(Tensor& tensor, int64_t level, Dim size, int64_t dim);

  bool Among(std::span<const Value* const> arguments) const;
  // An operator on tensors of which some hide dimensions. Elementwise ones run on the whole tensors and keep their
  // strides; of others each new result has the hidden dimensions outermost, and each view keeps their strides.
  Value Call(const Schema& schema, std::span<const Value* const> arguments, const Run& run);

 private:
  struct Hidden {
    Tensor* whole = nullptr;
    int64_t dim = 0;
    int64_t level = 0;
  };

  const Hidden* Find(const Tensor* tensor) const;
  // The tensor among the arguments that hides the innermost dimension; null where none hides any.
  const Tensor* Innermost(std::span<const Value* const> arguments) const;
  Value CallElementwise(const Schema& schema, std::span<const Value* const> arguments, int64_t level, const Run& run);
  Tensor* InFront(Tensor& tensor, int64_t level, int64_t rank);
  void HideResult(Tensor& result, std::span<const Value* const> arguments);
  // What shows the dimension that `hidden` tells of still hides those of outer levels.
  void KeepOuter(Tensor& shown, const Hidden& hidden);
  Tensor* NewView(Tensor& of, TensorMeta meta);

  ObjectTable& objects_;
  int64_t level_ = 0;
  std::unordered_map<const Tensor*, Hidden> hidden_;
};

}  // namespace fakeprop
