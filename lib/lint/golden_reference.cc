#include "lib/lint/golden_reference.h"

#include <algorithm>
#include <set>

#include "lib/annotations/annotations_json.h"
#include "lib/annotations/subgraphs.h"
#include "lib/annotations/summary.h"
#include "lib/diag/code_table.h"
#include "lib/json/document_kind.h"
#include "lib/json/json_parse.h"
#include "lib/lint/annotated_values.h"
#include "lib/lint/json_compare.h"

namespace fakeprop {

bool IsAnnotations(std::string_view text) {
  try {
    return DocumentKind(ParseJson(text).root()) == "annotations";
  } catch (const JsonError&) {
    return false;
  }
}

// Reads the parts of the file. Throws JsonError.
class GoldenReader {
 public:
  explicit GoldenReader(GoldenFile& file) : file_(file) {}

  void Read() {
    const JsonValue root = file_.tree_->root();
    if (const std::optional<JsonValue> graph = root.Find("graph"); graph && graph->kind() == JsonKind::kObject)
      if (const std::optional<JsonValue> source = graph->Find("source"); source && source->kind() == JsonKind::kString)
        file_.source_ = ", " + std::string(source->AsString());
    for (JsonValue storage : root.Get("storages").AsArray())
      file_.storages_.emplace(storage.Get("id").AsInt(), storage);
    ReadNodes(root, "");
    if (const std::optional<JsonValue> subgraphs = root.Find("subgraphs"))
      for (JsonValue graph : subgraphs->AsObject()) ReadNodes(graph, std::string(graph.key()));
  }

 private:
  void ReadNodes(JsonValue graph, const std::string& path) {
    GoldenFile::Nodes& nodes = file_.graphs_[path];
    for (JsonValue node : graph.Get("nodes").AsArray()) {
      std::string name(node.Get("name").AsString());
      node.Get("target").AsString();
      if (const std::optional<JsonValue> error = node.Find("error")) error->Get("class").AsString();
      else if (!node.Find("skipped")) CheckValue(node.Get("meta").Get("val"));
      nodes.by_name.emplace(name, node);
      nodes.order.push_back(std::move(name));
    }
  }

  // Checks the fields that the comparison reads.
  static void CheckValue(JsonValue value) {
    if (value.kind() == JsonKind::kArray)
      for (JsonValue item : value) CheckValue(item);
    if (!IsTensor(value)) return;
    value.Get("shape").AsArray();
    value.Get("stride").AsArray();
    value.Get("storage_offset");
    value.Get("dtype").AsString();
    value.Get("device").AsString();
    value.Get("storage").AsInt();
  }

  GoldenFile& file_;
};

// Finds values that share storage in one run but not in the other. A pair of storages may meet at several nodes; it is
// reported once.
class AliasFinder {
 public:
  explicit AliasFinder(const GoldenFile& golden, const Annotations& annotations)
      : golden_(golden), annotations_(annotations) {}

  std::optional<FieldDifference> Compare(JsonValue want, JsonValue got, const std::string& node) {
    const int64_t a = want.Get("storage").AsInt(), b = got.Get("storage").AsInt();
    const std::string theirs = theirs_.emplace(a, node).first->second, ours = ours_.emplace(b, node).first->second;
    const bool is_new_pair = met_.emplace(a, b).second;
    const bool both_new = theirs == node && ours == node;
    if (!is_new_pair) return std::nullopt;
    if (!both_new) return FieldDifference{"storage", OwnerText(theirs, node), OwnerText(ours, node)};
    // A tensor that differs has another storage too. Only the tensor is reported.
    return CompareValues(want, got).empty() ? CompareStorages(a, b) : std::nullopt;
  }

 private:
  static std::string OwnerText(const std::string& owner, const std::string& node) {
    return owner == node ? "one of its own" : "that of " + owner;
  }

  std::optional<FieldDifference> CompareStorages(int64_t want, int64_t got) const {
    auto it = golden_.storages_.find(want);
    if (it == golden_.storages_.end() || got < 0 || got >= static_cast<int64_t>(annotations_.storages.size()))
      return std::nullopt;
    const std::optional<JsonValue> nbytes = it->second.Find("nbytes");
    const std::string found = annotations_.storages[got]->nbytes.ToString();
    if (!nbytes || JsonText(*nbytes) == found) return std::nullopt;
    return FieldDifference{"storage nbytes", JsonText(*nbytes), found};
  }

  const GoldenFile& golden_;
  const Annotations& annotations_;
  std::map<int64_t, std::string> theirs_, ours_;  // for each storage the node that returned it first
  std::set<std::pair<int64_t, int64_t>> met_;
};

// One graph of the file.
class GoldenReference : public Reference {
 public:
  GoldenReference(const Graph& graph, const GoldenFile::Nodes& nodes, std::shared_ptr<ShapeEnv> shape_env)
      : graph_(graph), nodes_(nodes), shape_env_(std::move(shape_env)) {}

  void FindAliasing(const GraphAnnotations& annotations, AliasFinder& finder) {
    for (const NodeAnnotation& annotation : annotations.nodes) {
      const std::optional<JsonValue> want = ValueOf(annotation.node->name);
      if (!want || annotation.kind != NodeAnnotation::Kind::kValue) continue;
      const JsonTree found = Written(annotation.value);
      VisitTensorPairs(*want, found.root(), [&](JsonValue a, JsonValue b) {
        if (auto difference = finder.Compare(a, b, annotation.node->name))
          aliasing_[annotation.node->name].push_back(*difference);
      });
    }
  }

  std::vector<FieldDifference> Compare(const Node& node, const Value& found) const override {
    auto it = nodes_.by_name.find(node.name);
    if (it == nodes_.by_name.end()) return {};
    const JsonValue entry = it->second;
    if (entry.Find("skipped")) return {};
    std::vector<FieldDifference> fields;
    if (entry.Get("target").AsString() != node.target)
      fields.push_back({"target", std::string(entry.Get("target").AsString()), node.target});
    if (const std::optional<JsonValue> error = entry.Find("error")) {
      fields.push_back({"value", "an error: " + JsonText(error->Get("class")), ToString(found)});
      return fields;
    }
    for (FieldDifference& difference : CompareValues(*ValueOf(node.name), Written(found).root()))
      fields.push_back(std::move(difference));
    if (auto aliasing = aliasing_.find(node.name); aliasing != aliasing_.end())
      fields.insert(fields.end(), aliasing->second.begin(), aliasing->second.end());
    return fields;
  }

  // Whether its storage is shared with the same values as before depends on more than the node.
  bool Gives(const Node& node, const Value& value) const override {
    const std::optional<JsonValue> want = ValueOf(node.name);
    return want && CompareValues(*want, Written(value).root()).empty();
  }

  std::optional<InputValue> AsInput(const Node& node) const override {
    const std::optional<JsonValue> value = ValueOf(node.name);
    return value ? ReadAnnotatedValue(*value, *shape_env_) : std::nullopt;
  }

  std::shared_ptr<ShapeEnv> shape_env() const override { return shape_env_; }

 private:
  std::optional<JsonValue> ValueOf(const std::string& name) const {
    auto it = nodes_.by_name.find(name);
    if (it == nodes_.by_name.end()) return std::nullopt;
    const std::optional<JsonValue> meta = it->second.Find("meta");
    return meta ? std::optional(meta->Get("val")) : std::nullopt;
  }

  JsonTree Written(const Value& value) const {
    JsonWriter json;
    WriteValue(graph_, value, json);
    return ParseJson(json.Take());
  }

  const Graph& graph_;
  const GoldenFile::Nodes& nodes_;
  const std::shared_ptr<ShapeEnv> shape_env_;
  std::map<std::string, std::vector<FieldDifference>> aliasing_;
};

std::optional<GoldenFile> GoldenFile::Read(std::string_view text, const std::string& name, DiagnosticSink& sink) {
  GoldenFile file;
  file.name_ = name;
  try {
    file.tree_ = std::make_shared<const JsonTree>(ParseDocument(
        text, {"annotations", "fakeprop.annotations/1", "a golden file is what `fakeprop GRAPH -o FILE` writes"}));
    GoldenReader(file).Read();
  } catch (const JsonError& e) {
    sink.Add({.code = kBadGolden,
        .message = e.message,
        .file = name,
        .place = e.place,
        .notes = {e.note.empty() ? "a golden file is what `fakeprop GRAPH -o FILE` writes" : e.note}});
    return std::nullopt;
  }
  return file;
}

namespace {

// "node `a` is new: ", "3 nodes are new, `a` first: ".
std::string NodesText(const std::vector<std::string>& names, std::string_view what) {
  if (names.size() == 1) return "node `" + names[0] + "` is " + std::string(what) + ": ";
  return Counted(names.size(), "node") + " are " + std::string(what) + ", `" + names[0] + "` first: ";
}

// How many of a kind of nodes a golden has, how many the graph, and how many both.
struct Shared {
  size_t in_golden = 0, in_graph = 0, both = 0;

  size_t Least() const { return std::min(in_golden, in_graph); }
  bool IsBelow(size_t part) const { return part * both < Least(); }
  std::string Text(std::string_view what, const std::string& graph) const {
    return std::to_string(both) + " of its " + Counted(in_golden, what) + " with " + graph + ", which has " +
           std::to_string(in_graph);
  }
};

// A layer that has another name now has other parameters too. Below this number they say nothing.
constexpr size_t kFewState = 4;

// A parameter, a buffer or a constant, by the names that torch.export gives them; or what a get_attr fetches.
bool IsState(std::string_view op, std::string_view name) {
  const bool is_named_so = name.starts_with("p_") || name.starts_with("b_") || name.starts_with("c_");
  return op == "get_attr" || (op == "placeholder" && is_named_so);
}

std::string NoneText(const std::string& file, const std::vector<std::string>& names) {
  return file + " has none of " + (names.size() == 1 ? "that name" : "their names");
}

}  // namespace

// Returns the finding about the golden's nodes that the graph does not have, if any.
std::optional<Finding> GoldenFile::MissingNodes(const LintRun& run, const std::string& path, const Nodes& nodes) const {
  const Graph* graph = TryGraphAt(run.graph, path);
  std::set<std::string_view> there;
  if (graph)
    for (const Node& node : graph->nodes) there.insert(node.name);
  std::vector<std::string> gone;
  for (const std::string& name : nodes.order)
    if (!there.contains(name)) gone.push_back(name);
  if (gone.empty()) return std::nullopt;
  Finding finding{.subgraph = path, .also_differ = {gone.begin() + 1, gone.end()}};
  finding.diagnostic = {.code = kGoldenDiffers,
      .message = NodesText(gone, "gone") + NoneText(run.graph.source, gone),
      .file = name_,
      .place = nodes.by_name.at(gone[0]).Pointer(),
      .node = gone[0]};
  return finding;
}

std::optional<Finding> GoldenFile::NewNodes(
    const LintRun& run, const GraphAnnotations& annotations, const Nodes& nodes) const {
  std::vector<std::string> names;
  int32_t first = -1;
  for (size_t i = 0; i < annotations.nodes.size(); ++i) {
    const std::string& name = annotations.nodes[i].node->name;
    if (nodes.by_name.contains(name)) continue;
    if (names.empty()) first = static_cast<int32_t>(i);
    names.push_back(name);
  }
  if (names.empty()) return std::nullopt;
  Finding finding = FindingAt(
      run, annotations, first, kGoldenDiffers, NodesText(names, "new") + NoneText(name_, names), ValuesOf(annotations));
  finding.also_differ = {names.begin() + 1, names.end()};
  return finding;
}

// A golden that shares fewer than half of its nodes with the graph is not an earlier version of it. Models of one kind
// have nodes of the same names, but not parameters.
std::optional<Finding> GoldenFile::OtherGraph(const LintRun& run) const {
  const auto it = graphs_.find("");
  if (it == graphs_.end()) return std::nullopt;
  Shared nodes{.in_golden = it->second.order.size(), .in_graph = run.graph.nodes.size()};
  Shared state;
  for (const auto& [name, entry] : it->second.by_name) {
    const std::optional<JsonValue> op = entry.Find("op");
    state.in_golden += op && op->kind() == JsonKind::kString && IsState(op->AsString(), name);
  }
  for (const Node& node : run.graph.nodes) {
    const auto entry = it->second.by_name.find(node.name);
    const bool is_shared = entry != it->second.by_name.end() && entry->second.Get("target").AsString() == node.target;
    const bool is_state = IsState(Name(node.op), node.name);
    nodes.both += is_shared;
    state.both += is_shared && is_state;
    state.in_graph += is_state;
  }
  const bool has_other_nodes = nodes.IsBelow(2), has_other_state = state.Least() >= kFewState && state.IsBelow(4);
  if (!has_other_nodes && !has_other_state) return std::nullopt;
  Finding finding;
  finding.diagnostic = {.code = kGoldenDiffers,
      .message = "this is a golden of another graph" + source_ + ": it shares " +
                 (has_other_nodes ? nodes.Text("node", run.graph.source) : state.Text("parameter", run.graph.source)),
      .file = name_};
  return finding;
}

std::vector<Finding> GoldenFile::Compare(const LintRun& run) const {
  std::vector<Finding> findings;
  const auto add = [&](std::optional<Finding> finding) {
    if (finding) findings.push_back(std::move(*finding));
  };
  add(OtherGraph(run));
  if (!findings.empty()) return findings;
  AliasFinder aliases(*this, run.annotations);
  const std::shared_ptr<ShapeEnv> shape_env = ReadAnnotatedSymbols(tree_->root());
  const Nodes none;
  for (const GraphAnnotations& annotations : run.annotations.graphs) {
    if (!annotations.call.empty()) continue;  // only first runs of subgraphs are compared
    auto it = graphs_.find(annotations.path);
    const Nodes& nodes = it == graphs_.end() ? none : it->second;
    GoldenReference reference(GraphAt(run.graph, annotations.path), nodes, shape_env);
    reference.FindAliasing(annotations, aliases);
    add(NewNodes(run, annotations, nodes));
    for (Finding& finding : CompareGraph(run, annotations, reference, {kGoldenDiffers, "was"}))
      findings.push_back(std::move(finding));
  }
  for (const auto& [path, nodes] : graphs_) add(MissingNodes(run, path, nodes));
  return findings;
}

}  // namespace fakeprop
