// What composite operators save for the backward pass. They have no formula of their own: the operators that they call
// save tensors for theirs.
#pragma once

#include <string_view>

#include "lib/cost/counted_call.h"

namespace fakeprop {

struct SavedTensors;

struct SavedComposite {
  std::string_view op;
  std::string_view saved;  // as in derivatives' rows
  // Adds the tensors that the operator makes, saves and does not return. Null if there are none.
  void (*add_hidden)(const CountedCall& call, SavedTensors& saved) = nullptr;
};

// Null if the operator is no composite that we know. `name` is without overload: "aten::linear".
const SavedComposite* FindComposite(std::string_view name);

}  // namespace fakeprop
