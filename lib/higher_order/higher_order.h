// Higher-order operators: what takes graphs and runs them, or wraps another call. One table, target -> handler.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fakeprop/diagnostic.h"
#include "lib/graph/graph.h"
#include "lib/python/operator_host.h"

namespace fakeprop {

// Ends a call whose subgraph failed at an inner node, where the error has already been reported.
struct InnerFailure {
  int diagnostic;  // index into Annotations::diagnostics
};

// An error whose operands are no arguments of the node: what two branches return, for example.
struct DescribedError {
  OpError error;
  std::vector<OperandOrigin> operands;
};

class Batched;

// What a higher-order operator runs on.
class HigherOrderHost {
 public:
  virtual ~HigherOrderHost() = default;
  // Runs a subgraph of the graph that the node stands in, and gives what it returns. A node of it that fails is
  // reported there, and the call ends by InnerFailure.
  virtual Value RunSubgraph(const Subgraph& subgraph, std::span<const Value> arguments) = 0;
  // Runs single operators, as nodes of the graph would.
  virtual OperatorHost& operators() = 0;
  // Where set, operators run as beneath autograd's dispatch keys: no result of theirs requires grad.
  virtual bool& below_autograd() = 0;
  // The tensors of which torch.vmap hides dimensions.
  virtual Batched& batched() = 0;
  // A place for what an operator remembers of a subgraph from one call to the next.
  virtual std::shared_ptr<void>& Memory(const Subgraph& subgraph) = 0;
};

using Keywords = std::vector<std::pair<std::string, Value>>;

// One call of a higher-order operator: its arguments, and the run that it is part of.
class HigherOrderCall {
 public:
  // `graph`: the one that the node stands in, whose subgraphs a GraphRef means. `arguments`: one for each of the
  // node's, evaluated.
  HigherOrderCall(HigherOrderHost& host, const Graph& graph, const Node& node, std::span<const Value> arguments);
  // A call of `target` within the handler of `outer`.
  HigherOrderCall(
      const HigherOrderCall& outer, std::string_view target, std::span<const Value> positional, Keywords keywords);

  const Graph& graph() const { return graph_; }
  const Node& node() const { return node_; }
  // "cond", as messages call it.
  std::string Name() const;

  // Arguments by position, and those that the graph gives by name.
  size_t size() const { return positional_.size(); }
  std::span<const Value> Positional() const { return positional_; }
  // From `first` on; empty where there are none.
  std::span<const Value> From(size_t first) const;
  const Keywords& keywords() const { return keywords_; }
  const Value* Keyword(std::string_view name) const;

  // Throw OpError where the argument is missing or another thing; `what` says what it is: "the operands".
  const Value& At(size_t i, std::string_view what) const;
  const Subgraph& GraphAt(size_t i) const { return AsGraph(At(i, "a graph")); }
  const Subgraph& AsGraph(const Value& value) const;
  std::vector<Value> ItemsAt(size_t i, std::string_view what) const;
  Tensor& TensorAt(size_t i, std::string_view what) const;
  const bool* TryBool(size_t i) const { return i < size() ? positional_[i].TryGet<bool>() : nullptr; }

  Value Run(const Subgraph& subgraph, std::span<const Value> arguments) {
    return host_.RunSubgraph(subgraph, arguments);
  }
  // Runs an operator, which may be a higher-order one, by its target's spelling.
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

// Gives what the node returns. Throws OpError, DescribedError and InnerFailure.
using HigherOrder = Value (*)(HigherOrderCall& call);

// By a node's target ("torch.ops.higher_order.cond"); null for what is none.
HigherOrder FindHigherOrder(std::string_view target);

// Why a higher-order operator that is known cannot be run on metadata; empty where it can, and for what is none.
std::string_view HigherOrderRefusal(std::string_view target);

// Of a call_module whose module is a graph of the file.
Value CallModuleGraph(HigherOrderCall& call);

// Restores the interpreter's state at its end.
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
