// The tensors of one call as at::Tensors. They are fake, unless a derived class makes other ones.
#pragma once

#include <ATen/core/TensorBody.h>

#include <vector>

#include "lib/meta/objects.h"

namespace fakeprop::libtorch {

// Makes an at::Tensor for a tensor when it is first asked for: one for each object, with one storage for each storage.
// Views become views of their base. Keeps the tensors alive, so an address always stands for the same tensor.
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
    c10::Storage storage;  // the storage that it was made with
    uint32_t version;
    bool is_argument;  // false if it is only the base of an argument
  };
  const std::vector<Pair>& pairs() const { return pairs_; }

 protected:
  virtual c10::Storage MakeStorage(const Tensor& t) const;
  // Autograd does not know the result.
  virtual at::Tensor MakeTensor(const TensorMeta& meta, c10::Storage storage) const;

 private:
  at::Tensor MakeNew(Tensor& t);
  c10::Storage StorageOf(const Tensor& t) const;

  std::vector<Pair> pairs_;
};

}  // namespace fakeprop::libtorch
