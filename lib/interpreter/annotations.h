// What a run of the interpreter found: the values of all nodes, and their errors.
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
  bool was_asked = false;               // RunOptions::crossref
  size_t compared = 0;
  size_t differ = 0;   // without a reason that is known
  size_t deviate = 0;  // on purpose
  // Nodes for which LibTorch has no answer without the rule: how many, by operator and reason.
  std::map<std::pair<std::string, std::string>, size_t> not_compared;
};

struct Annotations {
  std::vector<GraphAnnotations> graphs;  // the outermost first
  std::vector<Diagnostic> diagnostics;   // errors in graph order
  std::vector<const Storage*> storages;  // by id
  Crossref crossref;
  std::shared_ptr<ShapeEnv> shape_env;   // owns what symbolic sizes point to
  std::shared_ptr<ObjectTable> objects;  // owns what the values point to
};

}  // namespace fakeprop
