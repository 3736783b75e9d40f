// Compares a run with a reference (the graph's own record or a golden file), node by node.
#pragma once

#include <vector>

#include "lib/interpreter/annotations.h"
#include "lib/interpreter/run_graph.h"
#include "lib/lint/finding.h"
#include "lib/lint/reference.h"

namespace fakeprop {

// The run that is compared.
struct LintRun {
  const Graph& graph;
  const std::vector<InputValue>& inputs;
  const Annotations& annotations;
  RunOptions options;  // those of the run
};

// The code and the words for a kind of reference: {kRecordedDiffers, "was recorded as"}.
struct Account {
  Code code;
  std::string_view was;
};

// A finding for each value of one graph that differs from the reference. A difference that only follows from a node's
// inputs is added to the finding of those inputs. To tell, the node alone is run on the reference's values of its
// inputs: if it then gives the reference's value, its difference only follows.
std::vector<Finding> CompareGraph(
    const LintRun& run, const GraphAnnotations& annotations, const Reference& reference, const Account& account);

// Every error of the run as a finding.
std::vector<Finding> FindErrors(const Annotations& annotations);

// The differences of one severity between rules and LibTorch. The expected value is LibTorch's.
std::vector<Finding> FindRuleDifferences(const Annotations& annotations, Severity severity);

// The values of the nodes, by node.
std::vector<Value> ValuesOf(const GraphAnnotations& annotations);

// A finding about one node of a graph with these values.
Finding FindingAt(const LintRun& run, const GraphAnnotations& annotations, int32_t node, Code code, std::string message,
    const std::vector<Value>& values);

}  // namespace fakeprop
