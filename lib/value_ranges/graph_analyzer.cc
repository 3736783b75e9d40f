#include "lib/value_ranges/graph_analyzer.h"

#include <algorithm>

#include "lib/error/error.h"
#include "lib/meta/has_integers.h"
#include "lib/meta/identical_dims.h"
#include "lib/meta/value_visit.h"
#include "lib/value_ranges/element_overlap.h"
#include "lib/value_ranges/graph_writes.h"

namespace fakeprop {
namespace {

// The given range, which says no less than that of the dtype.
ValueRange WithEndsOf(const ValueRange& dtype, ValueRange given) {
  if (!given.low.at) given.low = dtype.low;
  if (!given.high.at) given.high = dtype.high;
  return given;
}

bool RunsGraphs(const Node& node, const Graph& root) {
  if (node.op == NodeOp::kCallModule) return node.member < 0;
  if (node.op != NodeOp::kCallFunction) return false;
  return root.kind == kTorchScriptKind ? AtenWord(node.target).empty()
                                       : node.target.starts_with("torch.ops.higher_order.");
}

}  // namespace

ValueRange AcrossGraphs(const RangeMath& math, ValueRange range, bool is_certain) {
  const auto keep = [&](ValueEnd& end) {
    if (!is_certain || end.met.when != Met::kInAllRuns) end.met = {};
  };
  keep(range.low);
  keep(range.high);
  range.origin = -1;
  return range;
}

GraphAnalyzer::GraphAnalyzer(AnalyzedRun& run, size_t graph, std::span<const ValueRange> given, int depth)
    : run_(run), graph_(graph), given_(given), depth_(depth) {
  run_.RangesOf(graph);
}

void GraphAnalyzer::Analyze() {
  const auto count = static_cast<int32_t>(annotations().nodes.size());
  for (; next_ < count; ++next_)
    if (annotations().nodes[next_].kind == NodeAnnotation::Kind::kValue) AnalyzeNode(next_);
}

// ---- what is known

ValueRange GraphAnalyzer::RangeOf(int32_t node, size_t position) const {
  const Tensor* tensor = ValueOf(node).TryTensor();
  return RangeOf(node, position, tensor ? *tensor : *TensorsOf(ValueOf(node)).at(position));
}

ValueRange GraphAnalyzer::RangeOf(int32_t node, size_t position, const Tensor& tensor) const {
  if (const std::optional<ValueRange> written = run_.contents.Of(tensor)) return *written;
  if (!narrowed_.empty())
    if (const auto narrowed = narrowed_.find(node); narrowed != narrowed_.end()) return narrowed->second;
  const NodeRanges& known = ranges().nodes[node];
  return position < known.size() ? known[position] : run_.math.Any(tensor.meta.dtype);
}

GraphAnalyzer::Place GraphAnalyzer::FindInArguments(const Tensor& tensor) const {
  Place place;
  for (const Argument& argument : NodeAt(current_).arguments)
    ForEachNode(argument.value, [&](NodeRef ref) {
      if (const Tensor* single = ValueOf(ref.index).TryTensor()) {
        if (single == &tensor) place = {ref.index, 0};
        return;
      }
      size_t position = 0;
      ForEachTensor(ValueOf(ref.index), [&](const Tensor& argument_tensor) {
        if (&argument_tensor == &tensor) place = {ref.index, position};
        ++position;
      });
    });
  return place;
}

RangeOperand GraphAnalyzer::OperandOf(const Tensor& tensor) const {
  const auto inner = std::find_if(
      inner_results_.rbegin(), inner_results_.rend(), [&](const Result& result) { return result.tensor == &tensor; });
  const bool is_inner = inner != inner_results_.rend();
  const Place place = is_inner ? Place{current_} : FindInArguments(tensor);
  if (std::optional<ValueRange> written = run_.contents.Of(tensor)) return {&tensor, place.node, *written};
  if (is_inner) return {&tensor, place.node, inner->range};
  if (place.node >= 0) return {&tensor, place.node, RangeOf(place.node, place.position, tensor)};
  const std::optional<ValueRange> exact = tensor.constant ? RangeOfElements(*tensor.constant, run_.math) : std::nullopt;
  return {&tensor, -1, exact && IsIntegral(tensor.meta.dtype) ? *exact : run_.math.Any(tensor.meta.dtype)};
}

NodeRanges GraphAnalyzer::Returned() const {
  const std::vector<Node>& nodes = ranges().graph->nodes;
  if (nodes.empty() || nodes.back().op != NodeOp::kOutput || nodes.back().arguments.empty()) return {};
  if (annotations().nodes.size() != nodes.size()) return {};
  NodeRanges returned;
  ForEachNode(nodes.back().arguments[0].value, [&](NodeRef ref) {
    for (size_t i = 0, count = TensorsOf(ValueOf(ref.index)).size(); i < count; ++i)
      returned.push_back(RangeOf(ref.index, i));
  });
  return returned;
}

void GraphAnalyzer::Narrow(int32_t node, Sym low, Sym high) {
  const Tensor* tensor = ValueOf(node).TryTensor();
  if (!tensor || !IsIntegral(tensor->meta.dtype) || run_.contents.IsWritten(tensor->storage)) return;
  ValueRange range = RangeOf(node, 0);
  if (low && !run_.math.IsAtMost(low, range.low.at)) range.low = {run_.math.GreatestKnown(range.low.at, low), {}};
  if (high && !run_.math.IsAtMost(range.high.at, high)) range.high = {run_.math.LeastKnown(range.high.at, high), {}};
  narrowed_.insert_or_assign(node, range);
}

// ---- nodes

void GraphAnalyzer::AnalyzeNode(int32_t index) {
  current_ = index;
  const Node& node = NodeAt(index);
  const CalledOperator* called = OperatorOf(AnnotationAt(index));
  switch (node.op) {
    case NodeOp::kPlaceholder: AnalyzePlaceholder(index); break;
    case NodeOp::kGetAttr: UseElements(index); break;
    case NodeOp::kOutput: return;
    default: called ? AnalyzeOperator(index, node, *called) : AnalyzeFunction(index, node); break;
  }
  if (called ? called->writes : WritesUnknown(node)) NoteWrites(index, node, called);
}

void GraphAnalyzer::AnalyzeFunction(int32_t index, const Node& node) {
  if (annotations().nodes[index].calls > 0) {
    AnalyzeInnerCalls(index);
  } else if (node.target == "_operator.getitem" && node.op == NodeOp::kCallFunction) {
    AnalyzeItem(index, node);
  } else if (PassesOn(node)) {
    AnalyzeList(index, node);
  } else if (RunsGraphs(node, run_.root)) {
    RangesAt(index) = AnalyzeSubgraphs(*this, index);
  }
  if (HasIntegers(ValueOf(index))) UseElements(index);
}

void GraphAnalyzer::AnalyzeOperator(int32_t index, const Node& node, const CalledOperator& called) {
  const bool has_integers = HasIntegers(ValueOf(index));
  const OperatorRanges known{has_integers ? called.ranges.transfer : nullptr, called.ranges.find_uses};
  if ((known.transfer || known.find_uses) && !TakesReshaped(node.arguments)) {
    RangeCall call(index, node.arguments, *called.schema, ValueOf(index), *this, run_.math);
    const bool is_known = RunTransfer(call, known, ranges().uses);
    const bool is_undefined = (called.schema->IsOut() && OverwritesArguments(node, *called.schema)) ||
                              (called.writes && MayOverlap(ValueOf(index)));
    if (is_known && !is_undefined) RangesAt(index).assign(call.ranges().begin(), call.ranges().end());
  }
  if (called.narrows) NarrowByNode(*this, index);
  if (has_integers) UseElements(index);
}

bool GraphAnalyzer::MayOverlap(const Value& result) const {
  return AnyTensor(result, [&](const Tensor& tensor) { return !IsWithoutOverlap(tensor.meta, run_.math); });
}

bool GraphAnalyzer::TakesReshaped(std::span<const Argument> arguments) const {
  if (!run_.contents.HasReshaped()) return false;
  bool takes = false;
  for (const Argument& argument : arguments)
    ForEachNode(argument.value, [&](NodeRef ref) {
      ForEachTensor(
          ValueOf(ref.index), [&](const Tensor& tensor) { takes = takes || run_.contents.IsReshaped(tensor.storage); });
    });
  return takes;
}

// Returns true if an argument that takes a result stands on the storage of another: a kernel may write to it before it
// reads that.
bool GraphAnalyzer::OverwritesArguments(const Node& node, const Schema& schema) const {
  std::vector<const Storage*> all, written;
  const auto add = [&](const Argument& argument, std::vector<const Storage*>& to) {
    ForEachNode(argument.value, [&](NodeRef ref) {
      ForEachTensor(ValueOf(ref.index), [&](const Tensor& tensor) { to.push_back(tensor.storage); });
    });
  };
  for (const Argument& argument : node.arguments) add(argument, all);
  for (const size_t i : WrittenArguments(node.arguments, schema)) add(node.arguments[i], written);
  return std::any_of(written.begin(), written.end(),
      [&](const Storage* storage) { return std::count(all.begin(), all.end(), storage) > 1; });
}

void GraphAnalyzer::AnalyzeItem(int32_t index, const Node& node) {
  const Tensor* tensor = ValueOf(index).TryTensor();
  const NodeRef* from = node.arguments.empty() ? nullptr : node.arguments[0].value.TryGet<NodeRef>();
  if (!tensor || !from || !IsIntegral(tensor->meta.dtype)) return;
  const Value* at = node.arguments.size() > 1 ? node.arguments[1].value.TryPlain() : nullptr;
  const Dim* position = at ? at->TryGet<Dim>() : nullptr;
  const List* list = ValueOf(from->index).TryList();
  if (!list || !position) return;
  const int64_t item = position->TryNumber().value_or(-1);
  if (item < 0 || item >= static_cast<int64_t>(list->items.size()) || !list->items[item].TryTensor()) return;
  size_t before = 0;  // tensors before it
  for (int64_t i = 0; i < item; ++i) before += list->items[i].TryTensor() ? 1 : TensorsOf(list->items[i]).size();
  RangesAt(index) = {RangeOf(from->index, before, *list->items[item].TryTensor())};
}

// The tensors of the arguments, in their order.
void GraphAnalyzer::AnalyzeList(int32_t index, const Node& node) {
  if (!HasIntegers(ValueOf(index)) || run_.HasListWrites()) return;
  NodeRanges results;
  for (const Argument& argument : node.arguments)
    ForEachNode(argument.value, [&](NodeRef ref) {
      for (size_t i = 0, count = TensorsOf(ValueOf(ref.index)).size(); i < count; ++i)
        results.push_back(RangeOf(ref.index, i));
    });
  if (results.size() == TensorsOf(ValueOf(index)).size()) RangesAt(index) = std::move(results);
}

// ---- placeholders and elements that are known

void GraphAnalyzer::UseElements(int32_t index) {
  size_t position = 0;
  ForEachTensor(ValueOf(index), [&](const Tensor& tensor) { UseElements(index, position++, tensor); });
}

void GraphAnalyzer::UseElements(int32_t index, size_t position, const Tensor& tensor) {
  if (!tensor.constant || !IsIntegral(tensor.meta.dtype)) return;
  std::optional<ValueRange> exact = RangeOfElements(*tensor.constant, run_.math);
  if (!exact) return;
  NodeRanges& known = RangesAt(index);
  if (known.size() <= position) known.resize(position + 1);
  const int32_t origin = known[position].origin;
  exact->origin = origin < 0 ? index : origin;
  exact->counts_along = known[position].counts_along;
  exact->step = known[position].step;
  known[position] = *exact;
}

void GraphAnalyzer::AnalyzePlaceholder(int32_t index) {
  const size_t place = next_placeholder_++;
  const Tensor* tensor = ValueOf(index).TryTensor();
  if (!tensor || !IsIntegral(tensor->meta.dtype)) return;
  ValueRange range = run_.math.Any(tensor->meta.dtype);
  if (IsOutermost() && place < run_.root.inputs.size()) Declare(range, index, static_cast<int>(place));
  else if (place < given_.size()) range = WithEndsOf(range, given_[place]);
  range.origin = index;
  RangesAt(index) = {range};
  UseElements(index, 0, *tensor);
}

// A caller chooses the elements of an input: each may be at either end, and all may be. A buffer is what it is.
void GraphAnalyzer::Declare(ValueRange& range, int32_t index, int input) const {
  const InputKind kind = run_.root.inputs[input].kind;
  if (kind != InputKind::kUserInput && kind != InputKind::kBuffer) return;
  range.input = index;
  range.is_buffer = kind == InputKind::kBuffer;
  if (range.is_buffer && !run_.trusts_buffers) return;
  const RangeMath& math = run_.math;
  const ValueBounds values = run_.inputs[input].values.value_or(ValueBounds());
  if (values.min) range.low.at = math.GreatestKnown(range.low.at, math.Number(*values.min));
  if (values.max) range.high.at = math.LeastKnown(range.high.at, math.Number(*values.max));
  const Met met = values.are_met ? Met::ByOne() : Met();
  if (range.low.at) range.low.met = range.is_buffer ? met : Met::Chosen(index, false);
  if (range.high.at) range.high.met = range.is_buffer ? met : Met::Chosen(index, true);
}

// ---- operators that Python functions call

void GraphAnalyzer::AnalyzeInnerCalls(int32_t index) {
  inner_results_.clear();
  for (const InnerCall& call : run_.InnerCallsOf(annotations().nodes[index])) AnalyzeInnerCall(index, call);
  if (!HasIntegers(ValueOf(index))) return;
  NodeRanges results;
  ForEachTensor(ValueOf(index), [&](const Tensor& tensor) { results.push_back(OperandOf(tensor).range); });
  RangesAt(index) = std::move(results);
}

void GraphAnalyzer::AnalyzeInnerCall(int32_t index, const InnerCall& inner) {
  const CalledOperator& called = OperatorOf(*inner.schema);
  const bool has_integers = HasIntegers(inner.result), gives = called.ranges.transfer && has_integers;
  if (!has_integers && !called.ranges.find_uses && !called.writes) return;
  RangeCall call(index, run_.ArgumentsOf(inner), *inner.schema, inner.result, *this, run_.math);
  const OperatorRanges known{gives ? called.ranges.transfer : nullptr, called.ranges.find_uses};
  if (!RunTransfer(call, known, ranges().uses) || (called.writes && MayOverlap(inner.result))) call.ForgetResults();
  const std::span<const ValueRange> results = call.ranges();
  size_t position = 0;
  ForEachTensor(inner.result, [&](const Tensor& tensor) { inner_results_.push_back({&tensor, results[position++]}); });
  if (called.writes) NoteInnerWrites(index, inner, results);
}

void GraphAnalyzer::NoteInnerWrites(int32_t index, const InnerCall& inner, std::span<const ValueRange> results) {
  if (IsOutermost()) {
    NoteEarlier(index - 1);
    NoteNew(inner.result, results);
  }
  const std::span<const Value> arguments = run_.ArgumentsOf(inner);
  for (size_t i = 0; i < arguments.size(); ++i)
    if (inner.schema->arguments[i].is_write)
      ForEachTensor(arguments[i], [&](const Tensor& tensor) { NoteWrite(tensor, inner.result, results); });
}

// ---- storages that are written to

// Most graphs write to nothing, so what storages held before is noted when something is written.
void GraphAnalyzer::NoteEarlier(int32_t until) {
  for (; noted_ <= until; ++noted_) NoteNew(ValueOf(noted_), RangesAt(noted_));
}

void GraphAnalyzer::NoteNew(const Value& value, std::span<const ValueRange> results) {
  if (results.empty()) return;
  size_t position = 0;
  ForEachTensor(value, [&](const Tensor& tensor) {
    if (const size_t at = position++; at < results.size()) run_.contents.Note(tensor, results[at]);
  });
}

// The node calls no operator. What a Python function writes is known from the calls inside of it, if they were kept.
bool GraphAnalyzer::WritesUnknown(const Node& node) const {
  const bool is_kept = run_.annotations.has_calls && run_.root.kind == kFxKind;
  const bool is_call = node.op != NodeOp::kPlaceholder && node.op != NodeOp::kGetAttr;
  return !is_kept && is_call && IsUnknownWriter(node);
}

// What a call that writes to its arguments returns is what they hold then.
void GraphAnalyzer::NoteWrites(int32_t index, const Node& node, const CalledOperator* called) {
  if (IsOutermost()) NoteEarlier(index);
  const auto write = [&](const GraphValue& written, const Value& result, std::span<const ValueRange> results) {
    ForEachNode(written, [&](NodeRef ref) {
      ForEachTensor(ValueOf(ref.index), [&](const Tensor& tensor) { NoteWrite(tensor, result, results); });
    });
  };
  if (!called) {
    for (const Argument& argument : node.arguments) write(argument.value, Value(), {});
    return;
  }
  for (const size_t i : WrittenArguments(node.arguments, *called->schema))
    write(node.arguments[i].value, ValueOf(index), RangesAt(index));
}

// A subgraph may run more than once, and its caller does not know what it did. Of a tensor that moved to another
// storage, it is not known on which a later call writes.
void GraphAnalyzer::NoteWrite(const Tensor& written, const Value& result, std::span<const ValueRange> results) {
  const Tensor* returned = result.TryTensor();
  const bool has_moved = returned && returned->storage != written.storage;  // to another storage, as by set_
  if (has_moved) run_.contents.Forget(returned->storage);
  ForEachTensor(result, [&](const Tensor& tensor) {
    if (tensor.storage == written.storage && HaveSameSizes(tensor, written)) return;
    if (tensor.storage == written.storage || has_moved)
      for (const Storage* storage : {tensor.storage, written.storage}) run_.contents.NoteReshaped(storage);
  });
  if (!IsOutermost() || has_moved) return run_.contents.Forget(written.storage);
  run_.contents.Write(written, returned, results.empty() ? nullptr : results.data());
}

}  // namespace fakeprop
