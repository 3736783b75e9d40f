#include "lib/value_ranges/graph_analyzer.h"

#include <algorithm>

#include "lib/error/error.h"
#include "lib/meta/value_visit.h"
#include "lib/value_ranges/element_overlap.h"
#include "lib/value_ranges/graph_writes.h"

namespace fakeprop {
namespace {

bool HasIntegers(const Value& value) {
  if (const Tensor* tensor = value.TryTensor()) return IsIntegral(tensor->meta.dtype);
  return AnyTensor(value, [](const Tensor& tensor) { return IsIntegral(tensor.meta.dtype); });
}

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

void GraphAnalyzer::LearnTensors() const {
  for (; next_learned_ < next_; ++next_learned_) {
    size_t position = 0;
    ForEachTensor(ValueOf(next_learned_), [&](const Tensor& tensor) {
      tensors_.insert_or_assign(&tensor, Known{next_learned_, RangeOf(next_learned_, position++)});
    });
  }
}

RangeOperand GraphAnalyzer::OperandOf(const Tensor& tensor) const {
  LearnTensors();
  const auto it = tensors_.find(&tensor);
  const int32_t node = it == tensors_.end() ? -1 : it->second.node;
  if (std::optional<ValueRange> written = run_.contents.Of(tensor)) return {&tensor, node, *written};
  if (it != tensors_.end()) return {&tensor, node, it->second.range};
  const std::optional<ValueRange> exact = tensor.constant ? RangeOfElements(*tensor.constant, run_.math) : std::nullopt;
  return {&tensor, node, exact && IsIntegral(tensor.meta.dtype) ? *exact : run_.math.Any(tensor.meta.dtype)};
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
  tensors_.insert_or_assign(tensor, Known{node, range});
}

// ---- nodes

void GraphAnalyzer::AnalyzeNode(int32_t index) {
  const Node& node = NodeAt(index);
  const CalledOperator* called = OperatorOf(node);
  switch (node.op) {
    case NodeOp::kPlaceholder: AnalyzePlaceholder(index); break;
    case NodeOp::kGetAttr: UseElements(index); break;
    case NodeOp::kOutput: return;
    default: called ? AnalyzeOperator(index, node, *called) : AnalyzeFunction(index, node); break;
  }
  if (called ? called->writes : MayWrite(node)) NoteWrites(index, node);
}

void GraphAnalyzer::AnalyzeFunction(int32_t index, const Node& node) {
  if (!annotations().nodes[index].calls.empty()) {
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
    if (is_known && !is_undefined) RangesAt(index) = call.TakeRanges();
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
  if (run_.HasListWrites()) return;
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

std::vector<Argument> ArgumentsOf(const InnerCall& call) {
  std::vector<Argument> arguments;
  for (const Value& value : call.arguments) arguments.push_back({{}, value});
  return arguments;
}

void GraphAnalyzer::AnalyzeInnerCalls(int32_t index) {
  for (const InnerCall& call : annotations().nodes[index].calls) AnalyzeInnerCall(index, call);
  if (!HasIntegers(ValueOf(index))) return;
  NodeRanges results;
  ForEachTensor(ValueOf(index), [&](const Tensor& tensor) { results.push_back(OperandOf(tensor).range); });
  RangesAt(index) = std::move(results);
}

void GraphAnalyzer::AnalyzeInnerCall(int32_t index, const InnerCall& inner) {
  const CalledOperator& called = OperatorOf(*inner.schema);
  const bool gives = called.ranges.transfer && HasIntegers(inner.result);
  if (!gives && !called.ranges.find_uses && !called.writes) return;
  const std::vector<Argument> arguments = ArgumentsOf(inner);
  RangeCall call(index, arguments, *inner.schema, inner.result, *this, run_.math);
  const OperatorRanges known{gives ? called.ranges.transfer : nullptr, called.ranges.find_uses};
  if (!RunTransfer(call, known, ranges().uses) || (called.writes && MayOverlap(inner.result))) call.ForgetResults();
  const NodeRanges results = call.TakeRanges();
  size_t position = 0;
  ForEachTensor(inner.result, [&](const Tensor& tensor) {
    tensors_.insert_or_assign(&tensor, Known{index, results[position++]});
  });
  if (called.writes) NoteInnerWrites(index, inner, arguments, results);
}

void GraphAnalyzer::NoteInnerWrites(
    int32_t index, const InnerCall& inner, std::span<const Argument> arguments, const NodeRanges& results) {
  if (IsOutermost()) {
    NoteEarlier(index - 1);
    NoteNew(inner.result, results);
  }
  for (const size_t i : WrittenArguments(arguments, *inner.schema))
    ForEachTensor(inner.arguments[i], [&](const Tensor& tensor) { NoteWrite(tensor, inner.result, results); });
}

// ---- storages that are written to

// Most graphs write to nothing, so what storages held before is noted when something is written.
void GraphAnalyzer::NoteEarlier(int32_t until) {
  for (; noted_ <= until; ++noted_) NoteNew(ValueOf(noted_), RangesAt(noted_));
}

void GraphAnalyzer::NoteNew(const Value& value, const NodeRanges& results) {
  if (results.empty()) return;
  size_t position = 0;
  ForEachTensor(value, [&](const Tensor& tensor) {
    if (const size_t at = position++; at < results.size()) run_.contents.Note(tensor, results[at]);
  });
}

// What a call that writes to its arguments returns is what they hold then.
void GraphAnalyzer::NoteWrites(int32_t index, const Node& node) {
  if (RunsGraphs(node, run_.root) && !IsUnknownWriter(node)) return;
  if (IsOutermost()) NoteEarlier(index);
  const auto write = [&](const GraphValue& written, const Value& result, const NodeRanges& results) {
    ForEachNode(written, [&](NodeRef ref) {
      ForEachTensor(ValueOf(ref.index), [&](const Tensor& tensor) { NoteWrite(tensor, result, results); });
    });
  };
  if (const Schema* schema = SchemaOf(node)) {
    for (const size_t i : WrittenArguments(node.arguments, *schema))
      write(node.arguments[i].value, ValueOf(index), RangesAt(index));
    return;
  }
  const bool is_kept = run_.annotations.has_calls && run_.root.kind == kFxKind;
  if (is_kept || !IsUnknownWriter(node)) return;
  for (const Argument& argument : node.arguments) write(argument.value, Value(), {});
}

// A subgraph may run more than once, and its caller does not know what it did. Of a tensor that moved to another
// storage, it is not known on which a later call writes.
void GraphAnalyzer::NoteWrite(const Tensor& written, const Value& result, const NodeRanges& results) {
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
