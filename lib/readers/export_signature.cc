#include "lib/readers/export_signature.h"

#include <unordered_set>

#include "lib/readers/export_graph.h"

namespace fakeprop {
namespace {

constexpr std::string_view kInputTags[] = {
    "user_input", "parameter", "buffer", "tensor_constant", "custom_obj", "token", "constant_input"};
enum InputTag { kUser, kParameter, kBuffer, kTensorConstant, kCustomObj, kToken, kConstantInput };
constexpr InputKind kInputKinds[] = {InputKind::kUserInput, InputKind::kParameter, InputKind::kBuffer,
    InputKind::kTensorConstant, InputKind::kCustomObject, InputKind::kToken, InputKind::kConstant};
// Where each kind has the name of what it was in the module; empty for those that were nothing there.
constexpr std::string_view kQualifiedNames[] = {
    "", "parameter_name", "buffer_name", "tensor_constant_name", "custom_obj_name", "", ""};

constexpr std::string_view kOutputTags[] = {"user_output", "loss_output", "buffer_mutation", "gradient_to_parameter",
    "gradient_to_user_input", "user_input_mutation", "token", "parameter_mutation"};
enum OutputTag { kUserOutput };

constexpr std::string_view kConstantTags[] = {"as_none", "as_int", "as_float", "as_string", "as_bool"};
enum ConstantTag { kNone, kInt, kFloat, kString, kBool };

Value ReadConstant(JsonValue json) {
  auto [tag, value] = ReadUnion(json, kConstantTags);
  switch (tag) {
    case kInt: return value.AsInt();
    case kFloat: return value.AsReal();
    case kString: return std::string(value.AsString());
    case kBool: return value.AsBool();
  }
  return {};
}

bool IsConstantArgument(ArgumentTag tag) {
  return tag == ArgumentTag::kInt || tag == ArgumentTag::kFloat || tag == ArgumentTag::kString ||
         tag == ArgumentTag::kBool || tag == ArgumentTag::kNone;
}

std::string_view ReadInputName(JsonValue json) {
  auto [tag, spec] = ReadUnion(json, kInputTags);
  if (tag == kConstantInput) return spec.Get("name").AsString();
  if (tag == kUser) return ResultName(ReadArgumentTag(spec.Get("arg")));
  return spec.Get("arg").Get("name").AsString();
}

InputType TypeOf(ArgumentTag tag) {
  switch (tag) {
    case ArgumentTag::kTensor: return InputType::kTensor;
    case ArgumentTag::kSymInt: return InputType::kInt;
    case ArgumentTag::kSymFloat: return InputType::kFloat;
    case ArgumentTag::kSymBool: return InputType::kBool;
    default: return InputType::kOther;
  }
}

Input ReadInput(JsonValue json, const Node& placeholder) {
  auto [tag, spec] = ReadUnion(json, kInputTags);
  Input input;
  input.kind = kInputKinds[tag];
  if (!kQualifiedNames[tag].empty()) input.qualified_name = spec.Get(kQualifiedNames[tag]).AsString();
  if (tag == kConstantInput) input.constant = ReadConstant(spec.Get("value"));
  if (tag == kToken) input.constant = Opaque{"token", placeholder.name};
  if (tag == kCustomObj)
    input.constant = Opaque{std::string(spec.Get("arg").Get("class_fqn").AsString()), placeholder.name};
  if (tag != kUser) return input;
  TaggedArgument argument = ReadArgumentTag(spec.Get("arg"));
  if (argument.tag == ArgumentTag::kCustomObj) {
    input.kind = InputKind::kCustomObject;
    input.constant = Opaque{std::string(argument.value.Get("class_fqn").AsString()), placeholder.name};
  } else if (IsConstantArgument(argument.tag)) {
    input.kind = InputKind::kConstant;
    input.constant = ReadConstant(spec.Get("arg"));
  }
  return input;
}

}  // namespace

std::vector<std::string_view> ReadInputNames(JsonValue signature) {
  std::vector<std::string_view> names;
  for (JsonValue spec : signature.Get("input_specs").AsArray()) names.push_back(ReadInputName(spec));
  return names;
}

void ReadInputs(JsonValue signature, JsonValue graph_inputs, Graph& graph) {
  JsonValue specs = signature.Get("input_specs");
  if (specs.size() != graph_inputs.size())
    throw InconsistentGraph(specs, "the signature has " + std::to_string(specs.size()) + " inputs, the graph " +
                                       std::to_string(graph_inputs.size()));
  graph.inputs.reserve(specs.size());
  // The placeholders are the graph's first nodes.
  const std::string prefix = specs.Pointer() + "/";
  int32_t node = 0;
  JsonValue::Iterator argument = graph_inputs.begin();
  for (JsonValue spec : specs) {
    const Node& placeholder = graph.nodes[node];
    Input input = ReadInput(spec, placeholder);
    std::string_view name = ReadInputName(spec);
    if (input.kind != InputKind::kConstant && name != placeholder.name)
      throw InconsistentGraph(
          spec, "the signature calls this input " + Quote(name) + ", the graph " + Quote(placeholder.name));
    input.type = TypeOf(ReadArgumentTag(*argument).tag);
    ++argument;
    input.place = prefix + std::to_string(node);
    input.node = node++;
    graph.inputs.push_back(std::move(input));
  }
}

void CheckOutputs(JsonValue signature, const Graph& graph) {
  std::unordered_set<std::string_view> names;
  for (const Node& node : graph.nodes) names.insert(node.name);
  for (JsonValue json : signature.Get("output_specs").AsArray()) {
    auto [tag, spec] = ReadUnion(json, kOutputTags);
    JsonValue argument = spec.Get("arg");
    std::string_view name =
        tag == kUserOutput ? ResultName(ReadArgumentTag(argument)) : argument.Get("name").AsString();
    if (!name.empty() && !names.contains(name))
      throw InconsistentGraph(argument, "no input and no node makes the value " + Quote(name));
  }
}

}  // namespace fakeprop
