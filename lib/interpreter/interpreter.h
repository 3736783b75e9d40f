// One run over a graph and its subgraphs, node by node.
#pragma once

#include "lib/interpreter/annotation_writer.h"
#include "lib/interpreter/call_site.h"
#include "lib/interpreter/run_graph.h"
#include "lib/interpreter/run_position.h"
#include "lib/interpreter/subgraph_runs.h"

namespace fakeprop {

class PythonRule;

class Interpreter {
 public:
  // All arguments must outlive the run. `stand_in` serves the operators that it knows in place of rules; null for none.
  Interpreter(const Graph& graph, const std::vector<InputValue>& inputs, const RunOptions& options,
      LibTorchFallback* stand_in = nullptr);
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  Annotations Run();

 private:
  class SubgraphHost;

  // Runs every node. Errors of nodes are in the annotations.
  void RunFrame(Frame& frame);
  // Runs one node and writes down what it produced. Returns false if it failed.
  bool TryNode(Frame& frame, int32_t index);
  void ProduceNode(Frame& frame, int32_t index);
  void Skip(Frame& frame, int32_t index, int32_t cause);
  // Writes down the exception that is being handled.
  void FailNode(Frame& frame, int32_t index);
  Diagnostic Report(const Frame& frame, const Node& node, const OpError& error) const;

  // Returns the result of the node.
  Value RunNode(Frame& frame, int32_t index);
  Value RunPlaceholder(Frame& frame);
  Value RunGetAttr(const Frame& frame, const Node& node);
  Value RunOutput(const Frame& frame, const Node& node);
  Value RunOperator(const Frame& frame, const Node& node, const ResolvedNode& resolved);
  Value RunBuiltin(const Frame& frame, const ResolvedNode& resolved);
  // The user's rule for a function or module of Python; null if there is none.
  const PythonRule* GivenRule(const Node& node) const;
  Value RunPython(const Frame& frame, const Node& node, const ResolvedNode& resolved);
  Value RunHigherOrder(Frame& frame, const Node& node, const ResolvedNode& resolved);

  // Runs a subgraph for a node of `caller` and gives its output.
  Value RunSubgraph(Frame& caller, const Node& node, const Subgraph& subgraph, std::span<const Value> arguments);
  Frame NewFrame(const Frame& caller, const Node& node, const Subgraph& subgraph, std::span<const Value> arguments);

  const Graph& graph_;  // the outermost
  const RunOptions& options_;
  const std::shared_ptr<ResolvedGraphs> resolved_;
  AnnotationWriter annotations_;
  Runtime runtime_;
  RunPosition position_;
  SubgraphRuns subgraph_runs_;
};

}  // namespace fakeprop
