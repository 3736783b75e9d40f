// The tensors of one call as at::Tensors: fake ones, unless a derived class makes them otherwise.
#pragma once

#include <ATen/core/TensorBody.h>

#include <vector>

#include "lib/meta/objects.h"

namespace fakeprop::libtorch {

// Makes an at::Tensor of a tensor when first asked: one for each object, one storage for each storage, views as views
// of their base. Holds them as long as it lives, so that an address stands for one tensor throughout.
class ArgumentTensors {
 public:
  virtual ~ArgumentTensors() = default;
  at::Tensor Make(Tensor& t);

  // The tensor that `made` was made of, or null.
  Tensor* Find(const c10::TensorImpl* made) const;
  // The first argument on this storage that is not `except`, or null.
  Tensor* FindOnStorage(const c10::StorageImpl* storage, const Tensor* except = nullptr) const;

  struct Pair {
    Tensor* tensor;
    at::Tensor fake;
    c10::Storage storage;  // as it was made with
    uint32_t version;
    bool is_argument;  // not merely an argument's base
  };
  const std::vector<Pair>& pairs() const { return pairs_; }

 protected:
  virtual c10::Storage MakeStorage(const Tensor& t) const;
  // Unknown to autograd.
  virtual at::Tensor MakeTensor(const TensorMeta& meta, c10::Storage storage) const;

 private:
  at::Tensor MakeNew(Tensor& t);
  c10::Storage StorageOf(const Tensor& t) const;

  std::vector<Pair> pairs_;
};

}  // namespace fakeprop::libtorch
