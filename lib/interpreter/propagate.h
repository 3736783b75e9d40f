// The interpreter: what every node of a graph produces. Source: torch/fx/passes/fake_tensor_prop.py (torch 2.13).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/diag/diagnostic.h"
#include "lib/graph/graph.h"
#include "lib/graph/unbacked_bindings.h"
#include "lib/inputs/inputs.h"
#include "lib/libtorch_fallback/libtorch_fallback.h"
#include "lib/python/op_rules.h"
#include "lib/rules/compare/compare_effects.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

// What was looked up in a graph and its subgraphs (lib/interpreter/resolve.h).
class ResolvedGraphs;
std::shared_ptr<ResolvedGraphs> NewResolvedGraphs();

struct PropagateOptions {
  bool keep_going = false;  // after an error, go on with what does not depend on it
  bool grad_enabled = true;
  bool crossref = false;                // run what rules serve through LibTorch as well, and compare
  bool allow_fallback_kernels = false;  // LibTorch's CPU kernels may run on zeros for operators of its own
  const OpRules* op_rules = nullptr;    // for custom operators; they outlive the run
  // The symbols that inputs have; a run without any makes its own.
  std::shared_ptr<ShapeEnv> shape_env;
  // What earlier runs of the same graph looked up, and this one adds to; null for a run of its own.
  std::shared_ptr<ResolvedGraphs> resolved;
  // Called at most once, when a node needs it. Gives null and a reason where there is none.
  std::function<LibTorchFallback*(std::string& reason)> open_libtorch;
  // Called now and then with the number of nodes done.
  std::function<void(size_t done, size_t total)> progress;
};

// What a node produced.
struct NodeAnnotation {
  enum class Kind { kValue, kError, kSkipped } kind = Kind::kValue;
  const Node* node = nullptr;
  Value value;                            // kValue; its tensors are snapshots
  int diagnostic = -1;                    // kError: index into Annotations::diagnostics
  const Node* cause = nullptr;            // kSkipped: the failing node that it goes back to
  std::vector<UnbackedBinding> unbacked;  // the symbols that the node made of data
};

struct GraphAnnotations {
  std::string path;  // "" for the outermost graph, "true_graph_0", "true_graph_0.false_graph_0"
  std::vector<NodeAnnotation> nodes;
  // Of a subgraph's later run on arguments of other metadata: the node that called it, after those of the graphs around
  // it where they are such runs themselves ("layer_2.cond"); empty for the first run.
  std::string call;
};

// Rules against LibTorch's own kernels, over the nodes that a rule served.
struct Crossref {
  // A node where the two differ.
  struct Difference {
    std::string op;
    Diagnostic diagnostic;                 // an error, or a warning where the difference is meant
    std::string subgraph;                  // "true_graph_0"; empty for the outermost graph
    std::vector<EffectDifference> fields;  // `a` of the rule, `b` of LibTorch
  };
  std::vector<Difference> differences;  // one for each operator where it is meant
  size_t compared = 0;
  size_t differ = 0;   // without a reason that is known
  size_t deviate = 0;  // on purpose
  // Nodes by operator for which LibTorch has no answer without the rule.
  std::map<std::string, size_t> not_compared;
};

struct Annotations {
  std::vector<GraphAnnotations> graphs;  // the outermost first
  std::vector<Diagnostic> diagnostics;   // errors in graph order
  std::vector<const Storage*> storages;  // by id
  Crossref crossref;                     // with PropagateOptions::crossref
  std::shared_ptr<ShapeEnv> shape_env;   // owns what symbolic sizes point to
  std::shared_ptr<ObjectTable> objects;  // owns what the values point to
};

// Runs the whole graph; `inputs` has one entry for each placeholder (ResolveInputs). Errors of nodes are in the
// result, never thrown.
Annotations Propagate(const Graph& graph, const std::vector<InputValue>& inputs, const PropagateOptions& options);

}  // namespace fakeprop
