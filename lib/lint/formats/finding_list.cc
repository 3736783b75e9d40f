#include "lib/lint/formats/finding_list.h"

#include <algorithm>

#include "lib/lint/formats/fingerprints.h"

namespace fakeprop {

std::vector<ListedFinding> ListFindings(const std::vector<GraphFindings>& graphs, SourcePlaces& places) {
  std::vector<ListedFinding> list;
  for (const GraphFindings& graph : graphs) {
    std::vector<std::string> fingerprints = Fingerprints(graph);
    for (size_t i = 0; i < graph.findings.size(); ++i)
      list.push_back({&graph, &graph.findings[i], places.Of(graph.graph, graph.findings[i].diagnostic),
          std::move(fingerprints[i])});
  }
  return list;
}

std::vector<ListedFinding> ErrorsFirst(std::vector<ListedFinding> findings) {
  std::stable_partition(
      findings.begin(), findings.end(), [](const ListedFinding& finding) { return finding.is_error(); });
  return findings;
}

std::string MessageWithNotes(const Finding& finding) {
  std::string text = finding.diagnostic.message;
  if (!finding.diagnostic.node_text.empty()) text += "\nnode " + finding.diagnostic.node_text;
  for (const FieldDifference& field : finding.fields)
    text += "\n" + field.field + ": expected " + field.expected + ", found " + field.found;
  for (const OperandOrigin& o : finding.diagnostic.operands)
    text += "\n" + o.name + ": " + o.meta + (o.origin.empty() ? "" : ", " + o.origin);
  for (const std::string& note : finding.diagnostic.notes) text += "\n" + note;
  return text;
}

}  // namespace fakeprop
