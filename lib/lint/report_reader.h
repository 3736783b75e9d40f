// Reads what LintJson wrote (format fakeprop.lint/1).
#pragma once

#include <string_view>
#include <vector>

#include "lib/lint/findings_report.h"

namespace fakeprop {

// The findings of each graph. LintJson writes the same text for them again. Throws JsonError if the text is no such
// report.
std::vector<GraphFindings> ReadLintReport(std::string_view text);

}  // namespace fakeprop
