#include "lib/value_ranges/value_analysis.h"

#include <unordered_map>

#include "lib/annotations/subgraphs.h"
#include "lib/error/error.h"
#include "lib/interpreter/inline_sizes.h"
#include "lib/meta/value_visit.h"
#include "lib/value_ranges/transfers.h"
#include "lib/value_ranges/written_storages.h"

namespace fakeprop {
namespace {

constexpr std::string_view kAten = "torch.ops.aten.";

// "add" of "torch.ops.aten.add.Tensor"; empty for other targets.
std::string_view AtenWord(std::string_view target) {
  if (!target.starts_with(kAten)) return {};
  target.remove_prefix(kAten.size());
  return target.substr(0, target.find('.'));
}

bool HasIntegers(const Value& value) {
  if (const Tensor* tensor = value.TryTensor()) return IsIntegral(tensor->meta.dtype);
  return AnyTensor(value, [](const Tensor& tensor) { return IsIntegral(tensor.meta.dtype); });
}

// Returns true if the tensor has all elements of its storage.
bool CoversStorage(const Tensor& tensor, const RangeMath& math) {
  const Dim bytes = Numel(tensor.meta.size_span()) * ItemSize(tensor.meta.dtype);
  return tensor.meta.storage_offset.TryNumber() == 0 &&
         math.Holds(Equal(math.Of(bytes), math.Of(tensor.storage->nbytes))) && IsNonOverlappingAndDense(tensor.meta);
}

// The pass over one graph.
class GraphAnalyzer final : public RangeSource {
 public:
  GraphAnalyzer(const Graph& root, const std::vector<InputValue>& inputs, const WrittenStorages& written,
      const InlineSizes& inline_sizes, ShapeEnv& env, GraphRanges& out)
      : root_(root), inputs_(inputs), written_(written), math_(env), inline_sizes_(inline_sizes), out_(out) {}

  void Analyze() {
    out_.nodes.resize(out_.graph->nodes.size());
    for (int32_t i = 0; i < static_cast<int32_t>(out_.nodes.size()); ++i)
      if (out_.annotations->nodes[i].kind == NodeAnnotation::Kind::kValue) AnalyzeNode(i);
  }

  const Value& ValueOf(int32_t node) const override { return out_.annotations->nodes[node].value; }

  ValueRange RangeOf(int32_t node, size_t position) const override {
    const Tensor* tensor = ValueOf(node).TryTensor();
    if (!tensor) tensor = TensorsOf(ValueOf(node)).at(position);
    if (written_.elsewhere.contains(tensor->storage)) return math_.Any(tensor->meta.dtype);
    if (written_.outermost.contains(tensor->storage)) return RangeOfWritten(*tensor);
    const NodeRanges& ranges = out_.nodes[node];
    return position < ranges.size() ? ranges[position] : math_.Any(tensor->meta.dtype);
  }

  Dim SizeOf(const InlineSize& size) const override { return inline_sizes_.Of(size.spelling); }

 private:
  // What is known of all elements of a storage that is written to, at this place of the graph.
  struct Contents {
    ValueRange range;
    ScalarType dtype = ScalarType::Undefined;
  };

  ValueRange RangeOfWritten(const Tensor& tensor) const {
    const auto it = contents_.find(tensor.storage);
    const bool is_known = it != contents_.end() && it->second.dtype == tensor.meta.dtype;
    if (!is_known) return math_.Any(tensor.meta.dtype);
    return CoversStorage(tensor, math_) ? Rearranged(it->second.range) : SomeOf(it->second.range);
  }

  void AnalyzeNode(int32_t index) {
    const Node& node = out_.graph->nodes[index];
    switch (node.op) {
      case NodeOp::kPlaceholder: AnalyzePlaceholder(index); break;
      case NodeOp::kGetAttr: AnalyzeConstants(index); break;
      case NodeOp::kCallFunction: AnalyzeCall(index, node); break;
      default: break;
    }
    if (!out_.nodes[index].empty() && !written_.outermost.empty()) NoteNew(index);
    if (out_.annotations->path.empty() && written_.writers.contains(index)) NoteWrites(index, node);
  }

  // ---- placeholders and constants
  void AnalyzeConstants(int32_t index) {
    size_t position = 0;
    ForEachTensor(ValueOf(index), [&](const Tensor& tensor) { UseElements(index, position++, tensor); });
  }

  void UseElements(int32_t index, size_t position, const Tensor& tensor) {
    if (!tensor.constant || !IsIntegral(tensor.meta.dtype)) return;
    std::optional<ValueRange> exact = RangeOfElements(*tensor.constant, math_);
    if (!exact) return;
    NodeRanges& ranges = out_.nodes[index];
    if (ranges.size() <= position) ranges.resize(position + 1);
    const int32_t origin = ranges[position].origin;
    exact->origin = origin < 0 ? index : origin;
    exact->counts_along = ranges[position].counts_along;
    exact->step = ranges[position].step;
    ranges[position] = *exact;
  }

  void AnalyzePlaceholder(int32_t index) {
    const Tensor* tensor = ValueOf(index).TryTensor();
    if (!tensor || !IsIntegral(tensor->meta.dtype)) return;
    ValueRange range = math_.Any(tensor->meta.dtype);
    range.origin = index;
    if (const int input = InputOf(index); input >= 0) Declare(range, index, inputs_[input]);
    out_.nodes[index] = {range};
    UseElements(index, 0, *tensor);
  }

  // The user's input that the placeholder stands for, or -1.
  int InputOf(int32_t index) const {
    if (!out_.annotations->path.empty()) return -1;
    for (size_t i = 0; i < root_.inputs.size() && i < inputs_.size(); ++i)
      if (root_.inputs[i].node == index && root_.inputs[i].kind == InputKind::kUserInput) return static_cast<int>(i);
    return -1;
  }

  // The caller chooses the elements: each may be at either end, and all may be.
  void Declare(ValueRange& range, int32_t index, const InputValue& input) const {
    range.input = index;
    const ValueBounds values = input.values.value_or(ValueBounds());
    if (values.min)
      range.low.at = range.low.at ? math_.Greatest(range.low.at, math_.Number(*values.min)) : math_.Number(*values.min);
    if (values.max)
      range.high.at = range.high.at ? math_.Least(range.high.at, math_.Number(*values.max)) : math_.Number(*values.max);
    if (range.low.at) range.low.met = Met::Chosen(index, false);
    if (range.high.at) range.high.met = Met::Chosen(index, true);
  }

  // ---- calls
  void AnalyzeCall(int32_t index, const Node& node) {
    if (node.target == "_operator.getitem") return AnalyzeItem(index, node);
    const std::string_view op = AtenWord(node.target);
    const FindUses find_uses = op.empty() ? nullptr : FindIndexUses(op);
    const bool has_integers = HasIntegers(ValueOf(index));
    const RangeTransfer transfer = has_integers && !op.empty() ? FindRangeTransfer(op) : nullptr;
    if (transfer || find_uses) AnalyzeOperator(index, node, transfer, find_uses);
    if (has_integers) AnalyzeConstants(index);
  }

  void AnalyzeOperator(int32_t index, const Node& node, RangeTransfer transfer, FindUses find_uses) {
    const Schema* schema = SchemaOf(node);
    if (!schema) return;
    RangeCall call(index, node, *schema, ValueOf(index), *this, math_);
    try {
      if (find_uses) find_uses(call, out_.uses);
      if (transfer) transfer(call);
    } catch (const OpError&) {  // beyond 64 bits: nothing is known
      return;
    }
    if (transfer) out_.nodes[index] = call.TakeRanges();
  }

  void AnalyzeItem(int32_t index, const Node& node) {
    const Tensor* tensor = ValueOf(index).TryTensor();
    const NodeRef* from = node.arguments.empty() ? nullptr : node.arguments[0].value.TryGet<NodeRef>();
    if (!tensor || !from || !IsIntegral(tensor->meta.dtype)) return;
    const Value* at = node.arguments.size() > 1 ? node.arguments[1].value.TryPlain() : nullptr;
    const Dim* position = at ? at->TryGet<Dim>() : nullptr;
    const List* list = ValueOf(from->index).TryList();
    const bool is_flat = list && TensorsOf(ValueOf(from->index)).size() == list->items.size();
    if (is_flat && position && position->TryNumber().value_or(-1) >= 0)
      out_.nodes[index] = {RangeOf(from->index, static_cast<size_t>(*position->TryNumber()))};
    AnalyzeConstants(index);
  }

  // ---- storages that are written to
  // The first tensor on a storage.
  void NoteNew(int32_t index) {
    size_t position = 0;
    ForEachTensor(ValueOf(index), [&](const Tensor& tensor) {
      const size_t at = position++;
      if (at >= out_.nodes[index].size() || !written_.outermost.contains(tensor.storage)) return;
      if (contents_.contains(tensor.storage)) return;
      const bool is_whole = CoversStorage(tensor, math_);
      contents_[tensor.storage] = {is_whole ? out_.nodes[index][at] : math_.Any(tensor.meta.dtype), tensor.meta.dtype};
    });
  }

  // The call writes to arguments. What it returns is what they hold then.
  void NoteWrites(int32_t index, const Node& node) {
    for (const size_t i : WrittenArguments(node, *SchemaOf(node)))
      ForEachNode(node.arguments[i].value, [&](NodeRef ref) {
        ForEachTensor(ValueOf(ref.index), [&](const Tensor& tensor) { NoteWrite(index, tensor); });
      });
  }

  void NoteWrite(int32_t index, const Tensor& written) {
    const Tensor* result = ValueOf(index).TryTensor();
    const bool is_known = result && result->storage == written.storage && !out_.nodes[index].empty();
    const auto it = contents_.find(written.storage);
    if (!is_known || it == contents_.end() || it->second.dtype != result->meta.dtype) {
      contents_[written.storage] = {};
      return;
    }
    const ValueRange& range = out_.nodes[index][0];
    it->second.range = Rearranged(CoversStorage(*result, math_) ? range : Joined(it->second.range, range));
  }

  ValueRange Joined(const ValueRange& a, const ValueRange& b) const {
    ValueRange joined = math_.Join(a, b);
    joined.low.met = joined.high.met = {};
    joined.input = -1;
    return joined;
  }

  const Graph& root_;
  const std::vector<InputValue>& inputs_;
  const WrittenStorages& written_;
  const RangeMath math_;
  const InlineSizes& inline_sizes_;
  GraphRanges& out_;
  std::unordered_map<const Storage*, Contents> contents_;
};

}  // namespace

ValueAnalysis AnalyzeValues(const Graph& graph, const std::vector<InputValue>& inputs, const Annotations& annotations) {
  ValueAnalysis analysis;
  const InlineSizes inline_sizes(graph, inputs, *annotations.shape_env);
  const WrittenStorages written = FindWrittenStorages(graph, annotations);
  for (const GraphAnnotations& run : annotations.graphs) {
    GraphRanges& ranges = analysis.graphs.emplace_back();
    ranges.graph = &GraphAt(graph, run.path);
    ranges.annotations = &run;
    GraphAnalyzer(graph, inputs, written, inline_sizes, *annotations.shape_env, ranges).Analyze();
  }
  return analysis;
}

}  // namespace fakeprop
