// torch.export's JSON as a whole: version, signature, graph.
#include "lib/archive/read_codes.h"
#include "lib/error/error.h"
#include "lib/json/json_parse.h"
#include "lib/readers/argument_names.h"
#include "lib/readers/export_graph.h"
#include "lib/readers/export_signature.h"
#include "lib/readers/export_values.h"
#include "lib/readers/fx_json.h"
#include "lib/readers/how_to_save.h"
#include "lib/readers/read_graph.h"

namespace fakeprop {
namespace {

// 5 is torch 2.4's, 8 that of 2.6 and newer. What the later ones changed, the fields of a file tell.
constexpr int64_t kOldestSchema = 5, kNewestSchema = 8;

// A JSON document that is something else.
struct OtherFormat : JsonError {
  using JsonError::JsonError;
};
struct OtherVersion : JsonError {
  using JsonError::JsonError;
};

std::string DescribeFormat(std::string_view format) {
  if (format.starts_with("fakeprop.inputs/")) return "this is an input spec, not a graph: give it with `--inputs`";
  if (format.starts_with("fakeprop.annotations/")) return "these are annotations, which fakeprop writes, not a graph";
  return "expected the JSON of torch.export but the format is " + Quote(format);
}

void CheckFormat(JsonValue root) {
  if (root.kind() != JsonKind::kObject)
    throw OtherFormat(
        "", "expected the JSON of torch.export but found " + root.Describe(), std::string(kHowToSaveGraph));
  if (auto format = root.Find("format"); format && format->kind() == JsonKind::kString)
    throw OtherFormat("/format", DescribeFormat(format->AsString()),
        format->AsString().starts_with("fakeprop.annotations/")
            ? "`fakeprop refine`, `fakeprop diff` and `fakeprop lint --golden` read annotations"
            : "");
  for (std::string_view field : {"graph_module", "schema_version"})
    if (!root.Find(field))
      throw OtherFormat("", "this JSON is no graph of torch.export: it has no `" + std::string(field) + "`",
          std::string(kHowToSaveGraph));
}

void CheckVersion(JsonValue version) {
  int64_t major = version.Get("major").AsInt();
  int64_t minor = version.Get("minor").AsInt();
  if (major < kOldestSchema || major > kNewestSchema)
    throw OtherVersion(version.Pointer(),
        "the file has schema version " + std::to_string(major) + "." + std::to_string(minor) + ", supported are " +
            std::to_string(kOldestSchema) + " to " + std::to_string(kNewestSchema) + " with any minor version");
}

// The tensors that a subclass of tensors holds inside of a parameter (torchao's quantized weights) are inputs without
// placeholders: only what is recorded of the node that takes one out describes it.
void AddInnerTensors(Graph& graph) {
  for (Node& node : graph.nodes) {
    if (node.target != "torch.ops.export.access_subclass_inner_tensor.default") continue;
    const auto recorded = graph.recorded.find(node.name);
    if (recorded == graph.recorded.end()) continue;
    if (const auto* tensor = std::get_if<RecordedTensor>(&recorded->second)) {
      node.member = static_cast<int32_t>(graph.attributes.size());
      graph.attributes.push_back({.name = node.name, .tensor = *tensor});
    }
  }
}

Graph BuildGraph(const JsonTree& tree, const std::string& source) {
  JsonValue root = tree.root();
  CheckFormat(root);
  CheckVersion(root.Get("schema_version"));
  JsonValue module = root.Get("graph_module");
  JsonValue signature = module.Get("signature");
  JsonValue json = module.Get("graph");
  ExportContext context{source, tree.text(), ReadInputNames(signature)};
  Graph graph = ExportGraphBuilder(context, json).Build();
  AddInnerTensors(graph);
  ReadInputs(signature, json.Get("inputs"), graph);
  NameNestedInputs(module, graph);
  CheckOutputs(signature, graph);
  if (auto ranges = root.Find("range_constraints")) graph.ranges = ReadRanges(*ranges);
  graph.torch = ReadTorch(root).value_or(kOldestTorch);  // files before torch 2.5 have none
  graph.build = ReadBuild(root);
  if (auto guards = root.Find("guards_code"))
    for (JsonValue guard : guards->AsArray()) graph.guards.emplace_back(guard.AsString());
  return graph;
}

}  // namespace

std::optional<Graph> ReadExportJson(std::string text, const std::string& source, DiagnosticSink& sink) {
  auto fail = [&](Code code, const JsonError& error) {
    Diagnostic diagnostic{.code = code, .message = error.message, .file = source, .place = error.place};
    if (!error.note.empty()) diagnostic.notes.push_back(error.note);
    sink.Add(std::move(diagnostic));
    return std::nullopt;
  };
  std::optional<JsonTree> tree;
  try {
    tree = ParsePythonJson(text);
    text = {};  // the tree has its own copy of what it needs
  } catch (const JsonError& error) {
    return fail(kMalformedJson, error);
  }
  if (IsFxJson(*tree)) return ReadFxJson(*tree, source, sink);
  try {
    return BuildGraph(*tree, source);
  } catch (const OtherFormat& error) {
    return fail(kUnknownFormat, error);
  } catch (const OtherVersion& error) {
    return fail(kUnsupportedVersion, error);
  } catch (const InconsistentGraph& error) {
    return fail(kInconsistentGraph, error);
  } catch (const JsonError& error) {
    return fail(kMalformedGraph, error);
  } catch (const OpError& error) {  // an integer that no Dim holds
    return fail(kMalformedGraph, JsonError{"", error.message()});
  }
}

}  // namespace fakeprop
