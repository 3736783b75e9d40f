// Compares what was propagated with an earlier account, node by node.
#pragma once

#include <vector>

#include "lib/interpreter/propagate.h"
#include "lib/lint/finding.h"
#include "lib/lint/reference.h"

namespace fakeprop {

// What a comparison needs to know of the run.
struct LintRun {
  const Graph& graph;
  const std::vector<InputValue>& inputs;
  const Annotations& annotations;
  PropagateOptions options;  // as the graph was propagated
};

// How a comparison speaks of its account: {kRecordedDiffers, "was recorded as"}.
struct Account {
  Code code;
  std::string_view was;
};

// The values of one graph of the run that differ. A difference that follows from that of a node's inputs is told with
// the finding that it goes back to. Whether it follows is tried out: the node alone is run on what the account says of
// its inputs, and has to give what the account says of it.
std::vector<Finding> CompareGraph(
    const LintRun& run, const GraphAnnotations& annotations, const Reference& reference, const Account& account);

// Every error of the run as a finding.
std::vector<Finding> FindErrors(const Annotations& annotations);

// Where rules and LibTorch differ, by what LibTorch expects: those of one severity.
std::vector<Finding> FindRuleDifferences(const Annotations& annotations, Severity severity);

// A finding at a node of one graph of the run.
Finding FindingAt(
    const LintRun& run, const GraphAnnotations& annotations, int32_t node, Code code, std::string message);

}  // namespace fakeprop
