#include "lib/memory/liveness.h"

#include <algorithm>
#include <map>
#include <utility>

#include "lib/diag/python_trace.h"
#include "lib/meta/value_visit.h"
#include "lib/refine/fixed_symbols.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

MemoryCategory CategoryOf(InputKind kind) {
  switch (kind) {
    case InputKind::kParameter: return MemoryCategory::kParameter;
    case InputKind::kBuffer: return MemoryCategory::kBuffer;
    case InputKind::kTensorConstant:
    case InputKind::kConstant: return MemoryCategory::kConstant;
    case InputKind::kUserInput:
    case InputKind::kCustomObject:
    case InputKind::kToken: return MemoryCategory::kInput;
  }
  return MemoryCategory::kInput;
}

// For each node, the last node of the module call that it is in. The calls around it are open in `ends`.
std::vector<int32_t> EndsOfScopes(const Graph& graph) {
  const auto count = static_cast<int32_t>(graph.nodes.size());
  std::vector<int32_t> scope_ends(count, count - 1);
  std::vector<std::pair<std::string_view, int32_t>> ends, open;  // few, as deep as modules are in each other
  for (int32_t i = count - 1; i >= 0; --i) {
    open.clear();
    for (const ModuleFrame& frame : ParseModuleStack(graph.nodes[i].nn_module_stack)) {
      const auto known =
          std::find_if(ends.begin(), ends.end(), [&](const auto& end) { return end.first == frame.path; });
      scope_ends[i] = known == ends.end() ? i : known->second;
      open.emplace_back(frame.path, scope_ends[i]);
    }
    // Nodes without a stack, such as constants, do not end a call.
    if (!open.empty()) ends.swap(open);
  }
  return scope_ends;
}

class LifetimeFinder {
 public:
  LifetimeFinder(const Graph& graph, const Annotations& annotations, FreeWhen free)
      : graph_(graph),
        annotations_(annotations),
        last_step_(static_cast<int32_t>(graph.nodes.size()) - 1),
        dies_(LastUses(graph)) {
    if (free == FreeWhen::kNever) dies_.assign(graph.nodes.size(), last_step_);
    if (free == FreeWhen::kAtEndOfScope) ExtendToScopes();
    for (const Input& input : graph.inputs) inputs_[&graph.nodes[input.node]] = input.kind;
  }

  Timeline Find() {
    const std::vector<NodeAnnotation>& nodes = annotations_.graphs[0].nodes;
    timeline_.blocks.reserve(annotations_.storages.size());
    timeline_.block_of.assign(annotations_.storages.size(), -1);
    timeline_.steps.reserve(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) AddNode(static_cast<int32_t>(i), nodes[i]);
    return std::move(timeline_);
  }

 private:
  void ExtendToScopes() {
    const std::vector<int32_t> ends = EndsOfScopes(graph_);
    for (size_t i = 0; i < dies_.size(); ++i) dies_[i] = std::max(dies_[i], ends[i]);
  }

  void AddNode(int32_t index, const NodeAnnotation& annotation) {
    const Node& node = *annotation.node;
    timeline_.steps.push_back({&node, {}, node.op != NodeOp::kPlaceholder});
    ForEachTensor(annotation.value, [&](const Tensor& t) {
      AddTensor(index, node, t);
      if (!t.parts) return;  // its values have the storage of the whole
      for (const Tensor* indices : {t.parts->indices, t.parts->plain})
        if (indices) AddTensor(index, node, *indices);
    });
  }

  void AddTensor(int32_t index, const Node& node, const Tensor& t) {
    int32_t& known = timeline_.block_of[t.storage->id];
    if (known < 0) {
      known = static_cast<int32_t>(timeline_.blocks.size());
      timeline_.blocks.push_back(NewBlock(index, node, t));
    }
    MemoryBlock& block = timeline_.blocks[known];
    block.last = std::max(block.last, dies_[index]);
    if (node.op == NodeOp::kOutput && block.category == MemoryCategory::kTemporary)
      block.category = MemoryCategory::kOutput;
  }

  MemoryBlock NewBlock(int32_t index, const Node& node, const Tensor& t) const {
    MemoryBlock block{WithEqualities(t.storage->nbytes), t.storage->device, index, index};
    block.maker = &node;
    if (const auto input = inputs_.find(&node); input != inputs_.end()) {
      block.category = CategoryOf(input->second);
    } else if (node.op == NodeOp::kGetAttr) {
      block.category = t.own_requires_grad ? MemoryCategory::kParameter : MemoryCategory::kBuffer;
    } else {
      return block;
    }
    block.first = 0;
    block.last = last_step_;
    return block;
  }

  const Graph& graph_;
  const Annotations& annotations_;
  int32_t last_step_;
  std::vector<int32_t> dies_;  // by node: the step after which its value is dropped
  std::map<const Node*, InputKind> inputs_;
  Timeline timeline_;
};

}  // namespace

Dim WithEqualities(Dim dim) {
  return dim.IsSymbolic() ? Dim::Of(dim.Expression()->env->Simplify(dim.Expression())) : dim;
}

std::vector<int32_t> LastUses(const Graph& graph) {
  std::vector<int32_t> last(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto index = static_cast<int32_t>(i);
    last[i] = index;
    for (const Argument& argument : graph.nodes[i].arguments)
      ForEachNode(argument.value, [&](NodeRef ref) { last[ref.index] = index; });
  }
  return last;
}

void PutNumbers(const FixedSymbols& fixed, Timeline& timeline) {
  for (MemoryBlock& block : timeline.blocks) block.bytes = fixed.Put(block.bytes);
}

std::vector<const Node*> CallsOfSubgraphs(const Graph& graph, const Annotations& annotations) {
  std::vector<const Node*> calls;
  for (const Node& node : graph.nodes) {
    bool runs_graph = false;
    for (const Argument& argument : node.arguments)
      ForEachNode(argument.value, [&](NodeRef ref) {
        runs_graph |= annotations.graphs[0].nodes[ref.index].value.TryGet<GraphRef>() != nullptr;
      });
    if (runs_graph) calls.push_back(&node);
  }
  return calls;
}

Timeline FindLifetimes(const Graph& graph, const Annotations& annotations, FreeWhen free) {
  return LifetimeFinder(graph, annotations, free).Find();
}

}  // namespace fakeprop
