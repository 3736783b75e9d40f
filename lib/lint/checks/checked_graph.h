// What the checks know of a graph: each node with its operator, its tensors at the hints, and its users.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/graph/graph.h"
#include "lib/interpreter/annotations.h"
#include "lib/lint/find_differences.h"
#include "lib/schema/schema.h"
#include "lib/value_ranges/value_analysis.h"

namespace fakeprop {

// A tensor that a node returned. Symbols count as their hints, so that no question adds a guard.
struct CheckedTensor {
  const Tensor* tensor = nullptr;
  TensorMeta meta;        // at the hints
  bool is_known = false;  // no size depends on data
  int64_t numel = 0;      // of a known one
  int64_t bytes = 0;

  const Storage* storage() const { return tensor->storage; }
};

struct CheckedNode {
  const Node* node = nullptr;
  const NodeAnnotation* annotation = nullptr;
  const Schema* schema = nullptr;  // of an operator
  // The last word of what is called: "add" for aten::add.Tensor, torch.add, Tensor.add and operator.add, "softmax" for
  // the module torch.nn.Softmax.
  std::string op;
  std::vector<CheckedTensor> results;
  std::vector<int32_t> inputs;  // nodes whose results it takes, each once
  std::vector<int32_t> users;
  std::vector<int32_t> written;  // the inputs that it writes to

  bool Is(std::initializer_list<std::string_view> names) const;
  bool IsCall() const {
    return node->op != NodeOp::kPlaceholder && node->op != NodeOp::kGetAttr && node->op != NodeOp::kOutput;
  }
};

class CheckedGraph {
 public:
  // `ranges` may be null if no check asks for them.
  CheckedGraph(const LintRun& run, const GraphAnnotations& annotations, const GraphRanges* ranges = nullptr);

  const LintRun& run() const { return run_; }
  const Graph& graph() const { return graph_; }
  const GraphAnnotations& annotations() const { return annotations_; }
  const GraphRanges& ranges() const { return *ranges_; }
  bool is_outermost() const { return annotations_.path.empty(); }
  const std::vector<CheckedNode>& nodes() const { return nodes_; }
  const CheckedNode& at(int32_t node) const { return nodes_[node]; }

  // The tensors that a node takes.
  std::vector<const CheckedTensor*> InputTensors(const CheckedNode& node) const;
  // Returns true if the result has storage of its own, and not that of an input.
  bool MakesStorage(const CheckedNode& node, const CheckedTensor& result) const;
  // "`name`"
  std::string Name(int32_t node) const { return "`" + nodes_[node].node->name + "`"; }

 private:
  void AddNode(int32_t index);

  const LintRun& run_;
  const GraphAnnotations& annotations_;
  const Graph& graph_;
  const GraphRanges* ranges_;
  std::vector<CheckedNode> nodes_;
};

// What a check found at a node.
struct CheckReport {
  int32_t node = 0;
  std::string message;
  std::vector<std::string> notes;
  std::vector<int32_t> others;  // nodes that the finding covers too
};

// A check. It adds what it finds, in the order of the nodes.
struct CheckSettings;
using CheckFunction = void (*)(const CheckedGraph& graph, const CheckSettings& settings, std::vector<CheckReport>& out);

// "f32[2, 3]", with symbols.
std::string ShapeText(const CheckedTensor& tensor);

}  // namespace fakeprop
