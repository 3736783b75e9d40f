// What a call's results are called, and the getitem nodes that take them apart.
#include "lib/readers/export_graph.h"

namespace fakeprop {
namespace {

constexpr std::string_view kSymNumberTags[] = {"as_name", "as_int"};
constexpr std::string_view kSymFloatTags[] = {"as_name", "as_float"};
constexpr std::string_view kSymBoolTags[] = {"as_name", "as_bool"};

std::string_view SymName(JsonValue json, std::span<const std::string_view> tags) {
  auto [tag, value] = ReadUnion(json, tags);
  return tag == 0 ? value.AsString() : std::string_view();
}

bool IsList(ArgumentTag tag) {
  switch (tag) {
    case ArgumentTag::kTensors:
    case ArgumentTag::kOptionalTensors:
    case ArgumentTag::kSymInts:
    case ArgumentTag::kSymFloats:
    case ArgumentTag::kSymBools:
    case ArgumentTag::kInts:
    case ArgumentTag::kFloats:
    case ArgumentTag::kBools:
    case ArgumentTag::kStrings: return true;
    default: return false;
  }
}

// What one item of a list is, as an argument of its own.
ArgumentTag ItemTag(ArgumentTag list) {
  switch (list) {
    case ArgumentTag::kTensors: return ArgumentTag::kTensor;
    case ArgumentTag::kOptionalTensors: return ArgumentTag::kOptionalTensor;
    case ArgumentTag::kSymInts: return ArgumentTag::kSymInt;
    case ArgumentTag::kSymFloats: return ArgumentTag::kSymFloat;
    case ArgumentTag::kSymBools: return ArgumentTag::kSymBool;
    default: return ArgumentTag::kInt;  // a plain number or string, which has no name
  }
}

bool IsHigherOrder(std::string_view target) { return target.find("torch.ops.higher_order") != std::string_view::npos; }

// Whether a higher-order operator with one result returns it bare and not in a tuple. Older files do not say: then it
// is a tuple, as in PyTorch's own reading of them.
bool ReturnsBareResult(JsonValue json) {
  std::optional<JsonValue> single = json.Find("is_hop_single_tensor_return");
  return single && single->AsBool();
}

}  // namespace

std::string_view ResultName(TaggedArgument result) {
  switch (result.tag) {
    case ArgumentTag::kTensor:
    case ArgumentTag::kCustomObj: return result.value.Get("name").AsString();
    case ArgumentTag::kSymInt: return SymName(result.value, kSymNumberTags);
    case ArgumentTag::kSymFloat: return SymName(result.value, kSymFloatTags);
    case ArgumentTag::kSymBool: return SymName(result.value, kSymBoolTags);
    case ArgumentTag::kOptionalTensor: {
      std::optional<JsonValue> tensor = result.value.Find("as_tensor");
      return tensor ? tensor->Get("name").AsString() : std::string_view();
    }
    default: return {};
  }
}

std::string ExportGraphBuilder::NameCandidate(JsonValue json, std::string_view target) {
  if (auto name = json.Find("name"); name && !name->AsString().empty()) return std::string(name->AsString());
  // Files of older minor versions have no names of nodes: a single result gives its own, FX makes up the rest.
  JsonValue outputs = json.Get("outputs").AsArray();
  if (outputs.size() == 1 && (!IsHigherOrder(target) || ReturnsBareResult(json)))
    if (std::string_view name = ResultName(ReadArgumentTag(*outputs.begin())); !name.empty()) return std::string(name);
  return NameOfTarget(target);
}

void ExportGraphBuilder::AddResults(JsonValue json, int32_t call) {
  JsonValue outputs = json.Get("outputs").AsArray();
  if (outputs.size() == 0) return;
  if (outputs.size() == 1) return AddSingleResult(json, ReadArgumentTag(*outputs.begin()), call);
  int64_t item = 0;
  for (JsonValue output : outputs) AddGetitem(output, ReadArgumentTag(output), call, item++);
  values_[context_.text->Store(graph_.nodes[call].name)] = call;
}

void ExportGraphBuilder::AddSingleResult(JsonValue json, TaggedArgument result, int32_t call) {
  Node& node = graph_.nodes[call];
  JsonValue output = *json.Get("outputs").begin();
  if (result.tag == ArgumentTag::kNone) {
    std::string name = NameOfTarget(node.target) + "_unused";
    if (name != node.name) node.name = names_.CreateName(name);
    return;
  }
  std::string_view call_name = context_.text->Store(node.name);
  if (IsList(result.tag)) {
    AddListGetitems(result, call);
    values_[call_name] = call;
  } else if (std::string_view name = ResultName(result); name.empty()) {
    output.Fail("a result needs a name but is " + output.Describe());
  } else if (IsHigherOrder(node.target) && !ReturnsBareResult(json)) {
    AddGetitem(output, result, call, 0);
    values_[call_name] = call;
  } else {
    Define(name, call, output);
  }
}

void ExportGraphBuilder::AddGetitem(JsonValue result, TaggedArgument tagged, int32_t of, int64_t item) {
  if (IsList(tagged.tag)) {
    AddListGetitems(tagged, AddGetitemNode(of, item, "getitem"));
    return;
  }
  std::string_view name = ResultName(tagged);
  bool is_none = tagged.tag == ArgumentTag::kNone || (tagged.tag == ArgumentTag::kOptionalTensor && name.empty());
  int32_t node = AddGetitemNode(of, item, is_none ? "as_none" : name.empty() ? "getitem" : name);
  if (!name.empty()) Define(name, node, result);
}

void ExportGraphBuilder::AddListGetitems(TaggedArgument list, int32_t of) {
  int64_t item = 0;
  for (JsonValue element : list.value.AsArray()) AddGetitem(element, {ItemTag(list.tag), element}, of, item++);
}

int32_t ExportGraphBuilder::AddGetitemNode(int32_t of, int64_t item, std::string_view name_candidate) {
  int32_t node = AddNode(NodeOp::kCallFunction, "_operator.getitem", name_candidate);
  Node& getitem = graph_.nodes[node];
  const Node& source = graph_.nodes[of];
  getitem.arguments.push_back({{}, NodeRef{of}});
  getitem.arguments.push_back({{}, item});
  getitem.stack_trace = source.stack_trace;
  getitem.nn_module_stack = source.nn_module_stack;
  return node;
}

void ExportGraphBuilder::Define(std::string_view name, int32_t node, JsonValue json) {
  auto [at, is_new] = values_.emplace(name, node);
  if (!is_new) {
    const Node& first = graph_.nodes[at->second];
    throw InconsistentGraph(json, "the value " + Quote(name) + " is made twice: here and at " + Quote(first.Place()));
  }
  graph_.nodes[node].name = name;
}

}  // namespace fakeprop
