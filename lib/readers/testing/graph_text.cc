#include "lib/readers/testing/graph_text.h"

#include "lib/meta/dtype.h"
#include "lib/meta/value_visit.h"

namespace fakeprop::testing {
namespace {

constexpr std::string_view kKinds[] = {
    "parameter", "buffer", "tensor_constant", "user_input", "constant", "custom_object", "token"};
constexpr std::string_view kTypes[] = {
    "tensor", "int", "float", "bool", "string", "device", "list", "tuple", "dict", "other", "any"};

// An operator's text is its target, without quotes or brackets.
Value Word(std::string text) { return Operator{std::move(text)}; }

std::string ValueText(const GraphValue& value, const Graph& graph) {
  const Value filled = Fill(value, Overloaded{[&](NodeRef ref) { return Word("%" + graph.nodes[ref.index].name); },
                                       [](const InlineSize& size) { return Word("size " + size.spelling); }});
  return ToString(MapValues(filled, [&](const Value& inner) {
    if (auto ref = inner.TryGet<GraphRef>()) return Word("graph " + graph.subgraphs[ref->index].name);
    auto object = inner.TryGet<Opaque>();
    return object ? Word("object " + object->name + " of " + object->class_name) : inner;
  }));
}

std::string SizeText(const RecordedSize& size) {
  if (size.expression.empty()) return std::to_string(size.number);
  return std::string(size.expression) + (size.hint ? " ~ " + std::to_string(*size.hint) : "");
}

std::string SizesText(const std::vector<RecordedSize>& sizes) {
  std::string text;
  for (const RecordedSize& size : sizes) text += (text.empty() ? "" : ", ") + SizeText(size);
  return "[" + text + "]";
}

std::string RecordedText(const Recorded& recorded) {
  if (auto tensor = std::get_if<RecordedTensor>(&recorded))
    return std::string(DtypeName(tensor->dtype)) + SizesText(tensor->sizes) + " strides " + SizesText(tensor->strides) +
           " offset " + SizeText(tensor->storage_offset) + " on " + tensor->device.str() + " " +
           ToString(Value(tensor->layout)) + (tensor->requires_grad ? " requires_grad" : "");
  const RecordedNumber& number = std::get<RecordedNumber>(recorded);
  std::string text = SizeText(number.integer);
  if (number.kind == RecordedNumber::Kind::kFloat) text += ", float " + ToString(Value(number.floating));
  if (number.kind == RecordedNumber::Kind::kBool) text += ", bool " + ToString(Value(number.boolean));
  return text;
}

std::string AttributeText(const Attribute& attribute, const Graph& graph) {
  std::string text = "attribute " + attribute.name + ": " + RecordedText(attribute.tensor);
  if (attribute.storage_of >= 0) text += " on the storage of " + graph.attributes[attribute.storage_of].name;
  if (attribute.elements) text += " = " + ToString(Value(List{*attribute.elements, false}));
  return text;
}

std::string NodeText(const Node& node, const Graph& graph) {
  std::string text = "%" + node.name + " = " + std::string(Name(node.op)) + " " + node.target + "(";
  for (const Argument& argument : node.arguments)
    text += (&argument == &node.arguments[0] ? "" : ", ") + std::string(argument.name) +
            (argument.name.empty() ? "" : "=") + ValueText(argument.value, graph);
  text += ")  at " + node.Place();
  if (node.member >= 0) text += "  member " + std::to_string(node.member);
  if (!node.stack_trace.empty()) text += "  trace " + ToString(Value(std::string(node.stack_trace)));
  if (!node.nn_module_stack.empty()) text += "  in " + ToString(Value(std::string(node.nn_module_stack)));
  return text;
}

std::string BoundText(const std::optional<int64_t>& bound) { return bound ? std::to_string(*bound) : "unbounded"; }

std::string Indented(const Graph& graph, const std::string& indent) {
  std::string text;
  for (const Input& input : graph.inputs) {
    text += indent + "input " + graph.nodes[input.node].name + ": ";
    text += kKinds[static_cast<int>(input.kind)];
    text += " ";
    text += kTypes[static_cast<int>(input.type)];
    if (!input.qualified_name.empty()) text += " " + input.qualified_name;
    if (!input.constant.IsNone()) text += " = " + ValueText(input.constant, graph);
    if (input.has_default && input.constant.IsNone()) text += " = None";
    text += "  at " + input.place + "\n";
  }
  for (const Attribute& attribute : graph.attributes) text += indent + AttributeText(attribute, graph) + "\n";
  for (const Module& module : graph.modules)
    text += indent + "module " + module.name + ": " + module.class_name + " " + ToString(Value(module.arguments)) +
            (module.training ? " training\n" : "\n");
  for (const Node& node : graph.nodes) text += indent + NodeText(node, graph) + "\n";
  for (const auto& [name, recorded] : graph.recorded)
    text += indent + "recorded " + name + ": " + RecordedText(recorded) + "\n";
  for (const auto& [symbol, range] : graph.ranges)
    text += indent + "range " + symbol + ": " + BoundText(range.min) + " to " + BoundText(range.max) + "\n";
  for (const Subgraph& subgraph : graph.subgraphs)
    text += indent + "graph " + subgraph.name + ":\n" + Indented(*subgraph.graph, indent + "  ");
  return text;
}

}  // namespace

std::string GraphText(const Graph& graph) { return "kind " + graph.kind + "\n" + Indented(graph, ""); }

std::string DiagnosticsText(const DiagnosticSink& sink) {
  std::string text;
  for (const Diagnostic& d : sink.diagnostics())
    text += std::string(d.code.id) + " " + d.place + (d.place.empty() ? "" : ": ") + d.message + "\n";
  return text;
}

}  // namespace fakeprop::testing
