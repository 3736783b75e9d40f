#include "lib/interpreter/testing/written_graph.h"

#include <charconv>
#include <stdexcept>

#include "lib/meta/dtype.h"
#include "lib/rules/testing/parsed_call.h"
#include "lib/schema/schema_table.h"

namespace fakeprop::testing {
namespace {

[[noreturn]] void FailAt(std::string_view text) {
  throw std::invalid_argument("this is no graph: " + std::string(text));
}

// "word(rest" in two; the second is empty if `at` is not there.
std::pair<std::string_view, std::string_view> Cut(std::string_view text, std::string_view at) {
  const size_t found = text.find(at);
  if (found == std::string_view::npos) return {text, {}};
  return {text.substr(0, found), text.substr(found + at.size())};
}

size_t Indent(std::string_view line) { return line.find_first_not_of(' '); }

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto [line, rest] = Cut(text, "\n");
    if (Indent(line) != std::string_view::npos) lines.push_back(line);
    text = rest;
  }
  return lines;
}

// The dtype of a short name: "i64".
std::optional<ScalarType> DtypeOf(std::string_view name) {
  for (int i = 0; i < static_cast<int>(ScalarType::Undefined); ++i)
    if (ShortDtypeName(static_cast<ScalarType>(i)) == name) return static_cast<ScalarType>(i);
  return std::nullopt;
}

// Values, separated by commas.
class ValueParser {
 public:
  ValueParser(std::string_view text, const Graph& graph) : text_(text), graph_(graph) {}

  std::vector<GraphValue> ParseItems(char close) {
    std::vector<GraphValue> items;
    while (!Accept(close)) {
      if (!items.empty() && Accept(',') && Accept(close)) break;
      items.push_back(Parse());
    }
    return items;
  }
  bool IsAtEnd() { return Peek() == '\0'; }

 private:
  char Peek() {
    while (!text_.empty() && text_[0] == ' ') text_.remove_prefix(1);
    return text_.empty() ? '\0' : text_[0];
  }
  bool Accept(char c) {
    if (Peek() != c) return false;
    if (c != '\0') text_.remove_prefix(1);
    return true;
  }

  GraphValue Parse() {
    if (Accept('[')) return ContainerOf(ContainerKind::kList, ParseItems(']'));
    if (Accept('(')) return ContainerOf(ContainerKind::kTuple, ParseItems(')'));
    if (Accept('{')) return ParseDict();
    if (Accept('"')) return ParseString();
    return ParseWord(TakeWord());
  }

  GraphValue ParseDict() {
    std::vector<GraphValue> items;
    while (!Accept('}')) {
      if (!items.empty()) Accept(',');
      items.push_back(Parse());
      if (!Accept(':')) FailAt(text_);
      items.push_back(Parse());
    }
    return ContainerOf(ContainerKind::kDict, std::move(items));
  }

  std::string ParseString() {
    const auto [string, rest] = Cut(text_, "\"");
    text_ = rest;
    return std::string(string);
  }

  std::string_view TakeWord() {
    Peek();
    const size_t end = std::min(text_.find_first_of(" ,()[]{}:"), text_.size());
    const std::string_view word = text_.substr(0, end);
    text_.remove_prefix(end);
    return word;
  }

  GraphValue ParseWord(std::string_view word) {
    if (word == "None") return {};
    if (word == "True" || word == "False") return word == "True";
    if (word == "slice" && Accept('(')) return ContainerOf(ContainerKind::kSlice, ParseItems(')'));
    if (const Node* node = graph_.FindNode(word)) return NodeRef{static_cast<int32_t>(node - graph_.nodes.data())};
    if (const std::optional<ScalarType> dtype = DtypeOf(word)) return *dtype;
    if (word.find('.') != std::string_view::npos) return std::stod(std::string(word));
    int64_t number = 0;
    if (std::from_chars(word.data(), word.data() + word.size(), number).ec != std::errc()) FailAt(word);
    return number;
  }

  std::string_view text_;
  const Graph& graph_;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : lines_(LinesOf(text)) {}

  WrittenGraph Read() {
    WrittenGraph read;
    read.graph.kind = "torch.export";
    inputs_ = &read.inputs;
    ReadLines(read.graph, lines_.empty() ? 0 : Indent(lines_[0]));
    return read;
  }

 private:
  void ReadLines(Graph& graph, size_t indent) {
    while (next_ < lines_.size() && Indent(lines_[next_]) == indent) ReadLine(graph, lines_[next_++].substr(indent));
  }

  void ReadLine(Graph& graph, std::string_view line) {
    if (line.starts_with("return ")) return ReadOutput(graph, line.substr(7));
    if (line.starts_with("graph ")) return ReadSubgraph(graph, line.substr(6));
    if (const auto [name, call] = Cut(line, " = "); !call.empty()) return ReadCall(graph, name, call);
    const auto [name, type] = Cut(line, ": ");
    if (type.empty()) FailAt(line);
    ReadInput(graph, name, type);
  }

  Node& Add(Graph& graph, std::string_view name, NodeOp op, std::string_view target) {
    Node& node = graph.nodes.emplace_back();
    node.name = name;
    node.op = op;
    node.target = target;
    return node;
  }

  void ReadInput(Graph& graph, std::string_view name, std::string_view type) {
    InputValue input;
    input.is_tensor = true;
    const auto [meta, rest] = Cut(type, " ");
    input.meta = ParseCall("t(" + std::string(meta) + ")").tensors.at(0)->meta;
    input.requires_grad = rest == "grad";
    if (rest.starts_with("of ")) input.view_of = static_cast<int>(graph.FindNode(rest.substr(3)) - graph.nodes.data());
    input.origin = "input `" + std::string(name) + "`";
    inputs_->push_back(std::move(input));
    Input& declared = graph.inputs.emplace_back();
    declared.node = static_cast<int32_t>(graph.nodes.size());
    Add(graph, name, NodeOp::kPlaceholder, name);
  }

  // The arguments' names are those of the operator's schema.
  void ReadCall(Graph& graph, std::string_view name, std::string_view call) {
    const auto [op, arguments] = Cut(call, "(");
    const Schema* schema = FindSchema("aten::" + std::string(op));
    ValueParser values(arguments, graph);
    std::vector<GraphValue> items = values.ParseItems(')');
    Node& node = Add(graph, name, NodeOp::kCallFunction, Target(op, schema));
    for (size_t i = 0; i < items.size(); ++i)
      node.arguments.push_back({schema ? schema->arguments.at(i).name : std::string_view(), std::move(items[i])});
  }

  static std::string Target(std::string_view op, const Schema* schema) {
    if (schema) return "torch.ops.aten." + std::string(op) + (op.find('.') == std::string_view::npos ? ".default" : "");
    return (op.starts_with("higher_order.") ? "torch.ops." : "") + std::string(op);
  }

  void ReadOutput(Graph& graph, std::string_view values) {
    std::vector<GraphValue> items = ValueParser(values, graph).ParseItems('\0');
    const bool is_bare = items.size() == 1;
    Node& node = Add(graph, "output", NodeOp::kOutput, "output");
    node.arguments.push_back({"", is_bare ? items[0] : ContainerOf(ContainerKind::kTuple, std::move(items))});
  }

  // A get_attr node stands for it where it is used.
  void ReadSubgraph(Graph& graph, std::string_view head) {
    const auto [name, parameters] = Cut(head, "(");
    Subgraph subgraph{std::string(name), std::make_unique<Graph>()};
    subgraph.graph->kind = graph.kind;
    for (std::string_view rest = parameters.substr(0, parameters.find(')')); !rest.empty();) {
      const auto [parameter, others] = Cut(rest, ", ");
      Add(*subgraph.graph, parameter, NodeOp::kPlaceholder, parameter);
      rest = others;
    }
    if (next_ < lines_.size()) ReadLines(*subgraph.graph, Indent(lines_[next_]));
    Node& node = Add(graph, name, NodeOp::kGetAttr, name);
    node.arguments.push_back({"", GraphRef{static_cast<int32_t>(graph.subgraphs.size())}});
    graph.subgraphs.push_back(std::move(subgraph));
  }

  const std::vector<std::string_view> lines_;
  size_t next_ = 0;
  std::vector<InputValue>* inputs_ = nullptr;
};

}  // namespace

int32_t WrittenGraph::IndexOf(std::string_view node) const {
  const Node* found = graph.FindNode(node);
  if (!found) FailAt(node);
  return static_cast<int32_t>(found - graph.nodes.data());
}

WrittenGraph ReadWrittenGraph(std::string_view text) { return Reader(text).Read(); }

std::string ShortText(const Value& value) {
  constexpr std::string_view kOnCpu = " on cpu";
  std::string text = ToString(value);
  for (size_t at; (at = text.find(kOnCpu)) != std::string::npos;) text.erase(at, kOnCpu.size());
  return text;
}

}  // namespace fakeprop::testing
