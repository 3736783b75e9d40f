#include "lib/diff/diff_side.h"

#include "lib/annotations/subgraphs.h"
#include "lib/diag/python_trace.h"
#include "lib/json/document_kind.h"
#include "lib/refine/refine_codes.h"

namespace fakeprop {
namespace {

constexpr std::string_view kSource = "annotations are what `fakeprop GRAPH -o FILE` writes";

// Checks the fields of a value that a comparison reads.
void CheckAnnotatedValue(JsonValue value) {
  if (value.kind() == JsonKind::kArray)
    for (JsonValue item : value) CheckAnnotatedValue(item);
  if (value.kind() != JsonKind::kObject) return;
  const std::string_view type = value.Get("type").AsString();
  if (type == "graph") value.Get("name").AsString();
  if (type == "symint" || type == "symfloat" || type == "symbool") value.Get("expr").AsString();
  if (type != "tensor") return;
  value.Get("shape").AsArray();
  value.Get("stride").AsArray();
  value.Get("dtype").AsString();
  value.Get("device").AsString();
  value.Get("storage").AsInt();
}

// Reads the parts of annotations. Throws JsonError.
class SideReader {
 public:
  explicit SideReader(DiffSide& side) : side_(side) {}

  void Read() {
    const JsonValue root = side_.root();
    for (JsonValue storage : root.Get("storages").AsArray()) side_.storages.emplace(storage.Get("id").AsInt(), storage);
    for (JsonValue symbol : root.Get("symbols").AsObject()) symbol.AsObject();
    for (JsonValue guard : root.Get("guards").AsArray()) guard.Get("expr").AsString();
    ReadNodes(root, "", "");
    const std::optional<JsonValue> subgraphs = root.Find("subgraphs");
    if (!subgraphs) return;
    for (JsonValue graph : subgraphs->AsObject()) ReadSubgraph(graph, std::string(graph.key()));
  }

 private:
  void ReadSubgraph(JsonValue graph, const std::string& path) {
    ReadNodes(graph, path, "");
    const std::optional<JsonValue> calls = graph.Find("calls");
    if (!calls) return;
    for (JsonValue call : calls->AsObject()) ReadNodes(call, path, std::string(call.key()));
  }

  void ReadNodes(JsonValue graph, const std::string& path, const std::string& call) {
    DiffGraph read{path, call, {}};
    for (JsonValue node : graph.Get("nodes").AsArray()) read.nodes.push_back(ReadNode(node));
    side_.graphs.push_back(std::move(read));
  }

  DiffNode ReadNode(JsonValue entry) {
    DiffNode node{.name = entry.Get("name").AsString(),
        .op = entry.Get("op").AsString(),
        .target = entry.Get("target").AsString(),
        .entry = entry};
    if (const std::optional<JsonValue> error = entry.Find("error")) {
      node.outcome = "error " + std::string(error->Get("class").AsString());
      side_.has_errors = true;
    } else if (entry.Find("skipped")) {
      node.outcome = "skipped";
    } else {
      node.value = entry.Get("meta").Get("val");
      CheckAnnotatedValue(*node.value);
    }
    return node;
  }

  DiffSide& side_;
};

std::vector<int32_t> NodesReadBy(const Node& node) {
  std::vector<int32_t> inputs;
  for (const Argument& argument : node.arguments)
    ForEachNode(argument.value, [&](NodeRef ref) { inputs.push_back(ref.index); });
  return inputs;
}

std::optional<PythonFrame> LineOf(const Node& node) {
  const std::vector<PythonFrame> frames = ParseStackTrace(node.stack_trace, node.nn_module_stack);
  const PythonFrame* line = HeadlineFrame(frames);
  return line ? std::optional(*line) : std::nullopt;
}

}  // namespace

std::optional<DiffSide> ReadDiffSide(std::string_view annotations, const std::string& name, DiagnosticSink& sink) {
  DiffSide side;
  side.name = name;
  try {
    side.tree = std::make_shared<const JsonTree>(
        ParseDocument(annotations, {"annotations", "fakeprop.annotations/1", kSource}));
    SideReader(side).Read();
  } catch (const JsonError& e) {
    sink.Add({.code = kMalformedAnnotations,
        .message = e.message,
        .file = name,
        .place = e.place,
        .notes = {e.note.empty() ? std::string(kSource) : e.note}});
    return std::nullopt;
  }
  return side;
}

void AddGraphFacts(const Graph& graph, DiffSide& side) {
  side.has_graph = true;
  for (DiffGraph& annotated : side.graphs) {
    const Graph* of = TryGraphAt(graph, annotated.path);
    if (!of || of->nodes.size() != annotated.nodes.size()) continue;
    for (size_t i = 0; i < of->nodes.size(); ++i) {
      annotated.nodes[i].module = InnermostModule(of->nodes[i].nn_module_stack);
      annotated.nodes[i].line = LineOf(of->nodes[i]);
      annotated.nodes[i].place = of->nodes[i].Place();
      annotated.nodes[i].inputs = NodesReadBy(of->nodes[i]);
    }
  }
}

}  // namespace fakeprop
