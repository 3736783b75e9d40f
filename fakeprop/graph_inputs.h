// The inputs of a graph: as the file recorded them, or as an input spec says.
//
//   const auto inputs = fakeprop::ResolveInputs(*graph, sink, {.spec = R"(
//       {"format": "fakeprop.inputs/1", "inputs": {"x": {"shape": ["batch", 3, 224, 224]}},
//        "symbols": {"batch": {"min": 1, "max": 64, "hint": 8}}})"});
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "fakeprop/diagnostic.h"
#include "fakeprop/loaded_graph.h"
#include "fakeprop/shape_symbols.h"

namespace fakeprop {

struct InputOptions {
  // The text of an input spec (fakeprop.inputs/1, docs/formats.md). Empty: the inputs are as the file recorded them.
  std::string spec = {};
  // The name of the spec in diagnostics.
  std::string spec_name = "the input spec";
  // If false, symbols become their hints, and a size that depends on data is an error of its node.
  bool symbolic = true;
  // Hints that replace those of the file and the spec. They must lie in the ranges of their symbols.
  SymbolNumbers hints = {};
  // The environment for the symbols, from NewShapeEnv(). To run the graph on tensors of a FakeTensorMode, pass the
  // mode's. Null: a new one.
  std::shared_ptr<ShapeEnv> shape_env = nullptr;
};

namespace api {
struct InputState;
}  // namespace api

// The inputs of one graph, before a run: a handle.
class Inputs {
 public:
  // The symbols of the inputs' sizes.
  const std::shared_ptr<ShapeEnv>& shape_env() const;

 private:
  friend struct api::Access;
  explicit Inputs(std::shared_ptr<const api::InputState> state) : state_(std::move(state)) {}

  std::shared_ptr<const api::InputState> state_;
};

// Finds the inputs of a graph. If the spec is malformed or does not fit the graph, or if an input has no size, adds
// diagnostics and returns nothing.
std::optional<Inputs> ResolveInputs(const LoadedGraph& graph, DiagnosticSink& sink, const InputOptions& options = {});

}  // namespace fakeprop
