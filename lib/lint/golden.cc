#include "lib/lint/golden.h"

#include <set>

#include "lib/annotations/annotations_json.h"
#include "lib/annotations/subgraphs.h"
#include "lib/diag/code_table.h"
#include "lib/json/document_kind.h"
#include "lib/json/json_parse.h"
#include "lib/lint/json_compare.h"
#include "lib/meta/device_name.h"
#include "lib/meta/dtype.h"

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

// Finds where two runs disagree about which values share storage. A pair of storages may meet at several nodes; it is
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
  GoldenReference(const Graph& graph, const GoldenFile::Nodes& nodes) : graph_(graph), nodes_(nodes) {}

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

  std::optional<InputValue> AsInput(const Node& node) const override {
    const std::optional<JsonValue> value = ValueOf(node.name);
    if (!value || !IsTensor(*value)) return std::nullopt;
    InputValue input;
    input.is_tensor = true;
    if (!ReadDims(value->Get("shape"), input.meta.sizes) || !ReadDims(value->Get("stride"), input.meta.strides))
      return std::nullopt;
    const JsonValue offset = value->Get("storage_offset");
    const auto dtype = DtypeFromName(value->Get("dtype").AsString());
    const auto device = DeviceFromName(std::string(value->Get("device").AsString()));
    if (offset.kind() != JsonKind::kInteger || !dtype || !device) return std::nullopt;
    input.meta.storage_offset = offset.AsInt();
    input.meta.dtype = *dtype;
    input.meta.device = *device;
    return input;
  }

 private:
  static bool ReadDims(JsonValue json, Dims& dims) {
    for (JsonValue dim : json.AsArray()) {
      if (dim.kind() != JsonKind::kInteger) return false;
      dims.push_back(dim.AsInt());
    }
    return true;
  }

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

Finding GoldenFile::MissingNode(
    const LintRun& run, const std::string& path, const Nodes& nodes, const std::string& node) const {
  Finding finding;
  finding.subgraph = path;
  finding.diagnostic = {.code = kGoldenDiffers,
      .message = "node `" + node + "` is gone: " + run.graph.source + " has none of that name",
      .file = name_,
      .place = nodes.by_name.at(node).Pointer(),
      .node = node};
  return finding;
}

std::vector<Finding> GoldenFile::Compare(const LintRun& run) const {
  std::vector<Finding> findings;
  AliasFinder aliases(*this, run.annotations);
  const Nodes none;
  for (const GraphAnnotations& annotations : run.annotations.graphs) {
    if (!annotations.call.empty()) continue;  // only first runs of subgraphs are compared
    auto it = graphs_.find(annotations.path);
    const Nodes& nodes = it == graphs_.end() ? none : it->second;
    GoldenReference reference(GraphAt(run.graph, annotations.path), nodes);
    reference.FindAliasing(annotations, aliases);
    for (size_t i = 0; i < annotations.nodes.size(); ++i) {
      const std::string& name = annotations.nodes[i].node->name;
      if (!nodes.by_name.contains(name))
        findings.push_back(FindingAt(run, annotations, static_cast<int32_t>(i), kGoldenDiffers,
            "node `" + name + "` is new: " + name_ + " has none of that name"));
    }
    for (Finding& finding : CompareGraph(run, annotations, reference, {kGoldenDiffers, "was"}))
      findings.push_back(std::move(finding));
  }
  for (const auto& [path, nodes] : graphs_) {
    const Graph* graph = TryGraphAt(run.graph, path);
    std::set<std::string_view> names;
    if (graph)
      for (const Node& node : graph->nodes) names.insert(node.name);
    for (const std::string& name : nodes.order)
      if (!names.contains(name)) findings.push_back(MissingNode(run, path, nodes, name));
  }
  return findings;
}

}  // namespace fakeprop
