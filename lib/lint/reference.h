// The expected values: the graph's own record of them, or a golden file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/inputs/inputs.h"
#include "lib/lint/finding.h"
#include "lib/meta/value.h"

namespace fakeprop {

class ShapeEnv;

class Reference {
 public:
  virtual ~Reference() = default;
  // The fields in which a node's value differs. Empty if none does, or if the reference does not have the node.
  virtual std::vector<FieldDifference> Compare(const Node& node, const Value& found) const = 0;
  // Returns true if the value differs in a way that Compare does not count. A difference that follows from it does not
  // count either.
  virtual bool IsExcused(const Node&, const Value&) const { return false; }
  // Returns true if the value is the expected one. The node gave it when it ran alone on the expected inputs.
  virtual bool Gives(const Node& node, const Value& value) const { return Compare(node, value).empty(); }
  // The expected value as an input of a graph. Nothing if there is none, or if a size is not known.
  virtual std::optional<InputValue> AsInput(const Node& node) const = 0;
  // The symbols of such inputs, if they are not those of the run that is compared.
  virtual std::shared_ptr<ShapeEnv> shape_env() const { return nullptr; }
};

}  // namespace fakeprop
