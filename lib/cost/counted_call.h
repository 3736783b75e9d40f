// A call of an operator with the values that a run gave its arguments and results.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/interpreter/annotations.h"
#include "lib/schema/schema.h"

namespace fakeprop {

// The values of the nodes of one graph, in one of its runs.
class NodeValues {
 public:
  NodeValues(const Graph& graph, const GraphAnnotations& annotations) : graph_(graph), annotations_(annotations) {}

  // The argument with results of nodes put in. A size that the graph writes as an expression is None.
  Value Fill(const GraphValue& argument) const;
  const Value& ResultOf(int32_t node) const { return annotations_.nodes[node].value; }

 private:
  const Graph& graph_;
  const GraphAnnotations& annotations_;
};

class CountedCall {
 public:
  // The node calls an operator of this schema.
  CountedCall(const Node& node, const Schema& schema, const Value& result, const NodeValues& values);

  const Schema& schema() const { return schema_; }
  const Value& result() const { return result_; }
  // The argument of this name; null if it was left to its default, or if there is none of that name.
  const Value* Find(std::string_view argument) const;
  // The same for a tensor.
  const Tensor* FindTensor(std::string_view argument) const;
  // A bool or integer argument.
  bool IsTrue(std::string_view argument) const;
  // The argument at this position in the schema, if it is a tensor.
  const Tensor* TensorAt(size_t position) const;
  // The tensors in all arguments, in order; each object once.
  const std::vector<const Tensor*>& tensors() const { return tensors_; }
  // The tensors in the result.
  const std::vector<const Tensor*>& results() const { return results_; }

 private:
  const Schema& schema_;
  const Value& result_;
  std::vector<std::pair<std::string_view, Value>> arguments_;  // by name in the schema
  std::vector<const Tensor*> tensors_, results_;
};

}  // namespace fakeprop
