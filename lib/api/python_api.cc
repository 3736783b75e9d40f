// What the Python package calls beside fakeprop/c_api.h: functions on Python's objects, which need Python's lock.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "fakeprop/propagate.h"
#include "lib/api/c_handles.h"
#include "lib/api/fx_inputs.h"
#include "lib/api/fx_objects.h"
#include "lib/api/handles.h"
#include "lib/api/inputs_from_tree.h"
#include "lib/archive/read_codes.h"
#include "lib/inputs/input_codes.h"
#include "lib/readers/fx_json.h"

namespace fakeprop {
namespace {

std::optional<Graph> ReadObjects(const FxObjects& objects, const std::string& name, DiagnosticSink& sink) {
  try {
    return ReadFxJson(ReadFxObjects(objects), name, sink);
  } catch (const JsonError& error) {
    sink.Add({.code = kMalformedGraph, .message = error.message, .file = name, .place = error.place});
  } catch (const PythonError&) {
    // The caller finds it.
  }
  return std::nullopt;
}

std::optional<Inputs> ReadInputs(const LoadedGraph& graph, const FxInputs& inputs, DiagnosticSink& sink) {
  try {
    return api::ResolveInputs(graph, ReadFxInputs(inputs), sink);
  } catch (const JsonError& error) {
    sink.Add({.code = kMalformedSpec, .message = error.message, .file = "the inputs", .place = error.place});
  } catch (const PythonError&) {
    // The caller finds it.
  }
  return std::nullopt;
}

}  // namespace
}  // namespace fakeprop

// Reads a graph of torch.fx (fx_objects.h). Returns NULL where a call of Python failed, whose exception is then set, or
// as fakeprop_read_graph does.
extern "C" [[gnu::visibility("default")]] fakeprop_graph* fakeprop_read_fx(
    const fakeprop::FxObjects* objects, const char* name, char** said) {
  return fakeprop::Say(said, [&](fakeprop::DiagnosticSink& sink) -> fakeprop_graph* {
    std::optional<fakeprop::Graph> graph = fakeprop::ReadObjects(*objects, name, sink);
    if (!graph) return nullptr;
    auto state = std::make_shared<fakeprop::api::GraphState>();
    state->graph = std::move(*graph);
    return new fakeprop_graph{fakeprop::api::Access::Make<fakeprop::LoadedGraph>(std::move(state))};
  });
}

// Propagates on values in this process (fx_inputs.h), past nodes with errors. Returns NULL as fakeprop_read_fx does.
extern "C" [[gnu::visibility("default")]] fakeprop_annotations* fakeprop_annotate_fx(
    const fakeprop_graph* graph, const fakeprop::FxInputs* inputs, int no_grad, char** said) {
  return fakeprop::Say(said, [&](fakeprop::DiagnosticSink& sink) -> fakeprop_annotations* {
    const std::optional<fakeprop::Inputs> resolved = fakeprop::ReadInputs(graph->graph, *inputs, sink);
    if (!resolved) return nullptr;
    fakeprop::PropagateOptions run{.keep_going = true, .use_libtorch = false};
    if (no_grad) run.grad_enabled = false;
    return fakeprop::KeepForC(fakeprop::Propagate(graph->graph, *resolved, run), sink);
  });
}
