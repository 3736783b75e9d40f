// Findings as text and as JSON (format fakeprop.lint/1; docs/lint.schema.json).
#pragma once

#include <string>
#include <vector>

#include "lib/diag/color.h"
#include "lib/lint/finding.h"

namespace fakeprop {

struct GraphFindings {
  std::string graph;  // the path, as on the command line
  size_t nodes = 0;
  std::vector<Finding> findings;
};

// One finding.
std::string FindingText(const Finding& finding, Paint paint);

// All findings, then a line that counts them.
std::string LintText(const std::vector<GraphFindings>& graphs, Paint paint);

std::string LintJson(const std::vector<GraphFindings>& graphs);

size_t CountFindings(const std::vector<GraphFindings>& graphs);

}  // namespace fakeprop
