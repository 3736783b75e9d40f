// Findings as text and as JSON (format fakeprop.lint/1; docs/lint.schema.json).
#pragma once

#include <string>
#include <vector>

#include "lib/annotations/conditions.h"
#include "lib/diag/color.h"
#include "lib/interpreter/annotations.h"
#include "lib/lint/finding.h"

namespace fakeprop {

// The outcome for one graph. If it could not be linted, because its file, spec or golden is missing or wrong, it has
// `trouble` and neither nodes nor findings.
struct GraphFindings {
  std::string graph;  // the path, as on the command line
  size_t nodes = 0;
  std::vector<Finding> findings;
  size_t in_baseline = 0;  // other findings, which the baseline lists
  size_t ignored = 0;      // others, which an exception names
  Conditions conditions;   // that the absence of findings relies on
  Crossref crossref;
  std::vector<Diagnostic> trouble;  // why it was not linted
};

// One finding.
std::string FindingText(const Finding& finding, Paint paint);

// All findings, a line that counts them, the conditions that they rely on, and the graphs that were not linted.
std::string LintText(const std::vector<GraphFindings>& graphs, Paint paint);

std::string LintJson(const std::vector<GraphFindings>& graphs);

// Those that the baseline lists.
size_t CountInBaseline(const std::vector<GraphFindings>& graphs);

// Those that an exception names.
size_t CountIgnored(const std::vector<GraphFindings>& graphs);

size_t CountFindings(const std::vector<GraphFindings>& graphs);

// Returns true if a finding is more than a warning.
bool HasErrors(const std::vector<GraphFindings>& graphs);

}  // namespace fakeprop
