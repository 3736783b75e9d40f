// The state behind the handles of fakeprop/*.h.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fakeprop/annotated_graph.h"
#include "fakeprop/graph_inputs.h"
#include "fakeprop/loaded_graph.h"
#include "lib/graph/graph.h"
#include "lib/inputs/inputs.h"
#include "lib/interpreter/annotations.h"
#include "lib/interpreter/run_graph.h"

namespace fakeprop::api {

struct GraphState {
  Graph graph;
  std::optional<Device> device;  // that the graph was moved to
  std::shared_ptr<ResolvedGraphs> resolved = NewResolvedGraphs();
};

struct InputState {
  std::shared_ptr<const GraphState> graph;
  std::shared_ptr<ShapeEnv> shape_env;
  std::vector<InputValue> values;
};

struct RunState {
  std::shared_ptr<const GraphState> graph;
  Annotations annotations;
};

struct Access {
  template <typename Handle>
  static const auto& StateOf(const Handle& handle) {
    return handle.state_;
  }
  template <typename Handle, typename State>
  static Handle Make(std::shared_ptr<State> state) {
    return Handle(std::move(state));
  }
  static AnnotatedNode NodeOf(const RunState& run, const NodeAnnotation& node) { return {run, node}; }
};

// Keeps the graph alive as long as the environment, because guards and symbols name nodes by views into the graph's
// text. `env` must come from NewShapeEnv().
void KeepWith(const std::shared_ptr<ShapeEnv>& env, std::shared_ptr<const GraphState> graph);

}  // namespace fakeprop::api
