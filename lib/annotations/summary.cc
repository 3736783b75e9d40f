#include "lib/annotations/summary.h"

#include <map>

namespace fakeprop {

std::string Counted(size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

Summary Summarize(const Annotations& annotations) {
  Summary summary;
  summary.errors = annotations.diagnostics.size();
  for (const GraphAnnotations& graph : annotations.graphs) {
    summary.nodes += graph.nodes.size();
    for (const NodeAnnotation& node : graph.nodes) summary.skipped += node.kind == NodeAnnotation::Kind::kSkipped;
  }
  return summary;
}

std::string ToString(const Summary& s) {
  std::string text = Counted(s.errors, "error") + " in " + Counted(s.nodes, "node");
  if (s.skipped) text += "; " + Counted(s.skipped, "node") + (s.skipped == 1 ? " was skipped" : " were skipped");
  return text;
}

void NoteSkippedNodes(Annotations& annotations) {
  // Counted by failing node. A node whose subgraph failed has the diagnostic of the node inside.
  std::map<const Node*, size_t> skipped;
  for (const GraphAnnotations& graph : annotations.graphs)
    for (const NodeAnnotation& node : graph.nodes)
      if (node.kind == NodeAnnotation::Kind::kSkipped) ++skipped[node.cause];
  std::map<int, size_t> by_error;
  for (const GraphAnnotations& graph : annotations.graphs)
    for (const NodeAnnotation& node : graph.nodes)
      if (node.kind == NodeAnnotation::Kind::kError) by_error[node.diagnostic] += skipped[node.node];
  for (const auto& [error, count] : by_error) {
    if (count == 0) continue;
    Diagnostic& d = annotations.diagnostics[error];
    d.notes.push_back(Counted(count, "node") + (count == 1 ? " was" : " were") + " skipped because of it");
  }
}

}  // namespace fakeprop
