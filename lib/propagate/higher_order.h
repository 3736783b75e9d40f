// Higher-order operators: what takes graphs and runs them, or wraps another call. One table, target -> handler.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/graph/graph.h"
#include "lib/python/host.h"

namespace fakeprop {

// Ends a call whose subgraph failed at an inner node, where the error has already been reported.
struct InnerFailure {
  int diagnostic;  // index into Annotations::diagnostics
};

// One call of a higher-order operator: its arguments, and the run that it is part of.
class HigherOrderCall {
 public:
  // `graph`: the one that the node stands in, whose subgraphs a GraphRef means. `arguments`: one for each of the
  // node's, evaluated.
  HigherOrderCall(const Graph& graph, const Node& node, std::span<const Value> arguments);
  virtual ~HigherOrderCall() = default;

  const Graph& graph() const { return graph_; }
  const Node& node() const { return node_; }

  // Arguments by position, and those that the graph gives by name.
  size_t size() const { return positional_.size(); }
  std::span<const Value> Positional() const { return positional_; }
  // From `first` on; empty where there are none.
  std::span<const Value> From(size_t first) const;
  // Throws OpError where it is missing; `what` says what it is: "a bool".
  const Value& At(size_t i, std::string_view what) const;
  const Value* Keyword(std::string_view name) const;
  // The argument as a graph; throws OpError where it is none.
  const Subgraph& GraphAt(size_t i) const;
  const bool* TryBool(size_t i) const { return i < size() ? positional_[i].TryGet<bool>() : nullptr; }

  // Runs a subgraph on arguments, under the state of the walk, and gives what it returns. A node of it that fails is
  // reported there, and the call ends by InnerFailure.
  virtual Value Run(const Subgraph& subgraph, std::span<const Value> arguments) = 0;
  // Runs single operators, as nodes of the graph would.
  virtual OperatorHost& operators() = 0;

  WalkState& state() { return operators().state(); }
  ObjectTable& objects() { return operators().objects(); }
  // "cond", as messages call it.
  std::string_view Name() const;

 private:
  const Graph& graph_;
  const Node& node_;
  std::vector<Value> positional_;
  std::vector<std::pair<std::string_view, Value>> keywords_;
};

// Gives what the node returns. Throws OpError and InnerFailure.
using HigherOrder = Value (*)(HigherOrderCall& call);

// By a node's target ("torch.ops.higher_order.cond"); null for what is none.
HigherOrder FindHigherOrder(std::string_view target);

// Of a call_module whose module is a graph of the file.
Value CallModuleGraph(HigherOrderCall& call);

// Restores the walk's state at its end.
class StateGuard {
 public:
  explicit StateGuard(WalkState& state) : state_(state), saved_(state) {}
  ~StateGuard() { state_ = saved_; }
  StateGuard(const StateGuard&) = delete;
  StateGuard& operator=(const StateGuard&) = delete;

 private:
  WalkState& state_;
  WalkState saved_;
};

}  // namespace fakeprop
