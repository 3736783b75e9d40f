#include "lib/torchscript/script_inputs.h"

namespace fakeprop {
namespace {

struct NamedType {
  std::string_view name;
  InputType type;
};

// As torch spells its types (annotation_str of c10::Type).
constexpr NamedType kTypes[] = {
    {"Tensor", InputType::kTensor},
    {"int", InputType::kInt},
    {"float", InputType::kFloat},
    {"bool", InputType::kBool},
    {"str", InputType::kString},
    {"Device", InputType::kDevice},
    {"List", InputType::kList},
    {"Tuple", InputType::kTuple},
    {"Dict", InputType::kDict},
};

InputPart PartOf(const ScriptType& type) {
  const bool is_class = type.name.find("__torch__") != std::string::npos;  // or an enum, or an interface
  InputPart part{.type = is_class ? InputType::kOther : InputType::kAny, .parts = {}};
  for (const NamedType& known : kTypes)
    if (known.name == type.name) part.type = known.type;
  for (const ScriptType& inner : type.of) part.parts.push_back(PartOf(inner));
  return part;
}

int32_t AddPlaceholder(const ScriptInput& input, Graph& graph, UniqueNames& names) {
  const int32_t index = static_cast<int32_t>(graph.nodes.size());
  Node node;
  node.op = NodeOp::kPlaceholder;
  node.name = names.Make(input.name);
  node.target = node.name;
  graph.nodes.push_back(std::move(node));
  Input made;
  InputPart part = PartOf(input.type);
  if (input.default_value && part.type != InputType::kAny) part = {.type = InputType::kAny, .parts = {std::move(part)}};
  made.type = part.type;
  made.parts = std::move(part.parts);
  made.node = index;
  made.has_default = input.default_value || input.type.name == "Optional";
  if (input.default_value) made.constant = *input.default_value;
  if (made.type == InputType::kOther) made.constant = Opaque{input.type.name, input.name};
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
