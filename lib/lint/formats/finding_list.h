// All findings in one list, each with what the formats for other programs need to know of it.
#pragma once

#include <string>
#include <vector>

#include "lib/lint/findings_report.h"
#include "lib/lint/formats/source_places.h"

namespace fakeprop {

struct ListedFinding {
  const GraphFindings* graph;
  const Finding* finding;
  SourcePlace place;
  std::string fingerprint;

  const Diagnostic& diagnostic() const { return finding->diagnostic; }
  bool is_error() const { return diagnostic().severity == Severity::kError; }
};

// In the order of the graphs, then of their findings.
std::vector<ListedFinding> ListFindings(const std::vector<GraphFindings>& graphs, SourcePlaces& places);

// The same findings with the errors first, for programs that show only so many.
std::vector<ListedFinding> ErrorsFirst(std::vector<ListedFinding> findings);

// The message, the differing fields and the notes, one a line.
std::string MessageWithNotes(const Finding& finding);

}  // namespace fakeprop
