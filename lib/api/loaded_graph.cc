#include "fakeprop/loaded_graph.h"

#include "lib/api/handles.h"
#include "lib/base/torch_version.h"
#include "lib/diag/code_table.h"
#include "lib/graph/move_device.h"
#include "lib/libtorch_fallback/libtorch_fallback.h"
#include "lib/libtorch_fallback/open_libtorch.h"
#include "lib/meta/device_name.h"
#include "lib/python/shipped_rules.h"
#include "lib/readers/read_graph.h"

namespace fakeprop {
namespace {

using api::GraphState;

std::string_view NameOf(InputKind kind) {
  switch (kind) {
    case InputKind::kParameter: return "parameter";
    case InputKind::kBuffer: return "buffer";
    case InputKind::kTensorConstant: return "tensor_constant";
    case InputKind::kUserInput: return "user_input";
    case InputKind::kConstant: return "constant";
    case InputKind::kCustomObject: return "custom_object";
    case InputKind::kToken: return "token";
  }
  return "user_input";
}

ScriptGraph ImportScript(const ScriptSource& source) {
  std::string reason;
  if (LibTorchFallback* libtorch = OpenLibTorch(reason)) return libtorch->ImportScript(source);
  Fail(ErrorClass::kUnsupportedOperator, "LibTorch, which compiles TorchScript, could not be opened: " + reason);
}

ReaderOptions ReaderOptionsFrom(const ReadOptions& options) {
  return {{.method = options.method, .import_script = ImportScript, .add_library = AddShippedLibrary}, options.model};
}

// Nothing, and a diagnostic, if the name is not one of a device.
std::optional<Device> ReadDevice(const std::string& name, DiagnosticSink& sink) {
  const std::optional<Device> device = DeviceFromName(name);
  if (!device) sink.Add({.code = kBadUsage, .message = "`" + name + "` is not a device, such as `cpu` or `cuda:0`"});
  return device ? std::optional(WithIndex(*device)) : std::nullopt;
}

// Nothing, and a diagnostic, if its answers are not known.
std::optional<int> ReadTorch(const std::string& name, DiagnosticSink& sink) {
  const std::optional<int> torch = ReadTorchVersion(name);
  if (torch && *torch == NearestKnownTorch(*torch)) return torch;
  sink.Add({.code = kBadUsage,
      .message = "`" + name + "` is no version of torch from " + TorchVersionText(kOldestTorch) + " to " +
                 TorchVersionText(kNewestTorch)});
  return std::nullopt;
}

// `read` reads the graph, once the options are known to be good.
template <typename Read>
std::optional<LoadedGraph> Load(const ReadOptions& options, DiagnosticSink& sink, const Read& read) {
  std::optional<Device> device;
  if (!options.device.empty() && !(device = ReadDevice(options.device, sink))) return std::nullopt;
  std::optional<int> torch;
  if (!options.torch.empty() && !(torch = ReadTorch(options.torch, sink))) return std::nullopt;
  std::optional<Graph> graph = read(ReaderOptionsFrom(options));
  if (!graph) return std::nullopt;
  if (device) MoveToDevice(*graph, *device);
  if (torch) graph->torch = *torch;
  if (const std::optional<TorchBuild> build = ReadTorchBuild(options.torch)) graph->build = *build;
  auto state = std::make_shared<GraphState>();
  state->graph = std::move(*graph);
  state->device = device;
  return api::Access::Make<LoadedGraph>(std::move(state));
}

}  // namespace

const std::string& LoadedGraph::source() const { return state_->graph.source; }
const std::string& LoadedGraph::kind() const { return state_->graph.kind; }
size_t LoadedGraph::node_count() const { return state_->graph.nodes.size(); }
std::string LoadedGraph::InputSpec() const { return InputSpecTemplate(state_->graph); }

std::vector<GraphInput> LoadedGraph::inputs() const {
  std::vector<GraphInput> inputs;
  for (const Input& input : state_->graph.inputs)
    inputs.push_back({state_->graph.nodes[input.node].name, std::string(NameOf(input.kind)), input.qualified_name});
  return inputs;
}

std::optional<LoadedGraph> ReadGraph(const std::string& path, DiagnosticSink& sink, const ReadOptions& options) {
  return Load(options, sink, [&](const ReaderOptions& reader) { return ReadGraph(path, reader, sink); });
}

std::optional<LoadedGraph> ReadGraphFromMemory(
    std::string content, const std::string& source, DiagnosticSink& sink, const ReadOptions& options) {
  return Load(options, sink,
      [&](const ReaderOptions& reader) { return ReadGraphContent(std::move(content), source, reader, sink); });
}

}  // namespace fakeprop
