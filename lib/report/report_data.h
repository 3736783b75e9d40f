// What the page of a report knows about a graph: its annotations, and what the graph itself says beside them.
//
//   {"format": "fakeprop.report/1", "annotations": {..}, "details": {..}}
//
// `annotations` is what `fakeprop GRAPH` writes. `details` is for the page alone and may change with it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/diff/diff_report.h"
#include "lib/interpreter/annotations.h"
#include "lib/lint/finding.h"
#include "lib/report/run_measures.h"

namespace fakeprop {

// What serves a node: "rule (in-place of aten::add.Tensor)", and the file with the rule, if it is one of ours.
struct NodeService {
  std::string by;
  std::string_view file;
};

struct ReportSource {
  const Graph& graph;
  const Annotations& annotations;
  std::vector<Finding> findings;  // the first cause first
  std::function<NodeService(const Node&)> service;
  const RunMeasures* measures = nullptr;   // null if the run has errors
  const DiffReport* comparison = nullptr;  // with another run, if there is one
};

std::string ReportData(const ReportSource& source);

}  // namespace fakeprop
