// What values are expected to be: the graph's own record of them, or a golden file.
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
  // The fields in which a node's value differs. Empty if none does, or if the reference does not have the node.
  virtual std::vector<FieldDifference> Compare(const Node& node, const Value& found) const = 0;
  // The expected value as an input of a graph. Nothing if there is none, or if a size has no number.
  virtual std::optional<InputValue> AsInput(const Node& node) const = 0;
};

}  // namespace fakeprop
