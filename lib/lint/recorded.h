// A graph's own record of its values (tensor_values and the like) as a reference.
#pragma once

#include "lib/lint/reference.h"

namespace fakeprop {

// Compares shape, stride where it counts (not in dimensions of size 1, nor of empty tensors), dtype, device and offset;
// requires_grad of the outermost graph's placeholders alone, since exports record false for every other value; numbers
// by their value. Out of training a dropout may be recorded as a copy.
class RecordedReference : public Reference {
 public:
  // Sizes that were recorded as expressions count with their hints, where `uses_hints`.
  RecordedReference(const Graph& graph, bool uses_hints) : graph_(graph), uses_hints_(uses_hints) {}

  std::vector<FieldDifference> Compare(const Node& node, const Value& found) const override;
  std::optional<InputValue> AsInput(const Node& node) const override;

 private:
  // The recorded size as a number, where it is one.
  std::optional<int64_t> SizeOf(const RecordedSize& size) const;
  bool IsContiguous(const RecordedTensor& tensor) const;

  const Graph& graph_;
  bool uses_hints_;
};

// Whether every input has the sizes that the graph recorded for it, symbols at their hints.
bool InputsAreAsRecorded(const Graph& graph, const std::vector<InputValue>& inputs);

}  // namespace fakeprop
