#include "lib/torchscript/script_lower.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <unordered_set>

#include "lib/archive/archive_layout.h"
#include "lib/archive/read_codes.h"
#include "lib/schema/schema_table.h"
#include "lib/torchscript/script_attributes.h"
#include "lib/torchscript/script_captures.h"
#include "lib/torchscript/script_inputs.h"
#include "lib/torchscript/script_modules.h"
#include "lib/torchscript/script_names.h"

namespace fakeprop {
namespace {

constexpr int kMostLevels = 1000;
constexpr std::string_view kArithmetic[] = {
    "aten::add.Tensor", "aten::sub.Tensor", "aten::mul.Tensor", "aten::div.Tensor"};

class Lowering {
 public:
  Lowering(ScriptGraph& script, const ScriptData& data, ScriptPlaces& places, TextArena& arena, Graph& root)
      : script_(script),
        places_(places),
        arena_(arena),
        root_(root),
        modules_(script, data),
        attributes_(data, root),
        names_(data, script.texts, arena) {}

  void Run() {
    Scope scope{root_, {}, {}};
    root_.kind = kTorchScriptKind;
    AddMethodInputs(scope);
    for (const ScriptModules::Stateful& stateful : modules_.stateful()) AddStateful(scope, stateful);
    LowerBlock(script_.body, scope, 0);
  }

 private:
  // One graph in the making.
  struct Scope {
    Graph& graph;
    UniqueNames names;
    std::unordered_map<int32_t, int32_t> nodes;  // values of the script by the node that gives them
  };

  // ---- nodes

  int32_t Add(Scope& scope, Node node) {
    node.name = scope.names.Make(prefix_ + node.name);
    scope.graph.nodes.push_back(std::move(node));
    return static_cast<int32_t>(scope.graph.nodes.size()) - 1;
  }

  AddNode Adder(Scope& scope) {
    return [this, &scope](Node node) { return Add(scope, std::move(node)); };
  }

  // With its name, and its place in the file and in the user's Python.
  Node NodeFor(const ScriptNode& of, NodeOp op, std::string target) {
    Node node;
    node.op = op;
    node.name = names_.NameOf(of);
    node.target = std::move(target);
    node.nn_module_stack = names_.StackOf(of);
    node.stack_trace = places_.StackTrace(of.places);
    if (!of.places.empty()) node.place_prefix = places_.CodePlace(of.places.back());
    return node;
  }

  std::string_view ResultName(int32_t value) { return arena_.Store(script_.values[value].name); }

  // The value as an argument in this graph.
  GraphValue Use(const Scope& scope, int32_t value) const {
    if (auto it = scope.nodes.find(value); it != scope.nodes.end()) return NodeRef{it->second};
    if (auto it = constants_.find(value); it != constants_.end()) return it->second;
    const ScriptModule* module = modules_.Find(value);
    return Opaque{script_.values[value].type, module ? module->path : script_.values[value].name};
  }

  // Gives the node's results their names, and a node each where there are several.
  void AddResults(Scope& scope, const ScriptNode& of, Node node) {
    for (int32_t output : of.outputs) node.result_names.push_back(ResultName(output));
    const std::string name = node.name;
    const int32_t index = Add(scope, std::move(node));
    if (of.outputs.size() == 1) scope.nodes[of.outputs[0]] = index;
    if (of.outputs.size() > 1) AddItems(scope, of, NodeRef{index}, std::string(scope.graph.nodes[index].name));
  }

  void AddItems(Scope& scope, const ScriptNode& of, const GraphValue& from, const std::string& name) {
    for (size_t i = 0; i < of.outputs.size(); ++i) {
      Node item = NodeFor(of, NodeOp::kCallFunction, "_operator.getitem");
      item.name = name + "." + std::to_string(i);
      item.arguments = {{{}, from}, {{}, Value(static_cast<int64_t>(i))}};
      item.result_names = {ResultName(of.outputs[i])};
      scope.nodes[of.outputs[i]] = Add(scope, std::move(item));
    }
  }

  // ---- the start

  void AddMethodInputs(Scope& scope) {
    const auto& inputs = script_.body.inputs;
    for (size_t i = 0; i < script_.inputs.size() && i + 1 < inputs.size(); ++i) {
      const int32_t node = AddScriptInput(script_.inputs[i], scope.graph, scope.names);
      scope.graph.nodes[node].result_names = {ResultName(inputs[i + 1])};
      scope.nodes[inputs[i + 1]] = node;
    }
  }

  void AddStateful(Scope& scope, const ScriptModules::Stateful& stateful) {
    Node node;
    node.name = stateful.module.path.empty() ? "self" : stateful.module.path;
    node.target = "prim::Module";
    node.arguments = attributes_.StateOf(stateful.module, stateful.attributes, Adder(scope));
    scope.nodes[stateful.value] = Add(scope, std::move(node));
    if (stateful.state) SetState(scope, stateful);
  }

  // Runs the code by which the module's class sets its state.
  void SetState(Scope& scope, const ScriptModules::Stateful& stateful) {
    const ScriptModule& module = stateful.module;
    const ScriptBlock& code = script_.setstates.at(std::string(modules_.ClassOf(module)));
    prefix_ = module.path + ".__setstate__.";
    Node state;
    state.name = "state";
    state.target = "prim::TupleConstruct";
    state.arguments = attributes_.ItemsOf(*stateful.state, "state", Adder(scope));
    scope.nodes[code.inputs[1]] = Add(scope, std::move(state));
    scope.nodes[code.inputs[0]] = scope.nodes.at(stateful.value);
    for (const ScriptNode& node : code.nodes) LowerNode(node, scope, 1);
    prefix_.clear();
  }

  // ---- blocks

  void LowerBlock(const ScriptBlock& block, Scope& scope, int level) {
    if (level > kMostLevels)
      throw ArchiveError{
          kMalformedGraph, "the code has blocks in each other, " + std::to_string(kMostLevels) + " deep and more"};
    for (const ScriptNode& node : block.nodes) LowerNode(node, scope, level);
    Node output;
    output.name = "output";
    output.op = NodeOp::kOutput;
    output.target = "output";
    output.arguments.push_back({{}, OutputOf(block, scope)});
    Add(scope, std::move(output));
  }

  GraphValue OutputOf(const ScriptBlock& block, const Scope& scope) const {
    if (block.outputs.empty()) return {};
    return block.outputs.size() == 1 ? Use(scope, block.outputs[0]) : TupleOf(block.outputs, scope);
  }

  GraphValue TupleOf(std::span<const int32_t> values, const Scope& scope) const {
    std::vector<GraphValue> items;
    for (int32_t value : values) items.push_back(Use(scope, value));
    return ContainerOf(ContainerKind::kTuple, std::move(items));
  }

  void LowerNode(const ScriptNode& node, Scope& scope, int level) {
    if (node.kind == "prim::Constant") return LowerConstant(node, scope);
    if (node.kind == "prim::GetAttr" && modules_.Find(node.inputs[0])) return LowerAttribute(node, scope);
    if (node.kind == "prim::TupleUnpack") return AddItems(scope, node, Use(scope, node.inputs[0]), names_.NameOf(node));
    const bool is_plain = node.kind.starts_with("prim::");
    Node lowered = NodeFor(node, NodeOp::kCallFunction, is_plain ? node.kind : TargetName(node.kind));
    if (node.kind == "prim::If") LowerIf(node, lowered, scope, level);
    else if (node.kind == "prim::Loop") LowerLoop(node, lowered, scope, level);
    else if (node.kind == "prim::fork") LowerFork(node, lowered, scope, level);
    else
      for (int32_t input : node.inputs) lowered.arguments.push_back({{}, Use(scope, input)});
    TakeNumber(node, lowered);
    if (!node.attribute.empty()) lowered.arguments.push_back({{}, Value(node.attribute)});
    if (!node.constant.IsNone()) lowered.arguments.push_back({{}, node.constant});
    AddResults(scope, node, std::move(lowered));
  }

  // Arithmetic with a constant of rank 0 is that with a number, which takes no part in type promotion. Source:
  // CanonicalizeOps in torch/csrc/jit/passes/canonicalize_ops.cpp (torch 2.13), which TorchScript runs before any code.
  void TakeNumber(const ScriptNode& node, Node& lowered) const {
    if (std::ranges::find(kArithmetic, node.kind) == std::end(kArithmetic) ||
        !archive_constants_.contains(node.inputs[1]))
      return;
    const auto number = attributes_.NumberOfConstant(archive_constants_.at(node.inputs[1]));
    if (!number) return;
    lowered.arguments[1].value = *number;
    lowered.target = TargetName(node.kind.substr(0, node.kind.find('.')) + ".Scalar");
  }

  void LowerConstant(const ScriptNode& node, Scope& scope) {
    if (node.archive_constant < 0) {
      constants_[node.outputs[0]] = node.constant;
      return;
    }
    archive_constants_[node.outputs[0]] = static_cast<size_t>(node.archive_constant);
    AddAttributeNode(node, scope, attributes_.Constant(static_cast<size_t>(node.archive_constant)),
        "CONSTANTS.c" + std::to_string(node.archive_constant));
  }

  void LowerAttribute(const ScriptNode& node, Scope& scope) {
    if (modules_.Find(node.outputs[0])) return;
    const ScriptModule& module = *modules_.Find(node.inputs[0]);
    const ScriptAttribute attribute = attributes_.Find(module, node.attribute);
    if (attribute.plain) {
      constants_[node.outputs[0]] = *attribute.plain;
      return;
    }
    AddAttributeNode(node, scope, attribute, module.path + (module.path.empty() ? "" : ".") + node.attribute);
  }

  // A get_attr of a tensor, the call that packs an object, or one that says why there is neither.
  void AddAttributeNode(const ScriptNode& of, Scope& scope, const ScriptAttribute& attribute, const std::string& path) {
    if (attribute.packed) return AddResults(scope, of, attributes_.PackingNode(*attribute.packed, path, Adder(scope)));
    Node node = NodeFor(of, NodeOp::kGetAttr, path);
    node.name = path;
    node.member = attribute.member;
    if (attribute.member < 0) {
      node.op = NodeOp::kCallFunction;
      node.target = "prim::GetAttr";
      node.arguments = {{{}, Opaque{"unreadable", attribute.problem}}, {{}, Value(path)}};
    }
    AddResults(scope, of, std::move(node));
  }

  // ---- control flow

  // The graph of a block. Its placeholders: the block's own inputs, then the captured values.
  int32_t AddGraph(Scope& outer, const std::string& kind, const ScriptBlock& block,
      const std::vector<int32_t>& captured, int level) {
    auto graph = std::make_unique<Graph>();
    graph->source = root_.source;
    graph->kind = kTorchScriptKind;
    Scope scope{*graph, {}, {}};
    const auto add = [&](int32_t value, std::string name) {
      Node node;
      node.op = NodeOp::kPlaceholder;
      node.name = std::move(name);
      node.result_names = {ResultName(value)};
      const int32_t index = Add(scope, std::move(node));
      graph->nodes[index].target = graph->nodes[index].name;
      scope.nodes[value] = index;
    };
    for (int32_t value : block.inputs) add(value, PlainName(script_.values[value].name));
    for (int32_t value : captured) add(value, outer.graph.nodes[outer.nodes.at(value)].name);
    LowerBlock(block, scope, level + 1);
    auto& subgraphs = outer.graph.subgraphs;
    const auto same =
        std::count_if(subgraphs.begin(), subgraphs.end(), [&](const Subgraph& s) { return s.name.starts_with(kind); });
    subgraphs.push_back({kind + "_" + std::to_string(same), std::move(graph)});
    return static_cast<int32_t>(subgraphs.size()) - 1;
  }

  // What the blocks use of the outside: nodes of this graph.
  std::vector<int32_t> Captured(const ScriptNode& node, const Scope& scope) {
    std::vector<int32_t> captured;
    for (int32_t value : captures_.Of(node))
      if (scope.nodes.contains(value)) captured.push_back(value);
    return captured;
  }

  void AddCaptured(const std::vector<int32_t>& captured, Node& lowered, const Scope& scope) const {
    for (int32_t value : captured) lowered.arguments.push_back({{}, Use(scope, value)});
  }

  void LowerIf(const ScriptNode& node, Node& lowered, Scope& scope, int level) {
    const std::vector<int32_t> captured = Captured(node, scope);
    lowered.arguments.push_back({{}, Use(scope, node.inputs[0])});
    lowered.arguments.push_back({{}, GraphRef{AddGraph(scope, "true_graph", node.blocks[0], captured, level)}});
    lowered.arguments.push_back({{}, GraphRef{AddGraph(scope, "false_graph", node.blocks[1], captured, level)}});
    AddCaptured(captured, lowered, scope);
  }

  void LowerLoop(const ScriptNode& node, Node& lowered, Scope& scope, int level) {
    const std::vector<int32_t> captured = Captured(node, scope);
    const std::span<const int32_t> inputs(node.inputs);
    lowered.arguments.push_back({{}, Use(scope, node.inputs[0])});
    lowered.arguments.push_back({{}, Use(scope, node.inputs[1])});
    lowered.arguments.push_back({{}, GraphRef{AddGraph(scope, "body_graph", node.blocks[0], captured, level)}});
    lowered.arguments.push_back({{}, TupleOf(inputs.subspan(std::min<size_t>(2, inputs.size())), scope)});
    AddCaptured(captured, lowered, scope);
  }

  void LowerFork(const ScriptNode& node, Node& lowered, Scope& scope, int level) {
    const std::vector<int32_t> captured = Captured(node, scope);
    lowered.arguments.push_back({{}, GraphRef{AddGraph(scope, "fork_graph", node.blocks[0], captured, level)}});
    for (int32_t input : node.inputs) lowered.arguments.push_back({{}, Use(scope, input)});
    AddCaptured(captured, lowered, scope);
  }

  ScriptGraph& script_;
  ScriptPlaces& places_;
  TextArena& arena_;
  Graph& root_;
  ScriptModules modules_;
  ScriptAttributes attributes_;
  ScriptNames names_;
  ScriptCaptures captures_;
  std::unordered_map<int32_t, size_t> archive_constants_;  // values by their number among the archive's constants
  std::unordered_map<int32_t, Value> constants_;           // values that are known and stand where they are used
  std::string prefix_;                                     // before the name of each new node
};

}  // namespace

void LowerScript(ScriptGraph& script, const ScriptData& data, ScriptPlaces& places, TextArena& arena, Graph& root) {
  Lowering(script, data, places, arena, root).Run();
}

}  // namespace fakeprop
