// Names findings so that the same finding has the same name in the next run, even if lines and nodes moved.
#pragma once

#include <string>
#include <vector>

#include "lib/lint/findings_report.h"

namespace fakeprop {

// One for each finding of the graph: 16 hexadecimal digits, ":" and a number that counts those of the same digits. The
// digits come from the graph's path, the code, the operator, the module, and the text of the user's line. Numbers of
// lines and names of nodes do not count. A finding without a trace has the name of its node instead.
std::vector<std::string> Fingerprints(const GraphFindings& graph);

}  // namespace fakeprop
