// The pass over one graph of a run.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "lib/value_ranges/analyzed_run.h"
#include "lib/value_ranges/called_operator.h"
#include "lib/value_ranges/range_call.h"

namespace fakeprop {

class GraphAnalyzer final : public RangeSource {
 public:
  // `graph` is an index into Annotations::graphs. `given` are the ranges of a subgraph's placeholders, in order; those
  // that are missing are any number. `depth` counts the graphs around it.
  GraphAnalyzer(AnalyzedRun& run, size_t graph, std::span<const ValueRange> given = {}, int depth = 0);

  // Goes on to the last node that was annotated.
  void Analyze();

  GraphRanges& ranges() { return run_.analysis.graphs[graph_]; }
  const GraphRanges& ranges() const { return run_.analysis.graphs[graph_]; }
  const GraphAnnotations& annotations() const { return run_.annotations.graphs[graph_]; }
  AnalyzedRun& run() { return run_; }
  int depth() const { return depth_; }
  bool IsOutermost() const { return graph_ == 0; }

  const NodeAnnotation& AnnotationAt(int32_t node) const override { return annotations().nodes[node]; }
  const Node& NodeAt(int32_t node) const { return *AnnotationAt(node).node; }
  ValueRange RangeOf(int32_t node, size_t position) const override;
  Dim SizeOf(const InlineSize& size) const override { return run_.SizeOf(size); }
  RangeOperand OperandOf(const Tensor& tensor) const override;
  bool IsWritten(const Tensor& tensor) const override { return run_.contents.IsWritten(tensor.storage); }

  // Returns true if elements of a result may share memory.
  bool MayOverlap(const Value& result) const;
  // Returns true if an argument is a tensor whose sizes are not known any more.
  bool TakesReshaped(std::span<const Argument> arguments) const;
  // The ranges of the tensors that the graph returns, in their order; empty if it did not get so far.
  NodeRanges Returned() const;
  // From here on no element of the node's tensor is beyond these ends; null for no end.
  void Narrow(int32_t node, Sym low, Sym high);

 private:
  // A tensor in the result of a node; -1 for none.
  struct Place {
    int32_t node = -1;
    size_t position = 0;
  };

  // The same; `tensor` is the one at the position.
  ValueRange RangeOf(int32_t node, size_t position, const Tensor& tensor) const;

  NodeRanges& RangesAt(int32_t index) { return ranges().nodes[index]; }

  void AnalyzeNode(int32_t index);
  void AnalyzePlaceholder(int32_t index);
  void Declare(ValueRange& range, int32_t index, int input) const;
  void UseElements(int32_t index);
  void UseElements(int32_t index, size_t position, const Tensor& tensor);

  void AnalyzeFunction(int32_t index, const Node& node);
  void AnalyzeOperator(int32_t index, const Node& node, const CalledOperator& called);
  bool OverwritesArguments(const Node& node, const Schema& schema) const;
  void AnalyzeInnerCalls(int32_t index);
  void AnalyzeInnerCall(int32_t index, const InnerCall& call);
  void NoteInnerWrites(int32_t index, const InnerCall& inner, std::span<const ValueRange> results);
  void AnalyzeItem(int32_t index, const Node& node);
  void AnalyzeList(int32_t index, const Node& node);

  void NoteEarlier(int32_t until);
  void NoteNew(const Value& value, std::span<const ValueRange> results);
  bool WritesUnknown(const Node& node) const;
  void NoteWrites(int32_t index, const Node& node, const CalledOperator* called);
  void NoteWrite(const Tensor& written, const Value& result, std::span<const ValueRange> results);
  // Among the arguments of the current node.
  Place FindInArguments(const Tensor& tensor) const;

  AnalyzedRun& run_;
  const size_t graph_;
  const std::span<const ValueRange> given_;
  const int depth_;
  int32_t next_ = 0, current_ = 0, noted_ = 0;
  size_t next_placeholder_ = 0;
  std::unordered_map<int32_t, ValueRange> narrowed_;  // nodes with one tensor each

  // Of calls inside of the current node.
  struct Result {
    const Tensor* tensor;
    ValueRange range;
  };
  std::vector<Result> inner_results_;
};

// The range as another graph may use it: origins and what the caller chooses are those of one graph.
ValueRange AcrossGraphs(const RangeMath& math, ValueRange range, bool is_certain);

// Gives the results of a node of a higher-order operator their ranges, after it has analysed the node's subgraphs.
NodeRanges AnalyzeSubgraphs(GraphAnalyzer& caller, int32_t index);

// Narrows tensors by what the assertion at the node says of them, or by the number that it takes from data.
void NarrowByNode(GraphAnalyzer& graph, int32_t index);

}  // namespace fakeprop
