// The results of a run of the interpreter: the values of all nodes, and their errors.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fakeprop/diagnostic.h"
#include "lib/graph/graph.h"
#include "lib/graph/unbacked_bindings.h"
#include "lib/meta/value.h"
#include "lib/rules/compare/effect_difference.h"

namespace fakeprop {

class ShapeEnv;
struct Schema;

// An operator that a node of a Python function, method or module called.
struct InnerCall {
  const Schema* schema = nullptr;
  size_t first_argument = 0;  // in InnerCalls::arguments, where it has one for each of the schema
  Value result;               // its tensors are snapshots
};

// The inner calls of all nodes, in their order.
struct InnerCalls {
  std::vector<InnerCall> calls;
  std::vector<Value> arguments;  // their tensors are snapshots
};

// The result of one node.
struct NodeAnnotation {
  enum class Kind { kValue, kError, kSkipped } kind = Kind::kValue;
  const Node* node = nullptr;
  const Schema* schema = nullptr;         // kValue: of the operator that the node calls; null if it calls none
  Value value;                            // kValue; its tensors are snapshots
  int diagnostic = -1;                    // kError: index into Annotations::diagnostics
  const Node* cause = nullptr;            // kSkipped: the failed node that is the cause
  std::vector<UnbackedBinding> unbacked;  // the unbacked symbols that the node made
  size_t first_call = 0, calls = 0;       // kValue: in Annotations::inner_calls, with RunOptions::keeps_calls
};

struct GraphAnnotations {
  std::string path;  // "" for the outermost graph, "true_graph_0", "true_graph_0.false_graph_0"
  std::vector<NodeAnnotation> nodes;
  // Empty for the first run of a subgraph. For a later run on arguments with other metadata, the node that called it.
  // If graphs around it are such runs too, their nodes come first ("layer_2.cond").
  std::string call;
};

// Compares rules with LibTorch's own kernels, over the nodes that a rule served.
struct Crossref {
  // A node with different answers.
  struct Difference {
    std::string op;
    Diagnostic diagnostic;                 // an error, or a warning if the difference is meant
    std::string subgraph;                  // "true_graph_0"; empty for the outermost graph
    std::vector<EffectDifference> fields;  // `a` is the rule's, `b` LibTorch's
  };
  std::vector<Difference> differences;  // a difference that is meant is here once for each operator
  bool was_asked = false;               // RunOptions::crossref
  size_t compared = 0;
  size_t differ = 0;   // for an unknown reason
  size_t deviate = 0;  // on purpose
  // The number of nodes for which LibTorch has no answer without the rule, by operator and reason.
  std::map<std::pair<std::string, std::string>, size_t> not_compared;
};

struct Annotations {
  std::vector<GraphAnnotations> graphs;  // the outermost first
  std::vector<Diagnostic> diagnostics;   // errors in graph order
  std::vector<const Storage*> storages;  // by id
  Crossref crossref;
  bool has_calls = false;  // RunOptions::keeps_calls
  InnerCalls inner_calls;
  std::shared_ptr<ShapeEnv> shape_env;   // owns the expressions of symbolic sizes
  std::shared_ptr<ObjectTable> objects;  // owns the objects of the values
};

}  // namespace fakeprop
