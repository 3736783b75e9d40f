// What a call takes: each Argument of the file as a GraphValue.
#include "lib/readers/export_graph.h"
#include "lib/readers/export_values.h"

namespace fakeprop {
namespace {

// In the order of ArgumentTag.
constexpr std::string_view kTags[] = {"as_none", "as_tensor", "as_tensors", "as_int", "as_ints", "as_float",
    "as_floats", "as_string", "as_strings", "as_sym_int", "as_sym_ints", "as_scalar_type", "as_memory_format",
    "as_layout", "as_device", "as_bool", "as_bools", "as_sym_bool", "as_sym_bools", "as_graph", "as_optional_tensors",
    "as_custom_obj", "as_operator", "as_sym_float", "as_sym_floats", "as_optional_tensor", "as_complex",
    "as_nested_tensors", "as_int_lists", "as_string_to_argument", "as_float_lists"};
constexpr std::string_view kSymIntTags[] = {"as_name", "as_int"};
constexpr std::string_view kSymFloatTags[] = {"as_name", "as_float"};
constexpr std::string_view kSymBoolTags[] = {"as_name", "as_bool"};
constexpr std::string_view kOptionalTensorTags[] = {"as_tensor", "as_none"};

// A Value where the items are Values, else a GraphValue.
template <typename ReadItem>
auto ReadList(JsonValue json, ReadItem read_item, ContainerKind kind = ContainerKind::kList) {
  std::vector<std::invoke_result_t<ReadItem, JsonValue>> items;
  items.reserve(json.AsArray().size());
  for (JsonValue item : json) items.push_back(read_item(item));
  return ContainerOf(kind, std::move(items));
}

Value ReadInt(JsonValue json) { return json.AsInt(); }
Value ReadFloat(JsonValue json) { return json.AsReal(); }
Value ReadBool(JsonValue json) { return json.AsBool(); }
Value ReadString(JsonValue json) { return std::string(json.AsString()); }

Value ReadTuple(JsonValue json) { return ReadList(json, ReadInt, ContainerKind::kTuple); }

Value ReadComplex(JsonValue json) { return std::complex<double>(json.Get("real").AsReal(), json.Get("imag").AsReal()); }

}  // namespace

TaggedArgument ReadArgumentTag(JsonValue json) {
  auto [tag, value] = ReadUnion(json, kTags);
  return {static_cast<ArgumentTag>(tag), value};
}

GraphValue ExportGraphBuilder::ReadArgument(JsonValue json) {
  auto [tag, value] = ReadArgumentTag(json);
  auto tensor = [this](JsonValue item) -> GraphValue { return ReadTensor(item); };
  auto optional_tensor = [this](JsonValue item) { return ReadOptionalTensor(item); };
  // A number that may be symbolic: {"as_name": ..} or the number itself.
  auto symbolic = [this](std::span<const std::string_view> tags, auto read_number) {
    return [this, tags, read_number](JsonValue item) -> GraphValue {
      auto [form, number] = ReadUnion(item, tags);
      if (form == 0) return ReadReference(number.AsString(), number);
      return read_number(number);
    };
  };
  auto sym_int = symbolic(kSymIntTags, ReadInt);
  auto sym_float = symbolic(kSymFloatTags, ReadFloat);
  auto sym_bool = symbolic(kSymBoolTags, ReadBool);
  switch (tag) {
    case ArgumentTag::kNone: return value.AsBool(), Value();
    case ArgumentTag::kTensor: return ReadTensor(value);
    case ArgumentTag::kTensors: return ReadList(value, tensor);
    case ArgumentTag::kInt: return ReadInt(value);
    case ArgumentTag::kInts: return ReadList(value, ReadInt);
    case ArgumentTag::kFloat: return ReadFloat(value);
    case ArgumentTag::kFloats: return ReadList(value, ReadFloat);
    case ArgumentTag::kString: return ReadString(value);
    case ArgumentTag::kStrings: return ReadList(value, ReadString);
    case ArgumentTag::kSymInt: return sym_int(value);
    case ArgumentTag::kSymInts: return ReadList(value, sym_int);
    case ArgumentTag::kScalarType: return ReadScalarType(value);
    case ArgumentTag::kMemoryFormat: return ReadMemoryFormat(value);
    case ArgumentTag::kLayout: return ReadLayout(value);
    case ArgumentTag::kDevice: return ReadDevice(value);
    case ArgumentTag::kBool: return ReadBool(value);
    case ArgumentTag::kBools: return ReadList(value, ReadBool);
    case ArgumentTag::kSymBool: return sym_bool(value);
    case ArgumentTag::kSymBools: return ReadList(value, sym_bool);
    case ArgumentTag::kGraph: return AddSubgraph(value);
    case ArgumentTag::kOptionalTensors: return ReadList(value, optional_tensor);
    case ArgumentTag::kCustomObj: return ReadCustomObj(value);
    case ArgumentTag::kOperator: return Operator{std::string(value.AsString())};
    case ArgumentTag::kSymFloat: return sym_float(value);
    case ArgumentTag::kSymFloats: return ReadList(value, sym_float);
    case ArgumentTag::kOptionalTensor: return ReadOptionalTensor(value);
    case ArgumentTag::kComplex: return ReadComplex(value);
    case ArgumentTag::kNestedTensors: return ReadList(value, [&](JsonValue item) { return ReadList(item, tensor); });
    case ArgumentTag::kIntLists: return ReadList(value, ReadTuple);
    case ArgumentTag::kStringToArgument: return ReadDict(value);
    case ArgumentTag::kFloatLists: return ReadList(value, [](JsonValue item) { return ReadList(item, ReadFloat); });
  }
  return {};
}

NodeRef ExportGraphBuilder::ReadReference(std::string_view name, JsonValue json) {
  auto value = values_.find(name);
  if (value == values_.end()) FailReference(name, json);
  return NodeRef{value->second};
}

NodeRef ExportGraphBuilder::ReadTensor(JsonValue json) { return ReadReference(json.Get("name").AsString(), json); }

GraphValue ExportGraphBuilder::ReadOptionalTensor(JsonValue json) {
  auto [tag, value] = ReadUnion(json, kOptionalTensorTags);
  return tag == 0 ? ReadTensor(value) : GraphValue();
}

// An object that was lifted is an input; any other is a constant of the archive.
GraphValue ExportGraphBuilder::ReadCustomObj(JsonValue json) {
  std::string_view name = json.Get("name").AsString();
  if (auto value = values_.find(name); value != values_.end()) return NodeRef{value->second};
  return Opaque{std::string(json.Get("class_fqn").AsString()), std::string(name)};
}

GraphValue ExportGraphBuilder::ReadDict(JsonValue json) {
  std::vector<GraphValue> items;
  for (JsonValue member : json.AsObject()) {
    items.push_back(std::string(member.key()));
    items.push_back(ReadArgument(member));
  }
  return ContainerOf(ContainerKind::kDict, std::move(items));
}

// A graph becomes an attribute of the module and a get_attr node of this graph. A name that comes twice is the same
// attribute, which keeps the last graph, as torch.nn.Module.register_module has it.
NodeRef ExportGraphBuilder::AddSubgraph(JsonValue json) {
  std::string_view name = json.Get("name").AsString();
  if (name.empty()) json.Get("name").FailExpected("the name of a graph");
  Graph subgraph = ExportGraphBuilder(context_, json.Get("graph")).Build();
  int32_t index = 0;
  while (index < std::ssize(graph_.subgraphs) && graph_.subgraphs[index].name != name) ++index;
  if (index == std::ssize(graph_.subgraphs)) graph_.subgraphs.push_back({std::string(name), nullptr});
  graph_.subgraphs[index].graph = std::make_unique<Graph>(std::move(subgraph));
  int32_t node = AddNode(NodeOp::kGetAttr, name, name);
  graph_.nodes[node].arguments.push_back({{}, GraphRef{index}});
  return NodeRef{node};
}

void ExportGraphBuilder::FailReference(std::string_view name, JsonValue json) {
  std::string refers = "the value " + Quote(name);
  int32_t position = 0;
  for (JsonValue node : json_.Get("nodes")) {
    for (JsonValue output : node.Get("outputs").AsArray())
      if (position >= place_index_ && ResultName(ReadArgumentTag(output)) == name)
        throw InconsistentGraph(json, refers + " is used before node " + std::to_string(position) + " makes it");
    ++position;
  }
  throw InconsistentGraph(json, "no input and no node before this makes " + refers);
}

}  // namespace fakeprop
