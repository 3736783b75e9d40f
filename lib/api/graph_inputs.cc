#include "fakeprop/graph_inputs.h"

#include "lib/api/handles.h"
#include "lib/api/inputs_from_tree.h"
#include "lib/inputs/resolve_tree.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

using api::GraphState;
using api::InputState;

// The symbols become their hints; what depends on data has no symbol either.
void Specialize(InputState& state) {
  SpecializeToHints(state.values, *state.shape_env);
  state.shape_env = NewShapeEnv();
  state.shape_env->SetMakesUnbacked(false);
}

void MoveTo(Device device, std::vector<InputValue>& values) {
  for (InputValue& value : values)
    if (value.is_tensor) value.meta.device = device;
}

// `resolve` finds the values of the inputs.
template <typename Resolve>
std::optional<Inputs> MakeInputs(
    const LoadedGraph& graph, DiagnosticSink& sink, const InputOptions& options, const Resolve& resolve) {
  const std::shared_ptr<const GraphState>& of = api::Access::StateOf(graph);
  const bool has_own = !options.symbolic || !options.shape_env;
  auto state = std::make_shared<InputState>(InputState{of, has_own ? NewShapeEnv() : options.shape_env, {}});
  api::KeepWith(state->shape_env, of);
  DiagnosticSink found;  // earlier errors in the caller's sink are not of these inputs
  auto values = resolve(of->graph, found, state->shape_env.get());
  for (const Diagnostic& diagnostic : found.diagnostics()) sink.Add(diagnostic);
  if (!values) return std::nullopt;
  state->values = std::move(*values);
  if (of->device) MoveTo(*of->device, state->values);  // a spec can name devices as well
  if (!options.symbolic) Specialize(*state);
  return api::Access::Make<Inputs>(std::move(state));
}

}  // namespace

const std::shared_ptr<ShapeEnv>& Inputs::shape_env() const { return state_->shape_env; }

std::optional<Inputs> ResolveInputs(const LoadedGraph& graph, DiagnosticSink& sink, const InputOptions& options) {
  const std::string spec_name = options.spec.empty() ? std::string() : options.spec_name;
  return MakeInputs(graph, sink, options, [&](const Graph& of, DiagnosticSink& found, ShapeEnv* env) {
    return ResolveInputs(of, options.spec, spec_name, found, env, options.hints);
  });
}

std::optional<Inputs> api::ResolveInputs(const LoadedGraph& graph, const JsonTree& spec, DiagnosticSink& sink) {
  const InputOptions options;
  return MakeInputs(graph, sink, options, [&](const Graph& of, DiagnosticSink& found, ShapeEnv* env) {
    return fakeprop::ResolveInputs(of, spec, options.spec_name, found, env);
  });
}

}  // namespace fakeprop
