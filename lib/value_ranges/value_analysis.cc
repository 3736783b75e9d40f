#include "lib/value_ranges/value_analysis.h"

#include <algorithm>
#include <memory>

#include "lib/value_ranges/graph_analyzer.h"

namespace fakeprop {
namespace {

// Returns true if a buffer whose elements the file tells is written to: then a later call finds others.
bool AreBuffersWritten(const AnalyzedRun& run) {
  const std::vector<Input>& inputs = run.root.inputs;
  for (size_t i = 0; i < inputs.size() && i < run.inputs.size(); ++i) {
    if (inputs[i].kind != InputKind::kBuffer || !run.inputs[i].values) continue;
    const Tensor* tensor = run.annotations.graphs.front().nodes[inputs[i].node].value.TryTensor();
    if (tensor && run.contents.IsWritten(tensor->storage)) return true;
  }
  return false;
}

// The graphs that no node's pass has come to are other runs of subgraphs.
void AnalyzeAll(AnalyzedRun& run) {
  for (size_t i = 0; i < run.annotations.graphs.size(); ++i)
    if (!run.IsAnalyzed(i)) {
      GraphAnalyzer analyzer(run, i);
      analyzer.ranges().is_certain = i == 0;
      analyzer.Analyze();
    }
  for (size_t i = 0; i < run.analysis.graphs.size(); ++i)
    run.analysis.graphs[i].annotations = &run.annotations.graphs[i];
}

}  // namespace

const GraphRanges* FindRanges(const ValueAnalysis& analysis, const GraphAnnotations& graph) {
  const auto of = std::find_if(analysis.graphs.begin(), analysis.graphs.end(),
      [&](const GraphRanges& ranges) { return ranges.annotations == &graph; });
  return of == analysis.graphs.end() ? nullptr : &*of;
}

ValueAnalysis AnalyzeValues(const Graph& graph, const std::vector<InputValue>& inputs, const Annotations& annotations) {
  AnalyzedRun run(graph, inputs, annotations);
  AnalyzeAll(run);
  if (run.annotations.graphs.empty() || !AreBuffersWritten(run)) return std::move(run.analysis);
  AnalyzedRun again(graph, inputs, annotations);
  again.trusts_buffers = false;
  AnalyzeAll(again);
  return std::move(again.analysis);
}

}  // namespace fakeprop
