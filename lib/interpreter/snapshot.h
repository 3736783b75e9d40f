// Copies of what nodes returned, as they were at that moment: what gets written.
#pragma once

#include <vector>

#include "lib/meta/value.h"

namespace fakeprop {

class Snapshots {
 public:
  explicit Snapshots(ObjectTable& objects) : objects_(objects) {}

  // The value with each tensor replaced by a frozen copy; equal copies of one object are shared. Storages get their
  // number when they are first met.
  Value Take(const Value& value);

  // Storages by number.
  std::vector<const Storage*> TakeStorages() { return std::move(storages_); }

 private:
  Tensor* TakeTensor(Tensor& live);

  ObjectTable& objects_;
  std::vector<const Storage*> storages_;
};

}  // namespace fakeprop
