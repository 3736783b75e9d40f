// The options of a run, from public ones.
#pragma once

#include <memory>

#include "fakeprop/propagate.h"
#include "lib/api/handles.h"
#include "lib/libtorch_fallback/dry_run.h"

namespace fakeprop::api {

class RunSetup {
 public:
  // All arguments outlive the RunSetup, and it outlives the run.
  RunSetup(const GraphState& graph, const PropagateOptions& options, std::shared_ptr<ShapeEnv> env);

  Annotations Run(const std::vector<InputValue>& inputs);

 private:
  const GraphState& graph_;
  RunOptions options_;
  DryRunFallback dry_run_;
};

}  // namespace fakeprop::api
