// Copies the results of nodes at the moment when the nodes return them. Annotations are written from the copies.
#pragma once

#include <vector>

#include "lib/meta/value.h"

namespace fakeprop {

class Snapshots {
 public:
  explicit Snapshots(ObjectTable& objects) : objects_(objects) {}

  // The value with each tensor replaced by a copy that never changes. Equal copies of one object are shared. A storage
  // gets its number when it is first met.
  Value Take(const Value& value);
  // The same, but storages get no numbers: for values that annotations do not show.
  Value TakeUnnumbered(const Value& value);

  // Storages by number.
  std::vector<const Storage*> TakeStorages() { return std::move(storages_); }

 private:
  Tensor* TakeTensor(Tensor& live);
  const SparseParts* TakeParts(const SparseParts& live);
  void Number(Tensor& t);
  void Number(Storage& storage);

  ObjectTable& objects_;
  std::vector<const Storage*> storages_;
};

}  // namespace fakeprop
