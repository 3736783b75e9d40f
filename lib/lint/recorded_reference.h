// Compares a run with the values that the graph's file recorded (tensor_values and others).
#pragma once

#include "lib/lint/reference.h"

namespace fakeprop {

class ShapeEnv;

// Compares shape, stride, dtype, device and offset of tensors, and numbers. Strides of dimensions of size 1 and of
// empty tensors do not count. requires_grad is compared for placeholders of the outermost graph only: exports record
// false for all other values. A dropout outside of training may be recorded as a copy.
class RecordedReference : public Reference {
 public:
  // With `uses_hints`, a size recorded as an expression counts as its hint. Without, and where it has no hint, it is
  // compared as an expression over the symbols of `env`, the run's; with no `env` it is not compared.
  RecordedReference(const Graph& graph, bool uses_hints, ShapeEnv* env = nullptr)
      : graph_(graph), uses_hints_(uses_hints), env_(env) {}

  std::vector<FieldDifference> Compare(const Node& node, const Value& found) const override;
  bool IsExcused(const Node& node, const Value& found) const override;
  std::optional<InputValue> AsInput(const Node& node) const override;

 private:
  // The recorded size as a number, if it has one.
  std::optional<int64_t> SizeOf(const RecordedSize& size) const;
  bool IsSame(const RecordedSize& size, Dim found) const;
  bool IsContiguous(const RecordedTensor& tensor) const;

  const Graph& graph_;
  bool uses_hints_;
  ShapeEnv* env_;
};

// Returns true if every input has the sizes that the graph recorded for it. Symbols count as their hints.
bool InputsAreAsRecorded(const Graph& graph, const std::vector<InputValue>& inputs);

}  // namespace fakeprop
