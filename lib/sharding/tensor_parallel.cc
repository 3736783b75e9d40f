#include "lib/sharding/tensor_parallel.h"

#include <algorithm>
#include <map>

#include "lib/memory/liveness.h"
#include "lib/meta/value_visit.h"
#include "lib/training/module_pattern.h"
#include "lib/training/saved_tensors.h"

namespace fakeprop {
namespace {

enum class ModuleKind { kOther, kColumn, kRow, kSequence };

class TensorDivider {
 public:
  TensorDivider(
      const Graph& graph, const Annotations& annotations, ShardedStep step, const TensorParallelOptions& options)
      : graph_(graph),
        run_(annotations.graphs[0]),
        options_(options),
        is_divided_(graph.nodes.size()),
        result_(std::move(step)) {}

  ShardedStep Divide() {
    for (const Input& input : graph_.inputs) qualified_names_[&graph_.nodes[input.node]] = input.qualified_name;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      indices_[&graph_.nodes[i]] = i;
      is_divided_[i] = IsLeaf(i) ? IsDividedParameter(graph_.nodes[i]) : IsDividedResult(i);
    }
    for (MemoryBlock& block : result_.timeline.blocks)
      if (block.maker && is_divided_[indices_[block.maker]] && block.role != "step of")
        block.bytes = ShareOf(block.bytes, options_.ranks);
    for (size_t i = 0; i < graph_.nodes.size(); ++i)
      if (!IsLeaf(i)) Communicate(i);
    return std::move(result_);
  }

 private:
  bool IsLeaf(size_t node) const {
    const NodeOp op = graph_.nodes[node].op;
    return op == NodeOp::kPlaceholder || op == NodeOp::kGetAttr || op == NodeOp::kOutput;
  }

  ModuleKind KindOf(std::string_view path) const {
    if (FitsAnyPattern(path, options_.column)) return ModuleKind::kColumn;
    if (FitsAnyPattern(path, options_.row)) return ModuleKind::kRow;
    return FitsAnyPattern(path, options_.sequence) ? ModuleKind::kSequence : ModuleKind::kOther;
  }

  ModuleKind KindOfNode(size_t node) const {
    const std::string_view stack = graph_.nodes[node].nn_module_stack;
    for (const auto* patterns : {&options_.column, &options_.row, &options_.sequence})
      if (const std::string_view path = OutermostFit(stack, *patterns); !path.empty()) return KindOf(path);
    return ModuleKind::kOther;
  }

  // The weights of both kinds, and the bias of columns. A row's bias is added to the whole sum.
  bool IsDividedParameter(const Node& node) const {
    const auto known = qualified_names_.find(&node);
    const std::string& name = known == qualified_names_.end() ? node.target : known->second;
    const size_t dot = name.rfind('.');
    if (dot == std::string::npos) return false;
    const ModuleKind kind = KindOf(std::string_view(name).substr(0, dot));
    return kind == ModuleKind::kColumn || (kind == ModuleKind::kRow && name.substr(dot + 1) != "bias");
  }

  bool HasDividedOperand(size_t node) const {
    bool is_divided = false;
    for (const Argument& argument : graph_.nodes[node].arguments)
      ForEachNode(argument.value, [&](NodeRef ref) { is_divided |= is_divided_[ref.index]; });
    return is_divided;
  }

  bool IsDividedResult(size_t node) const {
    switch (KindOfNode(node)) {
      case ModuleKind::kColumn:
      case ModuleKind::kSequence: return true;
      case ModuleKind::kRow: return !options_.sequence.empty();
      case ModuleKind::kOther: return HasDividedOperand(node);
    }
    return false;
  }

  // The bytes of the tensors that come into a module's node from outside, parameters apart.
  Dim IncomingBytes(size_t node, ModuleKind kind) const {
    Dim bytes = 0;
    for (const Argument& argument : graph_.nodes[node].arguments)
      ForEachNode(argument.value, [&](NodeRef ref) {
        const Tensor* t = run_.nodes[ref.index].value.TryTensor();
        const bool is_inside = !IsLeaf(ref.index) && KindOfNode(ref.index) == kind;
        const bool is_parameter = qualified_names_.contains(&graph_.nodes[ref.index]) &&
                                  !qualified_names_.at(&graph_.nodes[ref.index]).empty();
        if (t && !is_inside && !is_parameter) bytes += WithEqualities(DenseBytes(*t));
      });
    return bytes;
  }

  Dim ResultBytes(size_t node) const {
    Dim bytes = 0;
    ForEachTensor(run_.nodes[node].value, [&](const Tensor& t) { bytes += WithEqualities(DenseBytes(t)); });
    return bytes;
  }

  // A column module needs its whole input, and its input's gradient is a sum over ranks; a row module's result is one.
  void Communicate(size_t node) {
    const ModuleKind kind = KindOfNode(node);
    if (kind == ModuleKind::kColumn) {
      const Dim bytes = IncomingBytes(node, kind);
      if (options_.sequence.empty()) return Reduce(bytes, IsTraining() ? 1 : 0);
      if (bytes.TryNumber() != 0) GatherInput(node, bytes);
    }
    if (kind == ModuleKind::kRow && IncomingBytes(node, kind).TryNumber() != 0) {
      if (options_.sequence.empty()) return Reduce(ResultBytes(node), 1);
      AddSent("reduce-scatter of activations", RingBytes(ResultBytes(node), options_.ranks), result_.sent);
      if (IsTraining())
        AddSent("all-gather of activations", RingBytes(ResultBytes(node), options_.ranks), result_.sent);
    }
  }

  bool IsTraining() const {
    return std::any_of(result_.timeline.steps.begin(), result_.timeline.steps.end(),
        [](const MemoryStep& step) { return !step.role.empty(); });
  }

  // A ring sends twice as much for an all-reduce.
  void Reduce(Dim bytes, int64_t times) {
    AddSent("all-reduce of activations", RingBytes(bytes, options_.ranks) * Dim(2 * times), result_.sent);
  }

  // The parts of the sequence are gathered for the module, forward and backward.
  void GatherInput(size_t node, Dim bytes) {
    for (size_t i = 0; i < result_.timeline.steps.size(); ++i) {
      const MemoryStep& step = result_.timeline.steps[i];
      if (step.node != &graph_.nodes[node]) continue;
      AddSent("all-gather of activations", RingBytes(bytes, options_.ranks), result_.sent);
      if (step.role == "backward of")
        AddSent("reduce-scatter of activations", RingBytes(bytes, options_.ranks), result_.sent);
      const auto at = static_cast<int32_t>(i);
      result_.timeline.blocks.push_back({bytes, result_.timeline.blocks[0].device, at, at, MemoryCategory::kTemporary,
          step.node, "gathered input of"});
    }
  }

  const Graph& graph_;
  const GraphAnnotations& run_;
  const TensorParallelOptions& options_;
  std::map<const Node*, std::string> qualified_names_;
  std::map<const Node*, size_t> indices_;
  std::vector<bool> is_divided_;  // by node: each rank has a part of its result
  ShardedStep result_;
};

}  // namespace

ShardedStep DivideTensors(
    const Graph& graph, const Annotations& annotations, ShardedStep step, const TensorParallelOptions& options) {
  return TensorDivider(graph, annotations, std::move(step), options).Divide();
}

}  // namespace fakeprop
