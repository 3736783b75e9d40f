#include "lib/readers/fx_json.h"

#include <unordered_map>
#include <unordered_set>

#include "lib/archive/read_codes.h"
#include "lib/error/error.h"
#include "lib/readers/export_graph.h"
#include "lib/readers/export_values.h"
#include "lib/readers/fx_symbols.h"
#include "lib/readers/fx_values.h"

namespace fakeprop {
namespace {

constexpr std::string_view kFamily = "fakeprop.fx/";
constexpr std::string_view kFormat = "fakeprop.fx/1";

struct OpName {
  std::string_view name;
  NodeOp op;
};
constexpr OpName kOps[] = {
    {"placeholder", NodeOp::kPlaceholder},
    {"get_attr", NodeOp::kGetAttr},
    {"call_function", NodeOp::kCallFunction},
    {"call_method", NodeOp::kCallMethod},
    {"call_module", NodeOp::kCallModule},
    {"output", NodeOp::kOutput},
};

NodeOp ReadOp(JsonValue json) {
  for (const OpName& known : kOps)
    if (known.name == json.AsString()) return known.op;
  json.FailExpected("an opcode of FX (placeholder, get_attr, call_function, call_method, call_module or output)");
}

// The tables that the graphs of a file share, by path.
struct Members {
  std::unordered_map<std::string, int32_t> attributes;
  std::unordered_map<std::string, int32_t> modules;
  std::unordered_map<std::string, GraphValue> values;  // attributes that are no tensors
};

GraphValue ReadSize(JsonValue spelling) { return InlineSize{std::string(spelling.AsString())}; }

class AttributeReader {
 public:
  AttributeReader(Graph& graph, Members& members) : graph_(graph), members_(members) {}

  void Read(JsonValue json) {
    for (JsonValue entry : json.AsObject()) ReadOne(entry);
    for (JsonValue entry : json) Share(entry);
  }

 private:
  void ReadOne(JsonValue json) {
    if (!json.Find("shape")) return ReadValue(json);
    Attribute attribute{.name = std::string(json.key()), .tensor = ReadTensorFields(json)};
    if (auto value = json.Find("value")) attribute.elements = ReadTensorElements(*value, attribute.tensor);
    members_.attributes.emplace(attribute.name, static_cast<int32_t>(graph_.attributes.size()));
    graph_.attributes.push_back(std::move(attribute));
  }

  // A number, string or list that is an attribute.
  void ReadValue(JsonValue json) {
    const auto refuse = [](JsonValue name) -> GraphValue { name.FailExpected("a plain value"); };
    for (JsonValue field : json.AsObject())
      if (field.key() == "value") {
        members_.values.emplace(std::string(json.key()), ReadFxArgument(field, {refuse, refuse, ReadSize}));
        return;
      }
    json.Fail("an attribute has a `shape`, or it is no tensor and has a `value`");
  }

  void Share(JsonValue json) {
    const std::optional<JsonValue> with = json.Find("shares_storage_with");
    if (!with) return;
    auto it = members_.attributes.find(std::string(with->AsString()));
    if (it == members_.attributes.end())
      throw InconsistentGraph(*with, "there is no tensor " + Quote(with->AsString()));
    const auto sharer = members_.attributes.find(std::string(json.key()));
    if (sharer == members_.attributes.end())
      throw InconsistentGraph(*with, Quote(json.key()) + " shares storage, but is no tensor");
    Attribute& attribute = graph_.attributes[sharer->second];
    int32_t owner = it->second;
    for (size_t step = 0; graph_.attributes[owner].storage_of >= 0; owner = graph_.attributes[owner].storage_of)
      if (++step > graph_.attributes.size()) break;
    if (&graph_.attributes[owner] == &attribute)
      throw InconsistentGraph(*with, Quote(attribute.name) + " shares storage with itself");
    attribute.storage_of = owner;
  }

  Graph& graph_;
  Members& members_;
};

class FxGraphBuilder {
 public:
  // `path`: "" of the outermost graph, "true_graph_0." of one that it holds.
  FxGraphBuilder(JsonValue json, const std::string& source, const std::shared_ptr<TextArena>& text,
      const Members& members, std::string path)
      : json_(json), text_(text), members_(members), path_(std::move(path)) {
    graph_.source = source;
    graph_.kind = kFxKind;
    graph_.text = text;
  }

  // The graph without tables of its own.
  Graph Build(Graph graph) {
    graph.source = std::move(graph_.source);
    graph.kind = std::move(graph_.kind);
    graph.text = std::move(graph_.text);
    graph_ = std::move(graph);
    if (auto graphs = json_.Find("graphs"))
      for (JsonValue entry : graphs->AsObject()) AddSubgraph(entry);
    JsonValue nodes = json_.Get("nodes").AsArray();
    graph_.nodes.reserve(nodes.size());
    place_prefix_ = text_->Store(nodes.Pointer());
    for (JsonValue node : nodes) AddNode(node);
    return std::move(graph_);
  }

 private:
  void AddSubgraph(JsonValue json) {
    std::string name(json.key());
    Graph built = FxGraphBuilder(json, graph_.source, text_, members_, path_ + name + ".").Build({});
    graph_.subgraphs.push_back({std::move(name), std::make_unique<Graph>(std::move(built))});
  }

  void AddNode(JsonValue json) {
    Node node;
    node.name = json.Get("name").AsString();
    if (node.name.empty()) json.Get("name").FailExpected("a name");
    node.op = ReadOp(json.Get("op"));
    node.target = node.op == NodeOp::kOutput ? "output" : std::string(json.Get("target").AsString());
    if (node.target.empty()) json.Get("target").FailExpected("a target");
    node.place_prefix = place_prefix_;
    node.place_index = static_cast<int32_t>(graph_.nodes.size());
    ReadArguments(json, node);
    ReadMeta(json, node);
    const int32_t index = static_cast<int32_t>(graph_.nodes.size());
    if (!values_.emplace(json.Get("name").AsString(), index).second)
      throw InconsistentGraph(json.Get("name"), "there are two nodes " + Quote(node.name));
    if (!graph_.nodes.empty() && graph_.nodes.back().op == NodeOp::kOutput)
      throw InconsistentGraph(json, "a node after the output");
    graph_.nodes.push_back(std::move(node));
    Node& added = graph_.nodes.back();
    if (added.op == NodeOp::kPlaceholder) AddPlaceholder(added, index);
    if (added.op == NodeOp::kGetAttr || added.op == NodeOp::kCallModule) Resolve(json, added);
  }

  void ReadArguments(JsonValue json, Node& node) {
    if (auto arguments = json.Find("args"))
      for (JsonValue argument : arguments->AsArray()) node.arguments.push_back({{}, ReadArgument(node, argument)});
    if (auto keywords = json.Find("kwargs"))
      for (JsonValue argument : keywords->AsObject())
        node.arguments.push_back({argument.key(), ReadArgument(node, argument)});
    if (node.op == NodeOp::kOutput && node.arguments.size() != 1)
      throw InconsistentGraph(json, "an output has one argument, not " + std::to_string(node.arguments.size()));
  }

  // That of a placeholder is the input's default: it is there before any node runs.
  GraphValue ReadArgument(const Node& of, JsonValue json) {
    if (of.op == NodeOp::kPlaceholder) return ReadFxValue(json);
    return ReadFxArgument(json, references_);
  }

  GraphValue ReadNodeRef(JsonValue name) {
    auto it = values_.find(name.AsString());
    if (it != values_.end()) return NodeRef{it->second};
    for (JsonValue node : json_.Get("nodes"))
      if (node.Get("name").AsString() == name.AsString())
        throw InconsistentGraph(name, "the node " + Quote(name.AsString()) + " is used before it runs");
    throw InconsistentGraph(name, "there is no node " + Quote(name.AsString()));
  }

  GraphValue ReadGraphRef(JsonValue name) {
    const int32_t index = FindSubgraph(name.AsString());
    if (index < 0) throw InconsistentGraph(name, "there is no graph " + Quote(name.AsString()));
    return GraphRef{index};
  }

  int32_t FindSubgraph(std::string_view name) const {
    for (size_t i = 0; i < graph_.subgraphs.size(); ++i)
      if (graph_.subgraphs[i].name == name) return static_cast<int32_t>(i);
    return -1;
  }

  void ReadMeta(JsonValue json, Node& node) {
    const std::optional<JsonValue> meta = json.Find("meta");
    if (!meta) return;
    if (auto trace = meta->Find("stack_trace")) node.stack_trace = trace->AsString();
    if (auto stack = meta->Find("nn_module_stack")) node.nn_module_stack = stack->AsString();
    if (auto value = meta->Find("val"))
      if (auto recorded = ReadRecordedValue(*value)) graph_.recorded.emplace(node.name, std::move(*recorded));
  }

  void AddPlaceholder(Node& node, int32_t index) {
    if (!path_.empty()) return;
    std::string place = std::string(place_prefix_) + "/" + std::to_string(index);
    Input input{.type = InputType::kAny, .node = index, .place = std::move(place)};
    if (auto it = graph_.recorded.find(node.name); it != graph_.recorded.end()) {
      const RecordedNumber* number = std::get_if<RecordedNumber>(&it->second);
      input.type = !number                                        ? InputType::kTensor
                   : number->kind == RecordedNumber::Kind::kInt   ? InputType::kInt
                   : number->kind == RecordedNumber::Kind::kFloat ? InputType::kFloat
                                                                  : InputType::kBool;
    }
    if (!node.arguments.empty()) {
      input.has_default = true;
      input.constant = *node.arguments[0].value.TryPlain();
    }
    graph_.inputs.push_back(std::move(input));
  }

  // Finds what a get_attr fetches and a call_module runs.
  void Resolve(JsonValue json, Node& node) {
    const int32_t subgraph = FindSubgraph(node.target);
    const std::string path = path_ + node.target;
    if (node.op == NodeOp::kGetAttr) {
      if (!node.arguments.empty()) throw InconsistentGraph(json, "a get_attr has no arguments");
      if (subgraph >= 0) return node.arguments.push_back({{}, GraphRef{subgraph}});
      if (auto value = members_.values.find(path); value != members_.values.end())
        return node.arguments.push_back({{}, value->second});
      auto it = members_.attributes.find(path);
      if (it == members_.attributes.end())
        throw InconsistentGraph(json.Get("target"), "there is no attribute and no graph " + Quote(path));
      node.member = it->second;
      return;
    }
    if (subgraph >= 0) return;
    auto it = members_.modules.find(path);
    if (it == members_.modules.end())
      throw InconsistentGraph(json.Get("target"), "there is no module and no graph " + Quote(path));
    node.member = it->second;
  }

  JsonValue json_;
  std::shared_ptr<TextArena> text_;
  const Members& members_;
  std::string path_;
  Graph graph_;
  std::unordered_map<std::string_view, int32_t> values_;
  const FxReferences references_{[this](JsonValue name) { return ReadNodeRef(name); },
      [this](JsonValue name) { return ReadGraphRef(name); }, ReadSize};
  std::string_view place_prefix_;
};

void ReadModules(JsonValue json, Graph& graph, Members& members) {
  for (JsonValue entry : json.AsObject()) {
    Module module{.name = std::string(entry.key()), .class_name = std::string(entry.Get("class").AsString())};
    if (auto bases = entry.Find("bases"))
      for (JsonValue base : bases->AsArray()) module.bases.emplace_back(base.AsString());
    if (auto arguments = entry.Find("arguments"))
      for (JsonValue argument : arguments->AsObject())
        module.arguments.items.emplace_back(Value(std::string(argument.key())), ReadFxValue(argument));
    if (auto training = entry.Find("training")) module.training = training->AsBool();
    members.modules.emplace(module.name, static_cast<int32_t>(graph.modules.size()));
    graph.modules.push_back(std::move(module));
  }
}

Graph BuildGraph(const JsonTree& tree, const std::string& source) {
  JsonValue root = tree.root();
  Graph graph;
  Members members;
  if (auto attributes = root.Find("attributes")) AttributeReader(graph, members).Read(*attributes);
  if (auto modules = root.Find("modules")) ReadModules(*modules, graph, members);
  graph = FxGraphBuilder(root, source, tree.text(), members, "").Build(std::move(graph));
  if (auto symbols = root.Find("symbols")) ReadFxSymbols(*symbols, graph);
  graph.torch = ReadTorch(root).value_or(kOldestTorch);
  graph.build = ReadBuild(root);
  return graph;
}

}  // namespace

bool IsFxJson(const JsonTree& tree) {
  if (tree.root().kind() != JsonKind::kObject) return false;
  const std::optional<JsonValue> format = tree.root().Find("format");
  return format && format->kind() == JsonKind::kString && format->AsString().starts_with(kFamily);
}

std::optional<Graph> ReadFxJson(const JsonTree& tree, const std::string& source, DiagnosticSink& sink) {
  auto fail = [&](Code code, const JsonError& error) {
    sink.Add({.code = code, .message = error.message, .file = source, .place = error.place});
    return std::nullopt;
  };
  const JsonValue format = tree.root().Get("format");
  if (format.AsString() != kFormat)
    return fail(kUnsupportedVersion,
        {format.Pointer(), "the file has the format " + Quote(format.AsString()) + ", supported is " + Quote(kFormat)});
  try {
    return BuildGraph(tree, source);
  } catch (const InconsistentGraph& error) {
    return fail(kInconsistentGraph, error);
  } catch (const JsonError& error) {
    return fail(kMalformedGraph, error);
  } catch (const OpError& error) {  // an integer that no Dim holds
    return fail(kMalformedGraph, {"", error.message()});
  }
}

}  // namespace fakeprop
