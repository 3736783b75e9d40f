// What the passes over the graphs of one run share.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "lib/interpreter/inline_sizes.h"
#include "lib/value_ranges/storage_contents.h"
#include "lib/value_ranges/value_analysis.h"

namespace fakeprop {

class AnalyzedRun {
 public:
  AnalyzedRun(const Graph& graph, const std::vector<InputValue>& inputs, const Annotations& annotations);
  AnalyzedRun(const AnalyzedRun&) = delete;
  AnalyzedRun& operator=(const AnalyzedRun&) = delete;

  const Graph& root;
  const std::vector<InputValue>& inputs;
  const Annotations& annotations;
  const RangeMath math;
  StorageContents contents;
  ValueAnalysis analysis;
  bool trusts_buffers = true;  // buffers hold what the file says

  Dim SizeOf(const InlineSize& size);
  // The first run of the graph at a path, an index into Annotations::graphs; -1 if it has not run.
  int GraphAt(const std::string& path);
  // Returns true if a node may change which tensors a list has.
  bool HasListWrites();
  // The calls inside of a node, and the arguments of one.
  std::span<const InnerCall> InnerCallsOf(const NodeAnnotation& node) const {
    return std::span(annotations.inner_calls.calls).subspan(node.first_call, node.calls);
  }
  std::span<const Value> ArgumentsOf(const InnerCall& call) const {
    return std::span(annotations.inner_calls.arguments).subspan(call.first_argument, call.schema->arguments.size());
  }
  // The ranges of a graph that was not analysed yet, ready to be filled.
  GraphRanges& RangesOf(size_t graph);
  bool IsAnalyzed(size_t graph) const {
    return graph < analysis.graphs.size() && analysis.graphs[graph].graph != nullptr;
  }

 private:
  std::optional<InlineSizes> inline_sizes_;
  std::optional<bool> has_list_writes_;
  std::map<std::string, int> paths_;
  size_t known_paths_ = 0;
};

}  // namespace fakeprop
