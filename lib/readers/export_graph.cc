#include "lib/readers/export_graph.h"

#include "lib/readers/export_values.h"

namespace fakeprop {
namespace {

enum class ArgumentKind { kUnknown, kPositional, kKeyword };

ArgumentKind ReadArgumentKind(JsonValue argument) {
  std::optional<JsonValue> kind = argument.Find("kind");
  if (!kind) return ArgumentKind::kUnknown;
  if (kind->AsInt() < 0 || kind->AsInt() > 2) kind->FailExpected("the kind of an argument (1 positional, 2 keyword)");
  return static_cast<ArgumentKind>(kind->AsInt());
}

// Dispatcher operators match their arguments with the schema by name; higher-order operators have no schema, Python's
// operators on numbers (`_operator.add`, `torch.sym_max`, `math.trunc`) take them in order.
bool HasSchema(std::string_view target) {
  return target.starts_with("torch.ops.") && !target.starts_with("torch.ops.higher_order.");
}

bool IsSymbolicOperator(std::string_view target) {
  return target.starts_with("_operator.") || target.starts_with("math.") || target.starts_with("torch.sym_");
}

// The name by which an argument goes; empty where it goes by position.
std::string_view ArgumentName(JsonValue argument, std::string_view target) {
  std::string_view name = argument.Get("name").AsString();
  ArgumentKind kind = ReadArgumentKind(argument);
  if (HasSchema(target)) return name;
  return IsSymbolicOperator(target) || kind == ArgumentKind::kPositional ? std::string_view() : name;
}

bool IsConstant(ArgumentTag tag) {
  return tag == ArgumentTag::kInt || tag == ArgumentTag::kFloat || tag == ArgumentTag::kBool ||
         tag == ArgumentTag::kNone || tag == ArgumentTag::kString;
}

}  // namespace

Graph ExportGraphBuilder::Build() {
  graph_.source = context_.source;
  graph_.kind = "torch.export";
  graph_.text = context_.text;
  graph_.recorded = ReadRecordedValues(json_);
  JsonValue nodes = json_.Get("nodes").AsArray();
  graph_.nodes.reserve(nodes.size() + json_.Get("inputs").AsArray().size() + 1);
  place_prefix_ = context_.text->Store(json_.Get("inputs").Pointer());
  place_index_ = 0;
  for (JsonValue input : json_.Get("inputs")) {
    AddPlaceholder(input, static_cast<size_t>(place_index_));
    ++place_index_;
  }
  place_prefix_ = context_.text->Store(nodes.Pointer());
  place_index_ = 0;
  for (JsonValue node : nodes) {
    AddCall(node);
    ++place_index_;
  }
  AddOutput();
  return std::move(graph_);
}

void ExportGraphBuilder::AddPlaceholder(JsonValue json, size_t position) {
  TaggedArgument input = ReadArgumentTag(json);
  std::string_view name = ResultName(input);
  // A constant has no name of its own. FX makes sure that it is a legal one, and nothing refers to it.
  std::string unnamed = "arg" + std::to_string(position);
  bool is_constant = IsConstant(input.tag);
  if (is_constant && position < context_.input_names.size()) name = context_.input_names[position];
  if (is_constant && name.empty()) name = unnamed;
  if (name.empty()) json.FailExpected("the name of an input");
  int32_t node = AddNode(NodeOp::kPlaceholder, name, NameOfAttribute(name));
  if (!is_constant) Define(name, node, json);
}

void ExportGraphBuilder::AddCall(JsonValue json) {
  std::string_view target = json.Get("target").AsString();
  if (target.empty()) json.Get("target").FailExpected("an operator");
  std::vector<Argument> arguments;
  JsonValue inputs = json.Get("inputs").AsArray();
  arguments.reserve(inputs.size());
  // Arguments first: each graph among them becomes a get_attr node in front of the call.
  for (JsonValue input : inputs) arguments.push_back({ArgumentName(input, target), ReadArgument(input.Get("arg"))});
  int32_t call = AddNode(NodeOp::kCallFunction, target, NameCandidate(json, target));
  graph_.nodes[call].arguments = std::move(arguments);
  CopyMetadata(json, graph_.nodes[call]);
  AddResults(json, call);
}

void ExportGraphBuilder::AddOutput() {
  JsonValue outputs = json_.Get("outputs").AsArray();
  std::optional<JsonValue> single = json_.Find("is_single_tensor_return");
  std::vector<GraphValue> results;
  for (JsonValue output : outputs) results.push_back(ReadArgument(output));
  bool is_single = single && single->AsBool();
  if (is_single && results.size() != 1)
    throw InconsistentGraph(
        outputs, "is_single_tensor_return is true but there are " + std::to_string(results.size()) + " outputs");
  place_prefix_ = context_.text->Store(outputs.Pointer());
  place_index_ = -1;
  int32_t node = AddNode(NodeOp::kOutput, "output", "output");
  graph_.nodes[node].arguments.push_back(
      {{}, is_single ? std::move(results[0]) : ContainerOf(ContainerKind::kTuple, std::move(results))});
}

int32_t ExportGraphBuilder::AddNode(NodeOp op, std::string_view target, std::string_view name_candidate) {
  Node& node = graph_.nodes.emplace_back();
  node.name = names_.CreateName(name_candidate);
  node.op = op;
  node.target = target;
  node.place_prefix = place_prefix_;
  node.place_index = place_index_;
  return static_cast<int32_t>(graph_.nodes.size() - 1);
}

void ExportGraphBuilder::CopyMetadata(JsonValue json, Node& node) {
  std::optional<JsonValue> metadata = json.Find("metadata");
  if (!metadata) return;
  if (auto trace = metadata->Find("stack_trace")) node.stack_trace = trace->AsString();
  if (auto stack = metadata->Find("nn_module_stack")) node.nn_module_stack = stack->AsString();
}

}  // namespace fakeprop
