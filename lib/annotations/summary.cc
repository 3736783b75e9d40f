#include "lib/annotations/summary.h"

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

}  // namespace fakeprop
