#include "lib/value_ranges/analyzed_run.h"

#include "lib/annotations/subgraphs.h"
#include "lib/value_ranges/graph_writes.h"

namespace fakeprop {

AnalyzedRun::AnalyzedRun(const Graph& graph, const std::vector<InputValue>& given, const Annotations& run)
    : root(graph), inputs(given), annotations(run), math(*run.shape_env), contents(math) {}

Dim AnalyzedRun::SizeOf(const InlineSize& size) {
  if (!inline_sizes_) inline_sizes_.emplace(root, inputs, *annotations.shape_env);
  return inline_sizes_->Of(size.spelling);
}

bool AnalyzedRun::HasListWrites() {
  if (!has_list_writes_) has_list_writes_ = fakeprop::HasListWrites(root);
  return *has_list_writes_;
}

int AnalyzedRun::GraphAt(const std::string& path) {
  for (; known_paths_ < annotations.graphs.size(); ++known_paths_)
    if (const GraphAnnotations& graph = annotations.graphs[known_paths_]; graph.call.empty())
      paths_.emplace(graph.path, static_cast<int>(known_paths_));
  const auto it = paths_.find(path);
  return it == paths_.end() ? -1 : it->second;
}

GraphRanges& AnalyzedRun::RangesOf(size_t graph) {
  if (analysis.graphs.size() <= graph) analysis.graphs.resize(annotations.graphs.size());
  GraphRanges& ranges = analysis.graphs[graph];
  const GraphAnnotations& run = annotations.graphs[graph];
  ranges = {.root = &root, .graph = &fakeprop::GraphAt(root, run.path), .annotations = &run};
  ranges.nodes.resize(ranges.graph->nodes.size());
  return ranges;
}

}  // namespace fakeprop
