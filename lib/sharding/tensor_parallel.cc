#include "lib/sharding/tensor_parallel.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "lib/memory/liveness.h"
#include "lib/meta/value_visit.h"
#include "lib/schema/schema_table.h"
#include "lib/training/module_pattern.h"
#include "lib/training/saved_tensors.h"

namespace fakeprop {
namespace {

enum class ModuleKind { kOther, kColumn, kRow, kSequence };

// What of a step of training is about a node.
struct NodeSteps {
  int32_t forward = -1, recompute = -1, backward = -1;
};

// Source: torch/distributed/tensor (torch 2.13), parallel/style.py and _redistribute.py; the copies that are made
// around a collective are those of torch/distributed/_functional_collectives.py.
class TensorDivider {
 public:
  TensorDivider(
      const Graph& graph, const Annotations& annotations, ShardedStep step, const TensorParallelOptions& options)
      : graph_(graph),
        run_(annotations.graphs[0]),
        options_(options),
        kinds_(graph.nodes.size()),
        paths_(graph.nodes.size()),
        steps_(graph.nodes.size()),
        is_divided_(graph.nodes.size()),
        is_left_(graph.nodes.size()),
        users_(graph.nodes.size()),
        values_(graph, annotations.graphs[0]),
        result_(std::move(step)) {
    for (const Input& input : graph_.inputs) qualified_names_[&graph_.nodes[input.node]] = input.qualified_name;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) FindModule(i);
    for (size_t i = 0; i < result_.timeline.steps.size(); ++i) NoteStep(static_cast<int32_t>(i));
  }

  ShardedStep Divide() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      NoteUses(i);
      is_divided_[i] = IsLeaf(i) ? IsDividedParameter(graph_.nodes[i]) : IsDividedResult(i);
    }
    for (MemoryBlock& block : result_.timeline.blocks)
      if (block.maker && is_divided_[IndexOf(block.maker)] && block.role != "step of")
        block.bytes = ShareOf(block.bytes, options_.ranks);
    for (const auto& [input, users] : inputs_) EnterModules(input, users);
    for (const auto& [input, users] : splits_) SplitInput(input, users);
    for (size_t i = 0; i < graph_.nodes.size(); ++i)
      if (kinds_[i] == ModuleKind::kRow && is_left_[i]) LeaveRow(i);
    PutCollectives();
    return std::move(result_);
  }

 private:
  // --- The graph.

  bool IsLeaf(size_t node) const {
    const NodeOp op = graph_.nodes[node].op;
    return op == NodeOp::kPlaceholder || op == NodeOp::kGetAttr || op == NodeOp::kOutput;
  }

  size_t IndexOf(const Node* node) const { return static_cast<size_t>(node - graph_.nodes.data()); }
  bool HasSequence() const { return !options_.sequence.empty(); }

  void FindModule(size_t node) {
    const std::string_view stack = graph_.nodes[node].nn_module_stack;
    const std::pair<const std::vector<std::string>*, ModuleKind> kinds[] = {{&options_.column, ModuleKind::kColumn},
        {&options_.row, ModuleKind::kRow}, {&options_.sequence, ModuleKind::kSequence}};
    for (const auto& [patterns, kind] : kinds) {
      paths_[node] = OutermostFit(stack, *patterns);
      if (paths_[node].empty()) continue;
      kinds_[node] = kind;
      return;
    }
  }

  void NoteStep(int32_t index) {
    const MemoryStep& step = result_.timeline.steps[index];
    if (!step.node || !step.is_counted) return;
    NodeSteps& steps = steps_[IndexOf(step.node)];
    (step.role.empty() ? steps.forward : step.role == "backward of" ? steps.backward : steps.recompute) = index;
  }

  bool IsParameter(size_t node) const {
    const auto known = qualified_names_.find(&graph_.nodes[node]);
    return known == qualified_names_.end() ? graph_.nodes[node].op == NodeOp::kGetAttr : !known->second.empty();
  }

  // Notes what comes into modules, and the nodes whose results leave theirs.
  void NoteUses(size_t node) {
    for (const Argument& argument : graph_.nodes[node].arguments)
      ForEachNode(argument.value, [&](NodeRef ref) {
        const auto from = static_cast<size_t>(ref.index);
        users_[from].push_back(node);
        if (paths_[from] == paths_[node]) return;
        is_left_[from] = true;
        if (IsLeaf(node)) return;
        const bool is_whole_in = kinds_[node] == ModuleKind::kColumn || NeedsWhole(node);
        if (IsParameter(from) || !run_.nodes[from].value.TryTensor()) return;
        if (is_whole_in) inputs_[from].push_back(node);
        if (kinds_[node] == ModuleKind::kSequence && !is_divided_[from]) splits_[from].push_back(node);
      });
    if (!IsLeaf(node) && paths_[node].empty() && NeedsWhole(node)) NoteWholeInputs(node);
  }

  // A node in no named module that has a weight runs on the whole sequence.
  bool NeedsWhole(size_t node) const {
    return HasSequence() && kinds_[node] == ModuleKind::kOther && UsesParameter(node);
  }

  bool UsesParameter(size_t node) const {
    bool uses = false;
    for (const Argument& argument : graph_.nodes[node].arguments)
      ForEachNode(argument.value, [&](NodeRef ref) { uses |= IsParameter(static_cast<size_t>(ref.index)); });
    return uses;
  }

  void NoteWholeInputs(size_t node) {
    for (const Argument& argument : graph_.nodes[node].arguments)
      ForEachNode(argument.value, [&](NodeRef ref) {
        const auto from = static_cast<size_t>(ref.index);
        if (paths_[from].empty() && is_divided_[from] && !IsParameter(from)) inputs_[from].push_back(node);
      });
  }

  // --- What is divided.

  // The weights of both kinds, and the bias of columns. A row's bias is added to the whole sum.
  bool IsDividedParameter(const Node& node) const {
    const auto known = qualified_names_.find(&node);
    const std::string& name = known == qualified_names_.end() ? node.target : known->second;
    const size_t dot = name.rfind('.');
    if (dot == std::string::npos) return false;
    const std::string_view module = std::string_view(name).substr(0, dot);
    if (FitsAnyPattern(module, options_.column)) return true;
    return FitsAnyPattern(module, options_.row) && name.substr(dot + 1) != "bias";
  }

  bool HasDividedOperand(size_t node) const {
    bool is_divided = false;
    for (const Argument& argument : graph_.nodes[node].arguments)
      ForEachNode(argument.value, [&](NodeRef ref) { is_divided |= is_divided_[ref.index]; });
    return is_divided;
  }

  bool IsDividedResult(size_t node) const {
    switch (kinds_[node]) {
      case ModuleKind::kColumn:
      case ModuleKind::kSequence: return true;
      case ModuleKind::kRow: return HasSequence();
      case ModuleKind::kOther: return !NeedsWhole(node) && HasDividedOperand(node);
    }
    return false;
  }

  Dim ResultBytes(size_t node) const {
    Dim bytes = 0;
    ForEachTensor(run_.nodes[node].value, [&](const Tensor& t) { bytes += WithEqualities(DenseBytes(t)); });
    return bytes;
  }

  // --- What is sent, and the buffers for it.

  // An input of column modules, or of others that need the whole of it. Users of one tensor share what is gathered.
  void EnterModules(size_t input, const std::vector<size_t>& users) {
    const bool is_column =
        std::any_of(users.begin(), users.end(), [&](size_t user) { return kinds_[user] == ModuleKind::kColumn; });
    const bool is_gathered = HasSequence() && is_divided_[input];
    if (!is_gathered && !is_column) return;
    const NodeSteps steps = All(users);
    const Dim bytes = ResultBytes(input);
    if (is_gathered) GatherInput(input, users, steps, bytes);
    if (steps.backward < 0 || !RequiresGrad(input)) return;
    // The gradient that comes from columns is a sum over ranks. What others make is the same on all.
    if (is_gathered) Keep(bytes, steps.backward, steps.backward, input, "whole gradient of");
    if (is_column) Reduce(bytes, steps.backward, input);
  }

  // The steps in which some of these nodes run first, and in which the last of them goes backward.
  NodeSteps All(const std::vector<size_t>& nodes) const {
    NodeSteps all;
    const auto first = [](int32_t a, int32_t b) { return a < 0 || b < 0 ? std::max(a, b) : std::min(a, b); };
    for (size_t node : nodes) {
      all.forward = first(all.forward, steps_[node].forward);
      all.recompute = first(all.recompute, steps_[node].recompute);
      all.backward = std::max(all.backward, steps_[node].backward);
    }
    return all;
  }

  bool RequiresGrad(size_t node) const {
    bool requires_grad = false;
    ForEachTensor(run_.nodes[node].value, [&](const Tensor& t) { requires_grad |= t.RequiresGrad(); });
    return requires_grad;
  }

  // The whole is saved for the gradient of the weights. The part is not, unless another node saves it.
  void GatherInput(size_t input, const std::vector<size_t>& users, const NodeSteps& steps, Dim bytes) {
    for (int32_t step : {steps.forward, steps.recompute}) {
      if (step < 0) continue;
      const bool is_saved = steps.backward >= 0 && (step == steps.recompute || steps.recompute < 0);
      Gather(bytes, step, is_saved ? steps.backward : step, input);
    }
    if (steps.recompute >= 0 || IsSavedElsewhere(input, users)) return;
    int32_t last = steps.forward;
    for (size_t user : users_[input]) last = std::max(last, steps_[user].forward);
    ForEachTensor(run_.nodes[input].value, [&](const Tensor& t) {
      const std::vector<int32_t>& block_of = result_.timeline.block_of;  // a stage of a pipeline has none
      if (std::ssize(block_of) <= t.storage->id || block_of[t.storage->id] < 0) return;
      MemoryBlock& block = result_.timeline.blocks[block_of[t.storage->id]];
      if (block.category == MemoryCategory::kActivation) block.last = std::max(block.first, last);
    });
  }

  // Returns true if the node itself, or one that uses it and is not among `users`, saves its result.
  bool IsSavedElsewhere(size_t node, const std::vector<size_t>& users) const {
    if (Saves(node, node)) return true;
    return std::any_of(users_[node].begin(), users_[node].end(),
        [&](size_t user) { return std::find(users.begin(), users.end(), user) == users.end() && Saves(user, node); });
  }

  bool Saves(size_t node, size_t value) const {
    const Node& called = graph_.nodes[node];
    const Schema* schema = IsLeaf(node) ? nullptr : FindSchema(OperatorName(called.target));
    if (!schema) return true;
    const CountedCall call(called, *schema, values_.ResultOf(static_cast<int32_t>(node)), values_);
    const SavedTensors saved = FindSavedTensors(call);
    bool is_saved = false;
    ForEachTensor(run_.nodes[value].value, [&](const Tensor& t) {
      is_saved |= std::any_of(
          saved.tensors.begin(), saved.tensors.end(), [&](const Tensor* other) { return other->storage == t.storage; });
    });
    return is_saved;
  }

  // Each rank takes its part of a whole tensor. The gradient is gathered.
  void SplitInput(size_t input, const std::vector<size_t>& users) {
    const int32_t step = All(users).backward;
    if (step >= 0 && RequiresGrad(input)) Gather(ResultBytes(input), step + 1, step, input);
  }

  // The results of a row module are parts of a sum.
  void LeaveRow(size_t node) {
    const Dim bytes = ResultBytes(node);
    for (int32_t step : {steps_[node].forward, steps_[node].recompute}) {
      if (step < 0) continue;
      if (HasSequence()) Keep(bytes, step, step, node, "sum for");
      Reduce(bytes, step, node);
    }
    const int32_t backward = steps_[node].backward;
    if (HasSequence() && backward >= 0) Gather(bytes, backward, backward, node);
  }

  // --- Collectives are steps of their own, between those of the graph. Around one there are its input, its result, and
  // a copy of the result.

  struct Collective {
    int32_t before = 0;  // the step of the graph that comes next
    std::string_view role;
    size_t node = 0;
    Dim held = 0;             // bytes that are there only now
    Dim kept = 0;             // bytes that stay until a step of the graph
    int32_t kept_until = -1;  // before `before`: only now
  };

  // After a step: all ranks get the sum, or with a sequence each its part of it. A ring sends twice as much for an
  // all-reduce.
  void Reduce(Dim bytes, int32_t after, size_t node) {
    const Dim part = ShareOf(bytes, options_.ranks);
    const std::string_view role = HasSequence() && is_divided_[node] ? "reduce-scatter of" : "all-reduce of";
    const bool is_divided = role == "reduce-scatter of";
    AddSent(is_divided ? "reduce-scatter of activations" : "all-reduce of activations",
        RingBytes(bytes, options_.ranks) * Dim(is_divided ? 1 : 2), result_.sent);
    collectives_.push_back({after + 1, role, node, is_divided ? bytes + part : bytes * Dim(2)});
  }

  void Gather(Dim bytes, int32_t before, int32_t until, size_t node) {
    AddSent("all-gather of activations", RingBytes(bytes, options_.ranks), result_.sent);
    collectives_.push_back({before, "all-gather of", node, bytes, bytes, until});
  }

  // A block of steps of the graph.
  void Keep(Dim bytes, int32_t first, int32_t last, size_t node, std::string_view role) {
    result_.timeline.blocks.push_back(
        {bytes, DeviceOf(node), first, last, MemoryCategory::kTemporary, &graph_.nodes[node], role});
  }

  Device DeviceOf(size_t node) const {
    Device device(DeviceType::CPU);
    ForEachTensor(run_.nodes[node].value, [&](const Tensor& t) { device = t.meta.device; });
    return device;
  }

  void PutCollectives() {
    std::stable_sort(collectives_.begin(), collectives_.end(),
        [](const Collective& a, const Collective& b) { return a.before < b.before; });
    const std::vector<MemoryStep> steps = std::move(result_.timeline.steps);
    result_.timeline.steps.clear();
    std::vector<int32_t> moved, at;  // by step, by collective: its place in the result
    size_t next = 0;
    for (size_t i = 0; i <= steps.size(); ++i) {
      for (; next < collectives_.size() && collectives_[next].before == static_cast<int32_t>(i); ++next)
        at.push_back(NewStep(collectives_[next]));
      moved.push_back(static_cast<int32_t>(result_.timeline.steps.size()));
      if (i < steps.size()) result_.timeline.steps.push_back(steps[i]);
    }
    const auto end = static_cast<int32_t>(steps.size()) - 1;
    for (MemoryBlock& block : result_.timeline.blocks) {
      const bool stays = block.last == end && block.category != MemoryCategory::kTemporary;
      block.first = moved[block.first];
      block.last = stays ? moved[end + 1] - 1 : moved[block.last];
    }
    for (size_t i = 0; i < collectives_.size(); ++i) AddBuffers(collectives_[i], at[i], moved);
  }

  int32_t NewStep(const Collective& collective) {
    MemoryStep step{nullptr, collective.role};
    step.module = graph_.nodes[collective.node].name;
    result_.timeline.steps.push_back(step);
    return static_cast<int32_t>(result_.timeline.steps.size()) - 1;
  }

  void AddBuffers(const Collective& collective, int32_t at, const std::vector<int32_t>& moved) {
    const Node* node = &graph_.nodes[collective.node];
    MemoryBlock block{collective.held, DeviceOf(collective.node), at, at};
    block.maker = node;
    block.role = collective.role;
    result_.timeline.blocks.push_back(block);
    if (collective.kept.TryNumber() == 0) return;
    block.bytes = collective.kept;
    block.role = "gathered";
    const bool is_kept = collective.kept_until >= collective.before;
    if (is_kept) block.last = moved[collective.kept_until];
    if (is_kept && collective.kept_until > collective.before) block.category = MemoryCategory::kActivation;
    result_.timeline.blocks.push_back(block);
  }

  const Graph& graph_;
  const GraphAnnotations& run_;
  const TensorParallelOptions& options_;
  std::unordered_map<const Node*, std::string> qualified_names_;
  std::vector<ModuleKind> kinds_;                 // by node
  std::vector<std::string_view> paths_;           // by node: the named module that it is in
  std::vector<NodeSteps> steps_;                  // by node
  std::vector<bool> is_divided_;                  // by node: each rank has a part of its result
  std::vector<bool> is_left_;                     // by node: another module uses its result
  std::map<size_t, std::vector<size_t>> inputs_;  // by node: those that need the whole of its result
  std::vector<std::vector<size_t>> users_;        // by node
  std::vector<Collective> collectives_;
  std::map<size_t, std::vector<size_t>> splits_;  // by node with a whole result: those that take a part of it
  const NodeValues values_;
  ShardedStep result_;
};

}  // namespace

ShardedStep DivideTensors(
    const Graph& graph, const Annotations& annotations, ShardedStep step, const TensorParallelOptions& options) {
  return TensorDivider(graph, annotations, std::move(step), options).Divide();
}

}  // namespace fakeprop
