// What the Python package calls beside fakeprop/c_api.h: functions on Python's objects, which need Python's lock.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "lib/api/c_handles.h"
#include "lib/api/fx_objects.h"
#include "lib/api/handles.h"
#include "lib/archive/read_codes.h"
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

}  // namespace
}  // namespace fakeprop

// Reads a graph of torch.fx (fx_objects.h). Returns NULL where a call of Python failed, whose exception is then set, or
// as fakeprop_read_graph does.
extern "C" fakeprop_graph* fakeprop_read_fx(const fakeprop::FxObjects* objects, const char* name, char** said) {
  return fakeprop::Say(said, [&](fakeprop::DiagnosticSink& sink) -> fakeprop_graph* {
    std::optional<fakeprop::Graph> graph = fakeprop::ReadObjects(*objects, name, sink);
    if (!graph) return nullptr;
    auto state = std::make_shared<fakeprop::api::GraphState>();
    state->graph = std::move(*graph);
    return new fakeprop_graph{fakeprop::api::Access::Make<fakeprop::LoadedGraph>(std::move(state))};
  });
}
