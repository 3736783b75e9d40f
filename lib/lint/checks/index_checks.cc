// Indices out of range.
#include "lib/lint/checks/checks.h"
#include "lib/value_ranges/use_text.h"

namespace fakeprop {
namespace {

std::string HelpFor(const IndexUse& use) {
  if (use.verdict == IndexUse::Verdict::kFails) return "help: clamp the numbers, or make what they index larger";
  if (!use.holds) return "help: state narrower `values` in the spec, or make what the numbers index larger";
  return "help: export with these sizes as the range of the symbol, or clamp the numbers";
}

std::vector<std::string> NotesOf(const IndexUse& use, const GraphRanges& ranges) {
  std::vector<std::string> notes = UseNotes(use, ranges);
  notes.push_back(HelpFor(use));
  return notes;
}

void Report(const CheckedGraph& graph, IndexUse::Verdict verdict, CheckReports& out) {
  const GraphRanges& ranges = graph.ranges();
  for (const IndexUse& use : ranges.uses)
    if (use.verdict == verdict) out.push_back({use.node, UseText(use, ranges), NotesOf(use, ranges), {}});
}

}  // namespace

void CheckIndexOutOfRange(const CheckedGraph& graph, const CheckSettings&, CheckReports& out) {
  Report(graph, IndexUse::Verdict::kFails, out);
}

void CheckIndexLimit(const CheckedGraph& graph, const CheckSettings&, CheckReports& out) {
  Report(graph, IndexUse::Verdict::kFailsForSome, out);
}

}  // namespace fakeprop
