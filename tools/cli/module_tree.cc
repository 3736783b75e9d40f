#include "tools/cli/module_tree.h"

#include <map>
#include <unordered_map>
#include <unordered_set>

#include "lib/base/suggest.h"
#include "lib/base/utf8.h"
#include "lib/cost/graph_cost.h"
#include "lib/diag/python_trace.h"
#include "lib/error/error.h"
#include "lib/meta/dtype.h"
#include "lib/meta/value_visit.h"

namespace fakeprop::cli {
namespace {

int64_t CountOf(Dim dim) { return dim.Hint().value_or(0); }

class TreeMaker {
 public:
  TreeMaker(const Graph& graph, const Annotations& annotations) : graph_(graph), annotations_(annotations) {
    tree_.modules.push_back({.name = Printable(graph.source)});
    for (const Input& input : graph.inputs) inputs_.emplace(&graph.nodes[input.node], &input);
  }

  ModuleTree Make() {
    for (const NodeAnnotation& node : annotations_.graphs[0].nodes)
      if (node.node->op == NodeOp::kPlaceholder || IsState(*node.node)) AddGiven(node);
    for (const GraphAnnotations& run : annotations_.graphs)
      for (const NodeAnnotation& node : run.nodes)
        if (run.call.empty() && !IsState(*node.node)) AddNode(node);
    for (const NodeAnnotation& node : annotations_.graphs[0].nodes)
      if (IsState(*node.node)) AddState(node);
    AddWork();
    for (size_t i = tree_.modules.size(); --i > 0;) At(tree_.modules[i].parent).sums += tree_.modules[i].sums;
    return std::move(tree_);
  }

 private:
  TreeModule& At(int module) { return tree_.modules[static_cast<size_t>(module)]; }

  bool IsState(const Node& node) const {
    if (node.op == NodeOp::kGetAttr) return true;
    const auto input = inputs_.find(&node);
    if (input == inputs_.end()) return false;
    const InputKind kind = input->second->kind;
    return kind == InputKind::kParameter || kind == InputKind::kBuffer || kind == InputKind::kTensorConstant;
  }

  // What the graph is given no node of it makes, also where a view of it is the first that is met.
  void AddGiven(const NodeAnnotation& annotation) {
    ForEachTensor(annotation.value, [&](const Tensor& t) { made_or_given_.insert(t.storage->id); });
  }

  void AddNode(const NodeAnnotation& annotation) {
    const int module = ModuleOf(annotation.node->nn_module_stack);
    module_of_node_.emplace(annotation.node, module);
    At(module).nodes.push_back(&annotation);
    ++At(module).sums.nodes;
    if (annotation.node->op == NodeOp::kPlaceholder) return;
    ForEachTensor(annotation.value, [&](const Tensor& t) {
      if (made_or_given_.insert(t.storage->id).second) At(module).sums.result_bytes += CountOf(t.storage->nbytes);
    });
  }

  int ModuleOf(std::string_view stack) {
    const auto known = module_of_stack_.find(stack);
    if (known != module_of_stack_.end()) return known->second;
    int module = 0;
    for (const ModuleFrame& frame : ParseModuleStack(stack))
      if (!frame.path.empty()) module = Child(module, frame);
    return module_of_stack_.emplace(stack, module).first->second;
  }

  int Child(int parent, const ModuleFrame& frame) {
    const auto [known, is_new] =
        children_.emplace(std::pair(parent, std::string(frame.path)), static_cast<int>(tree_.modules.size()));
    if (!is_new) return known->second;
    const std::string outer = At(parent).path + ".", path = Printable(frame.path);
    const bool is_within = parent > 0 && path.starts_with(outer);
    by_path_.emplace(path, known->second);
    At(parent).children.push_back(known->second);
    tree_.modules.push_back({.path = path,
        .name = is_within ? path.substr(outer.size()) : path,
        .type = Printable(frame.class_name()),
        .parent = parent});
    return known->second;
  }

  // A parameter belongs to the innermost module of its name that the graph runs.
  void AddState(const NodeAnnotation& annotation) {
    const Tensor* t = annotation.value.TryTensor();
    if (!t || !state_.insert(t->storage->id).second) return;
    const auto input = inputs_.find(annotation.node);
    const std::string name =
        Printable(input == inputs_.end() ? annotation.node->target : input->second->qualified_name);
    ModuleSums& sums = At(OwnerOf(name)).sums;
    const int64_t elements = CountOf(Numel(t->meta.size_span()));
    sums.parameters += elements;
    sums.parameter_bytes += elements * ItemSize(t->meta.dtype);
  }

  int OwnerOf(const std::string& name) const {
    for (size_t end = name.rfind('.'); end != std::string::npos && end > 0; end = name.rfind('.', end - 1))
      if (const auto owner = by_path_.find(name.substr(0, end)); owner != by_path_.end()) return owner->second;
    return 0;
  }

  // Of a part of a graph a count would be wrong.
  void AddWork() {
    if (!annotations_.diagnostics.empty()) return;
    try {
      const GraphCost cost = CountCost(graph_, annotations_, FixedSymbols(*annotations_.shape_env));
      for (const NodeCost& node : cost.nodes)
        if (const auto module = module_of_node_.find(node.node); module != module_of_node_.end())
          At(module->second).sums.flops += CountOf(node.cost.flops);
      tree_.uncounted = cost.Uncounted().size();
      tree_.has_flops = true;
    } catch (const OpError&) {
      // Numbers beyond 64 bits: the tree is shown without work.
    }
  }

  const Graph& graph_;
  const Annotations& annotations_;
  std::unordered_map<const Node*, const Input*> inputs_;
  std::unordered_map<std::string_view, int> module_of_stack_;
  std::unordered_map<const Node*, int> module_of_node_;
  std::map<std::pair<int, std::string>, int> children_;  // by parent and path
  std::unordered_map<std::string, int> by_path_;
  std::unordered_set<int32_t> made_or_given_, state_;  // storages
  ModuleTree tree_;
};

}  // namespace

ModuleSums& ModuleSums::operator+=(const ModuleSums& other) {
  nodes += other.nodes;
  flops += other.flops;
  result_bytes += other.result_bytes;
  parameters += other.parameters;
  parameter_bytes += other.parameter_bytes;
  return *this;
}

ModuleTree MakeModuleTree(const Graph& graph, const Annotations& annotations) {
  return TreeMaker(graph, annotations).Make();
}

std::vector<std::string> NotesOnModule(const std::string& word, const ModuleTree& tree) {
  std::vector<std::string> paths;
  for (const TreeModule& module : tree.modules) paths.push_back(module.path);
  const std::string nearest = Nearest(word, paths);
  return nearest.empty() ? std::vector<std::string>() : std::vector<std::string>{DidYouMean(nearest)};
}

}  // namespace fakeprop::cli
