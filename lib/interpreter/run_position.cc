#include "lib/interpreter/run_position.h"

#include "lib/diag/python_trace.h"
#include "lib/graph/graph.h"

namespace fakeprop {

void RunPosition::MoveTo(const Graph& graph, int32_t node) {
  graph_ = &graph;
  node_ = node;
  shape_env_.SetPlace({graph.nodes[node].name, graph.nodes[node].stack_trace});
}

const std::vector<std::string>* RunPosition::RecordedNamesHere() {
  if (!graph_ || graph_->recorded.empty()) return nullptr;
  auto it = recorded_names_.find(graph_);
  if (it == recorded_names_.end()) it = recorded_names_.emplace(graph_, RecordedNames(*graph_)).first;
  return &it->second.Of(node_);
}

RunPosition::Guard::Guard(RunPosition& position)
    : position_(position), graph_(position.graph_), node_(position.node_), place_(position.shape_env_.place()) {}

RunPosition::Guard::~Guard() {
  position_.graph_ = graph_;
  position_.node_ = node_;
  position_.shape_env_.SetPlace(place_);
}

std::string DescribePlace(const GraphPlace& place) {
  const std::string node = "node `" + std::string(place.node) + "`";
  const auto frames = ParseStackTrace(place.stack_trace);
  const PythonFrame* frame = HeadlineFrame(frames);
  return frame ? node + " (" + LineText(*frame) + ")" : node;
}

}  // namespace fakeprop
