// The state that operator calls of a run share, and the node that makes each call.
#pragma once

#include <map>

#include "lib/higher_order/vmap_batched.h"
#include "lib/interpreter/fake_inputs.h"
#include "lib/interpreter/frame.h"
#include "lib/interpreter/lazy_fallback.h"
#include "lib/interpreter/run_graph.h"
#include "lib/python/python.h"

namespace fakeprop {

// An operator, with the facts that are looked up once.
struct ServedOperator {
  const Schema& schema;
  const ServedRule* rule = nullptr;  // null leaves it to LibTorch
  GradRule grad;
};

// The operators that Python functions and higher-order operators called. Those of nodes are in ResolvedNode.
class OperatorCache {
 public:
  // All calls are of one version of torch.
  const ServedOperator& Find(const Schema& schema, int torch);

 private:
  std::map<const Schema*, ServedOperator> found_;
};

// The state that all operator calls of a run share.
struct Runtime {
  const RunOptions& options;
  ObjectTable& objects;
  ShapeEnv& shape_env;
  Crossref& crossref;
  FakeInputs inputs;
  LazyFallback fallback;
  AnnotationWriter& annotations;
  LibTorchFallback* stand_in = nullptr;  // serves the operators that it knows in place of rules; null for none
  ExecutionState state = {};
  bool below_autograd = false;  // operators run as below autograd's dispatch keys
  Batched batched{objects};
  PythonMemory python = {};
  OperatorCache operators = {};
  int eager_questions = 64;  // how many more errors eager PyTorch is asked about: each question costs a child process

  // The state that autograd sees.
  ExecutionState AutogradState() const {
    ExecutionState seen = state;
    seen.grad_enabled &= !below_autograd;
    return seen;
  }
};

// The node for which an operator is called.
struct CallSite {
  Runtime& runtime;
  const Frame& frame;
  const Node& node;
  int rule_depth = 0;        // how deep the user's rules call each other
  bool keeps_calls = false;  // the annotations get the operators that the node calls inside
};

}  // namespace fakeprop
