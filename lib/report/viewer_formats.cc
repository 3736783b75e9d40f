#include "lib/report/viewer_formats.h"

#include <map>
#include <memory>

#include "lib/json/json_writer.h"
#include "lib/meta/dtype.h"

namespace fakeprop {
namespace {

constexpr size_t kMostLabel = 120;  // bytes

// A module with its nodes and the modules in it, in the order of their first nodes.
struct ModuleTree {
  std::vector<const ViewerNode*> nodes;
  std::vector<std::pair<std::string, std::unique_ptr<ModuleTree>>> modules;
  std::map<std::string, ModuleTree*> by_label;

  ModuleTree& In(const std::string& label) {
    ModuleTree*& known = by_label[label];
    if (!known) {
      modules.emplace_back(label, std::make_unique<ModuleTree>());
      known = modules.back().second.get();
    }
    return *known;
  }
};

ModuleTree TreeOf(const ViewerGraph& graph) {
  ModuleTree tree;
  for (const ViewerNode& node : graph.nodes) {
    if (node.is_state) continue;
    ModuleTree* at = &tree;
    for (const std::string& label : node.modules) at = &at->In(label);
    at->nodes.push_back(&node);
  }
  return tree;
}

// Cut at the start of a character.
std::string Shortened(const std::string& text) {
  if (text.size() <= kMostLabel) return text;
  size_t end = kMostLabel;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

// In a quoted string of Graphviz only quotes and backslashes are special.
std::string DotQuoted(const std::string& text) {
  std::string out = "\"";
  for (char c : Shortened(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// Two lines in one label.
std::string DotLabel(const std::string& first, const std::string& second) {
  const std::string a = DotQuoted(first), b = DotQuoted(second);
  return a.substr(0, a.size() - 1) + "\\n" + b.substr(1);
}

void AddDotModule(const ModuleTree& tree, const std::string& indent, int& clusters, std::string& out) {
  for (const ViewerNode* node : tree.nodes) {
    out += indent + node->id + " [label=" + DotLabel(node->op, "%" + node->name);
    if (node->has_failed) out += ", color=red, tooltip=" + DotQuoted(node->value);
    else if (!node->line.empty()) out += ", tooltip=" + DotQuoted(node->line);
    out += "];\n";
  }
  for (const auto& [label, module] : tree.modules) {
    out += indent + "subgraph cluster_" + std::to_string(clusters++) + " {\n" + indent + "  label=" + DotQuoted(label) +
           ";\n";
    AddDotModule(*module, indent + "  ", clusters, out);
    out += indent + "}\n";
  }
}

// In a quoted label of Mermaid, characters that it reads as markup are entities by their number.
std::string MermaidQuoted(const std::string& text) {
  std::string out = "\"";
  for (char c : Shortened(text)) {
    const bool is_plain = static_cast<unsigned char>(c) >= 0x80 || c == ' ' || c == '_' || c == '.' || c == ',' ||
                          (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (is_plain) out += c;
    else out += "#" + std::to_string(static_cast<int>(c)) + ";";
  }
  return out + "\"";
}

void AddMermaidModule(const ModuleTree& tree, const std::string& indent, int& modules, std::string& out) {
  for (const ViewerNode* node : tree.nodes) {
    const std::string op = MermaidQuoted(node->op), name = MermaidQuoted("%" + node->name);
    out += indent + node->id + "[" + op.substr(0, op.size() - 1) + "<br>" + name.substr(1) + "]" +
           (node->has_failed ? ":::failed" : "") + "\n";
  }
  for (const auto& [label, module] : tree.modules) {
    out += indent + "subgraph m" + std::to_string(modules++) + "[" + MermaidQuoted(label) + "]\n";
    AddMermaidModule(*module, indent + "  ", modules, out);
    out += indent + "end\n";
  }
}

// The part of Model Explorer's namespaces that is one module: slashes part them.
std::string NamespaceOf(const ViewerNode& node) {
  std::string path;
  for (std::string label : node.modules) {
    for (char& c : label)
      if (c == '/') c = '_';
    path += (path.empty() ? "" : "/") + label;
  }
  return path;
}

void WriteAttribute(std::string_view key, std::string_view value, JsonWriter& json) {
  json.BeginObject();
  json.Key("key").String(key);
  json.Key("value").String(value);
  json.EndObject();
}

void WriteEdge(const ViewerNode& from, size_t position, JsonWriter& json) {
  json.BeginObject();
  json.Key("sourceNodeId").String(from.id);
  json.Key("sourceNodeOutputId").String("0");
  json.Key("targetNodeInputId").String(std::to_string(position));
  json.EndObject();
}

void WriteModelExplorerNode(const ViewerGraph& graph, const ViewerNode& node, JsonWriter& json) {
  json.NewLine(6);
  json.BeginObject();
  json.Key("id").String(node.id);
  json.Key("label").String(node.op);
  json.Key("namespace").String(NamespaceOf(node));
  json.Key("attrs").BeginArray();
  WriteAttribute("name", node.name, json);
  if (!node.line.empty()) WriteAttribute("line", node.line, json);
  if (node.has_failed) WriteAttribute("error", node.value, json);
  json.EndArray();
  json.Key("incomingEdges").BeginArray();
  for (size_t i = 0; i < node.inputs.size(); ++i) WriteEdge(graph.nodes[node.inputs[i]], i, json);
  json.EndArray();
  json.Key("outputsMetadata").BeginArray();
  json.BeginObject();
  json.Key("id").String("0");
  json.Key("attrs").BeginArray();
  WriteAttribute("__tensor_tag", node.name, json);
  WriteAttribute("tensor_shape", node.value, json);
  json.EndArray();
  json.EndObject();
  json.EndArray();
  json.EndObject();
}

int64_t BytesOf(const Value& value) {
  if (const Tensor* t = value.TryTensor())
    return (Numel(t->meta.size_span()) * Dim(ItemSize(t->meta.dtype))).Hint().value_or(0);
  int64_t sum = 0;
  if (const List* list = value.TryList())
    for (const Value& item : list->items) sum += BytesOf(item);
  return sum;
}

}  // namespace

std::string DotText(const ViewerGraph& graph) {
  std::string out =
      "digraph fakeprop {\n"
      "  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"sans-serif\", fontsize=11];\n"
      "  edge [fontname=\"sans-serif\", fontsize=9];\n"
      "  graph [fontname=\"sans-serif\", fontsize=11, style=\"rounded,filled\", fillcolor=\"#f5f6f8\"];\n";
  int clusters = 0;
  AddDotModule(TreeOf(graph), "  ", clusters, out);
  for (const ViewerNode& node : graph.nodes)
    for (int32_t input : node.inputs)
      if (const ViewerNode& from = graph.nodes[input]; !from.is_state)
        out += "  " + from.id + " -> " + node.id + " [label=" + DotQuoted(from.value) + "];\n";
  return out + "}\n";
}

std::string MermaidText(const ViewerGraph& graph) {
  std::string out = "flowchart TD\n  classDef failed stroke:#a8201a,stroke-width:3px\n";
  int modules = 0;
  AddMermaidModule(TreeOf(graph), "  ", modules, out);
  for (const ViewerNode& node : graph.nodes)
    for (int32_t input : node.inputs)
      if (const ViewerNode& from = graph.nodes[input]; !from.is_state)
        out += "  " + from.id + " -->|" + MermaidQuoted(from.value) + "| " + node.id + "\n";
  return out;
}

std::string ModelExplorerJson(const ViewerGraph& graph, const std::string& label) {
  JsonWriter json;
  json.BeginObject();
  json.Key("label").String(label);
  json.Key("graphs").BeginArray();
  json.BeginObject();
  json.Key("id").String(label);
  json.Key("nodes").BeginArray();
  for (const ViewerNode& node : graph.nodes) WriteModelExplorerNode(graph, node, json);
  json.EndArray();
  json.EndObject();
  json.EndArray();
  json.EndObject();
  return json.Take() + "\n";
}

std::string ModelExplorerNodeData(const ViewerGraph& graph, const std::string& label) {
  JsonWriter json;
  json.BeginObject();
  json.KeyOf(label).BeginObject();
  json.Key("results").BeginObject();
  for (const ViewerNode& node : graph.nodes) {
    if (node.has_failed) continue;
    json.NewLine(4);
    json.KeyOf(node.id).BeginObject();
    json.Key("value").Int(BytesOf(node.annotation->value));
    json.EndObject();
  }
  json.EndObject();
  json.EndObject();
  json.EndObject();
  return json.Take() + "\n";
}

}  // namespace fakeprop
