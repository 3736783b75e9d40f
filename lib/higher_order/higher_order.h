// Higher-order operators: they take graphs and run them, or wrap another call. One table maps targets to handlers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fakeprop/diagnostic.h"
#include "lib/graph/graph.h"
#include "lib/python/operator_host.h"

namespace fakeprop {

// Ends a call whose subgraph failed. The error has already been reported at the inner node.
struct InnerFailure {
  int diagnostic;  // index into Annotations::diagnostics
};

// An error whose operands are not arguments of the node, such as the results of two branches.
struct DescribedError {
  OpError error;
  std::vector<OperandOrigin> operands;
};

class Batched;

// The services of the interpreter for higher-order operators.
class HigherOrderHost {
 public:
  virtual ~HigherOrderHost() = default;
  // Runs a subgraph of the node's graph and returns its output. If a node in it fails, the error is reported at that
  // node and InnerFailure is thrown.
  virtual Value RunSubgraph(const Subgraph& subgraph, std::span<const Value> arguments) = 0;
  // Runs single operators, as nodes of the graph would.
  virtual OperatorHost& operators() = 0;
  // If true, operators run as below autograd's dispatch keys: none of their results requires grad.
  virtual bool& below_autograd() = 0;
  // The tensors whose dimensions torch.vmap hides.
  virtual Batched& batched() = 0;
  // Storage in which an operator can remember something about a subgraph from one call to the next.
  virtual std::shared_ptr<void>& Memory(const Subgraph& subgraph) = 0;
};

using Keywords = std::vector<std::pair<std::string, Value>>;

// One call of a higher-order operator: its arguments, and the run that it is part of.
class HigherOrderCall {
 public:
  // `graph` is the node's graph; a GraphRef refers to its subgraphs. `arguments` are the evaluated arguments of the
  // node.
  HigherOrderCall(HigherOrderHost& host, const Graph& graph, const Node& node, std::span<const Value> arguments);
  // A call of `target` inside the handler of `outer`.
  HigherOrderCall(
      const HigherOrderCall& outer, std::string_view target, std::span<const Value> positional, Keywords keywords);

  const Graph& graph() const { return graph_; }
  const Node& node() const { return node_; }
  // The name in messages: "cond".
  std::string Name() const;

  // Arguments by position, and those that the graph gives by name.
  size_t size() const { return positional_.size(); }
  std::span<const Value> Positional() const { return positional_; }
  // The arguments from `first` on; empty if there are none.
  std::span<const Value> From(size_t first) const;
  const Keywords& keywords() const { return keywords_; }
  const Value* Keyword(std::string_view name) const;

  // These throw OpError if the argument is missing or of another type. `what` describes it in messages: "the operands".
  const Value& At(size_t i, std::string_view what) const;
  const Subgraph& GraphAt(size_t i) const { return AsGraph(At(i, "a graph")); }
  const Subgraph& AsGraph(const Value& value) const;
  std::vector<Value> ItemsAt(size_t i, std::string_view what) const;
  Tensor& TensorAt(size_t i, std::string_view what) const;
  const bool* TryBool(size_t i) const { return i < size() ? positional_[i].TryGet<bool>() : nullptr; }

  Value Run(const Subgraph& subgraph, std::span<const Value> arguments) {
    return host_.RunSubgraph(subgraph, arguments);
  }
  // Runs an operator by the spelling of its target. It may be a higher-order operator.
  Value CallTarget(const std::string& target, std::span<const Value> positional, const Keywords& keywords = {});
  // Runs an operator of LibTorch by its name: "aten::clone".
  Value CallOperator(std::string_view name, std::span<const Value> positional, const Keywords& keywords = {});

  HigherOrderHost& host() { return host_; }
  ExecutionState& state() { return host_.operators().state(); }
  ObjectTable& objects() { return host_.operators().objects(); }

 private:
  HigherOrderHost& host_;
  const Graph& graph_;
  const Node& node_;
  std::string target_;
  std::vector<Value> positional_;
  Keywords keywords_;
};

Value Tuple(std::vector<Value> items);

// Returns the result of the node. Throws OpError, DescribedError and InnerFailure.
using HigherOrder = Value (*)(HigherOrderCall& call);

// Finds the handler of a node's target ("torch.ops.higher_order.cond"). Null if it is not a higher-order operator.
HigherOrder FindHigherOrder(std::string_view target);

// The reason why a known higher-order operator cannot be run on metadata. Empty for all other targets.
std::string_view HigherOrderRefusal(std::string_view target);

// Runs a call_module whose module is a graph of the file.
Value CallModuleGraph(HigherOrderCall& call);

// Restores the interpreter's state when it is destroyed.
class StateGuard {
 public:
  explicit StateGuard(ExecutionState& state) : state_(state), saved_(state) {}
  ~StateGuard() { state_ = saved_; }
  StateGuard(const StateGuard&) = delete;
  StateGuard& operator=(const StateGuard&) = delete;

 private:
  ExecutionState& state_;
  ExecutionState saved_;
};

}  // namespace fakeprop
