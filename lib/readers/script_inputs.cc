#include "lib/readers/script_inputs.h"

namespace fakeprop {
namespace {

InputType TypeOf(const ScriptInput& input) {
  if (input.default_value) return InputType::kAny;
  if (input.type.name == "Tensor") return InputType::kTensor;
  if (input.type.name == "int") return InputType::kInt;
  if (input.type.name == "float") return InputType::kFloat;
  return input.type.name == "bool" ? InputType::kBool : InputType::kAny;
}

int32_t AddPlaceholder(const ScriptInput& input, Graph& graph, UniqueNames& names) {
  const int32_t index = static_cast<int32_t>(graph.nodes.size());
  Node node;
  node.op = NodeOp::kPlaceholder;
  node.name = names.Make(input.name);
  node.target = node.name;
  graph.nodes.push_back(std::move(node));
  Input made;
  made.type = TypeOf(input);
  made.node = index;
  made.has_default = input.default_value || input.type.name == "Optional";
  if (input.default_value) made.constant = *input.default_value;
  graph.inputs.push_back(std::move(made));
  return index;
}

}  // namespace

int32_t AddScriptInput(const ScriptInput& input, Graph& graph, UniqueNames& names) {
  if (input.type.name != "Tuple" || input.default_value) return AddPlaceholder(input, graph, names);
  Node tuple;
  tuple.target = "prim::TupleConstruct";
  for (size_t i = 0; i < input.type.of.size(); ++i) {
    const ScriptInput item{input.name + "_" + std::to_string(i), input.type.of[i], std::nullopt};
    tuple.arguments.push_back({{}, NodeRef{AddScriptInput(item, graph, names)}});
  }
  tuple.name = names.Make(input.name);
  graph.nodes.push_back(std::move(tuple));
  return static_cast<int32_t>(graph.nodes.size()) - 1;
}

}  // namespace fakeprop
