// Higher-order operators: what they pass to their subgraphs, and what comes back.
//
// A subgraph gets the ranges of its operands if one node alone runs it. A loop gets an invariant of what it carries: it
// begins with the first ranges, and gives up each end that a round moves (widening).
#include <algorithm>

#include "lib/meta/value_visit.h"
#include "lib/value_ranges/graph_analyzer.h"
#include "lib/value_ranges/graph_writes.h"

namespace fakeprop {
namespace {

// Of nested loops each round looks at the inner ones again; below this depth nothing is known of what they carry.
constexpr int kDeepest = 3;

// Graphs that run once, with the arguments from `first` on: positions of the graph and of its first operand.
struct RegionRow {
  std::string_view target;
  size_t graph, first;
};
constexpr RegionRow kRegions[] = {
    {"wrap_with_set_grad_enabled", 1, 2},
    {"wrap_with_autocast", 4, 5},
    {"wrap", 0, 1},
    {"tag_activation_checkpoint", 0, 1},
    {"wrap_activation_checkpoint", 0, 1},
    {"invoke_subgraph", 0, 2},
};

// The ranges of the items of an argument, in order; an item that is no tensor has one that says nothing.
using Given = std::vector<ValueRange>;

class SubgraphPass {
 public:
  SubgraphPass(GraphAnalyzer& caller, int32_t index)
      : caller_(caller),
        run_(caller.run()),
        math_(run_.math),
        node_(caller.ranges().graph->nodes[index]),
        value_(caller.ValueOf(index)) {}

  NodeRanges Run() {
    const std::vector<int32_t> called = SubgraphsOf(node_);
    if (called.empty()) return {};
    ForgetWritten(called);
    const NodeRanges results = RunByName();
    for (const int32_t subgraph : called)
      if (const int graph = RunOf(subgraph); graph >= 0 && !run_.IsAnalyzed(graph)) Pass(graph, {});
    return results.size() == TensorsOf(value_).size() ? results : NodeRanges();
  }

 private:
  const Graph& graph() const { return *caller_.ranges().graph; }

  // ---- which graphs the node runs
  // The subgraph that an argument names, or -1.
  int32_t SubgraphAt(const GraphValue& argument) const {
    const NodeRef* ref = argument.TryGet<NodeRef>();
    if (!ref || graph().nodes[ref->index].op != NodeOp::kGetAttr) return -1;
    const GraphRef* subgraph = caller_.ValueOf(ref->index).TryGet<GraphRef>();
    return subgraph ? subgraph->index : -1;
  }

  std::vector<int32_t> SubgraphsOf(const Node& node) const {
    std::vector<int32_t> found;
    for (const Argument& argument : node.arguments)
      if (const int32_t subgraph = SubgraphAt(argument.value); subgraph >= 0) found.push_back(subgraph);
    if (node.op != NodeOp::kCallModule) return found;
    for (size_t i = 0; i < graph().subgraphs.size(); ++i)
      if (graph().subgraphs[i].name == node.target) found.push_back(static_cast<int32_t>(i));
    return found;
  }

  int RunOf(int32_t subgraph) const {
    const std::string& path = caller_.annotations().path;
    return run_.GraphAt((path.empty() ? "" : path + ".") + graph().subgraphs[subgraph].name);
  }

  // Returns true if this node and no other runs the subgraph, once for each run of its graph.
  bool IsOnlyCaller(int32_t subgraph) const {
    size_t callers = 0;
    for (const Node& node : graph().nodes) {
      if (node.op == NodeOp::kCallModule) callers += graph().subgraphs[subgraph].name == node.target;
      if (node.op == NodeOp::kCallFunction) callers += CountOf(node, subgraph);
    }
    return callers == 1;
  }

  // How often the node names the subgraph.
  size_t CountOf(const Node& node, int32_t subgraph) const {
    return static_cast<size_t>(std::count_if(node.arguments.begin(), node.arguments.end(),
        [&](const Argument& argument) { return SubgraphAt(argument.value) == subgraph; }));
  }

  // ---- writes
  void ForgetWritten(const std::vector<int32_t>& called) {
    const bool writes = std::any_of(
        called.begin(), called.end(), [&](int32_t subgraph) { return HasWriters(*graph().subgraphs[subgraph].graph); });
    if (!writes) return;
    for (const Argument& argument : node_.arguments)
      ForEachNode(argument.value, [&](NodeRef ref) {
        ForEachTensor(caller_.ValueOf(ref.index), [&](const Tensor& tensor) { run_.contents.Forget(tensor.storage); });
      });
  }

  // ---- operands
  ValueRange OperandRange(const GraphValue& written, bool is_certain) const {
    const NodeRef* ref = written.TryGet<NodeRef>();
    const Tensor* tensor = ref ? caller_.ValueOf(ref->index).TryTensor() : nullptr;
    if (!tensor || !IsIntegral(tensor->meta.dtype)) return {};
    return AcrossGraphs(math_, caller_.RangeOf(ref->index, 0), is_certain);
  }

  void AddItems(const GraphValue& list, bool is_certain, Given& given) const {
    if (const auto* container = list.TryContainer())
      for (const GraphValue& item : container->items) given.push_back(OperandRange(item, is_certain));
    else if (const List* plain = list.TryGet<List>()) given.resize(given.size() + plain->items.size());
  }

  Given ItemsAt(size_t argument) const {
    Given given;
    if (argument < node_.arguments.size()) AddItems(node_.arguments[argument].value, false, given);
    return given;
  }

  // ---- runs
  NodeRanges Pass(int graph, const Given& given, bool is_certain = false) {
    GraphAnalyzer analyzer(run_, static_cast<size_t>(graph), given, caller_.depth() + 1);
    analyzer.ranges().is_certain = is_certain && caller_.ranges().is_certain;
    analyzer.Analyze();
    NodeRanges returned = analyzer.Returned();
    for (ValueRange& range : returned) range = AcrossGraphs(math_, range, is_certain);
    // A block of TorchScript is annotated for its first round alone.
    if (run_.root.kind == kTorchScriptKind) run_.RangesOf(static_cast<size_t>(graph)).is_certain = false;
    if (!is_certain) ForgetChoices(run_.analysis.graphs[graph].uses);
    return returned;
  }

  // The elements that a caller may choose may keep the graph from running at all.
  static void ForgetChoices(std::vector<IndexUse>& uses) {
    for (IndexUse& use : uses)
      if (use.verdict == IndexUse::Verdict::kFailsForSome && !use.holds)
        use.verdict = use.range.input >= 0 ? IndexUse::Verdict::kRestsOnInput : IndexUse::Verdict::kUnknown;
  }

  // The run of the subgraph at an argument, if it is known what it gets: no other node runs it.
  int KnownRunAt(size_t argument) const {
    const int32_t subgraph = argument < node_.arguments.size() ? SubgraphAt(node_.arguments[argument].value) : -1;
    return subgraph >= 0 && caller_.depth() < kDeepest && IsOnlyCaller(subgraph) ? RunOf(subgraph) : -1;
  }

  NodeRanges RunByName() {
    constexpr std::string_view kPrefix = "torch.ops.higher_order.";
    std::string_view name = node_.target;
    if (!name.starts_with(kPrefix)) return {};
    name.remove_prefix(kPrefix.size());
    if (name == "cond") return RunCond();
    if (name == "while_loop") return RunLoop(KnownRunAt(1), KnownRunAt(0), 2, 3);
    if (name == "scan") return RunScan();
    for (const RegionRow& row : kRegions)
      if (row.target == name) return RunRegion(row);
    return {};
  }

  NodeRanges RunRegion(const RegionRow& row) {
    const int graph = KnownRunAt(row.graph);
    if (graph < 0) return {};
    Given given;
    for (size_t i = row.first; i < node_.arguments.size(); ++i)
      given.push_back(OperandRange(node_.arguments[i].value, true));
    return Pass(graph, given, true);
  }

  // cond(predicate, true_graph, false_graph, operands)
  NodeRanges RunCond() {
    const int on_true = KnownRunAt(1), on_false = KnownRunAt(2);
    if (on_true < 0 || on_false < 0) return {};
    const Given operands = ItemsAt(3);
    NodeRanges results = Pass(on_true, operands);
    const NodeRanges others = Pass(on_false, operands);
    if (results.size() != others.size()) return {};
    for (size_t i = 0; i < results.size(); ++i) results[i] = math_.Join(results[i], others[i]);
    return results;
  }

  // Returns true if the range is within the invariant; else gives up each end that is not.
  bool Widen(ValueRange& invariant, const ValueRange& after) const {
    bool holds = true;
    const auto check = [&](ValueEnd& end, bool is_within) {
      if (!end.at || is_within) return;
      end = {};
      holds = false;
    };
    check(invariant.low, math_.IsAtMost(invariant.low.at, after.low.at));
    check(invariant.high, math_.IsAtMost(after.high.at, invariant.high.at));
    if (invariant.input != after.input || invariant.shift != after.shift) {
      holds = holds && invariant.input < 0;
      invariant.input = -1;
    }
    return holds;
  }

  // What is carried holds before the first round, and each round keeps it. Each failed try gives up one end at least.
  NodeRanges RunRounds(int body, Given& carried, const Given& others) {
    for (ValueRange& range : carried) range = Plain(range);
    constexpr int kTries = 4;
    for (int i = 0; i < kTries; ++i) {
      if (i + 1 == kTries) std::fill(carried.begin(), carried.end(), ValueRange());
      Given given = carried;
      given.insert(given.end(), others.begin(), others.end());
      const NodeRanges after = Pass(body, given);
      const std::vector<size_t> tensors = TensorPlaces(body);
      if (after.size() < tensors.size()) return {};
      bool holds = true;
      for (size_t k = 0; k < tensors.size() && tensors[k] < carried.size(); ++k)
        holds = Widen(carried[tensors[k]], after[k]) && holds;
      if (holds) return after;
    }
    return {};
  }

  // No more than the interval and where it comes from: rounds may reorder elements, and have other numbers from data.
  static ValueRange Plain(const ValueRange& range) {
    ValueRange plain = SomeOf(range);
    for (ValueEnd* end : {&plain.low, &plain.high}) {
      end->met = {};
      if (end->at && end->at->is_unbacked) end->at = nullptr;
    }
    return plain;
  }

  // The positions of tensors among what the graph returns.
  std::vector<size_t> TensorPlaces(int graph) const {
    std::vector<size_t> places;
    const Value& output = run_.annotations.graphs[graph].nodes.back().value;
    const List* list = output.TryList();
    for (size_t i = 0; list && i < list->items.size(); ++i)
      if (list->items[i].TryTensor()) places.push_back(i);
    return places;
  }

  NodeRanges RunLoop(int body, int condition, size_t carried_at, size_t others_at) {
    if (body < 0 || condition < 0) return {};
    Given carried = ItemsAt(carried_at);
    const Given others = ItemsAt(others_at);
    if (RunRounds(body, carried, others).empty()) return {};
    Given given = carried;
    given.insert(given.end(), others.begin(), others.end());
    Pass(condition, given);
    NodeRanges results;
    for (const size_t place : TensorPlaces(body))
      if (place < carried.size()) results.push_back(carried[place]);
    return results;
  }

  // scan(graph, init, xs, additional): the graph takes (*carried, *slices, *additional) and returns (*carried,
  // *results).
  NodeRanges RunScan() {
    const int body = KnownRunAt(0);
    if (body < 0) return {};
    Given carried = ItemsAt(1), others = ItemsAt(2);
    for (ValueRange& slice : others) slice = Plain(slice);
    const Given additional = ItemsAt(3);
    others.insert(others.end(), additional.begin(), additional.end());
    const NodeRanges after = RunRounds(body, carried, others);
    NodeRanges results;
    const std::vector<size_t> places = TensorPlaces(body);
    for (size_t k = 0; k < after.size() && k < places.size(); ++k)
      results.push_back(places[k] < carried.size() ? carried[places[k]] : Plain(after[k]));
    return results;
  }

  GraphAnalyzer& caller_;
  AnalyzedRun& run_;
  const RangeMath& math_;
  const Node& node_;
  const Value& value_;
};

}  // namespace

NodeRanges AnalyzeSubgraphs(GraphAnalyzer& caller, int32_t index) { return SubgraphPass(caller, index).Run(); }

}  // namespace fakeprop
