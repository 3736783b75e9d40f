// What a value should be, by an earlier account: a graph's own record, or a golden file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/inputs/inputs.h"
#include "lib/lint/finding.h"
#include "lib/meta/value.h"

namespace fakeprop {

class Reference {
 public:
  virtual ~Reference() = default;
  // How the value of a node differs from its account; empty where it does not, or there is none.
  virtual std::vector<FieldDifference> Compare(const Node& node, const Value& found) const = 0;
  // The account as something that a placeholder can take; nothing where there is none, or it is not all in numbers.
  virtual std::optional<InputValue> AsInput(const Node& node) const = 0;
};

}  // namespace fakeprop
