// Conditions that hold and that no range and no equality expresses, such as "s0 is not 7".
#pragma once

#include <unordered_set>

#include "lib/symbolic/node.h"

namespace fakeprop {

class KnownConditions {
 public:
  void Add(Sym condition) { holding_.insert(condition); }
  // Returns true if the condition itself was added. What follows from others does not count.
  bool Holds(Sym condition) const { return holding_.contains(condition); }
  bool IsEmpty() const { return holding_.empty(); }

 private:
  std::unordered_set<Sym> holding_;
};

}  // namespace fakeprop
