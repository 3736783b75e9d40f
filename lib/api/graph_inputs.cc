#include "fakeprop/graph_inputs.h"

#include "lib/api/handles.h"
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

}  // namespace

const std::shared_ptr<ShapeEnv>& Inputs::shape_env() const { return state_->shape_env; }

std::optional<Inputs> ResolveInputs(const LoadedGraph& graph, DiagnosticSink& sink, const InputOptions& options) {
  const std::shared_ptr<const GraphState>& of = api::Access::StateOf(graph);
  const bool has_own = !options.symbolic || !options.shape_env;
  auto state = std::make_shared<InputState>(InputState{of, has_own ? NewShapeEnv() : options.shape_env, {}});
  api::KeepWith(state->shape_env, of);
  const std::string spec_name = options.spec.empty() ? std::string() : options.spec_name;
  DiagnosticSink found;  // earlier errors in the caller's sink are not of these inputs
  auto values = ResolveInputs(of->graph, options.spec, spec_name, found, state->shape_env.get(), options.hints);
  for (const Diagnostic& diagnostic : found.diagnostics()) sink.Add(diagnostic);
  if (!values) return std::nullopt;
  state->values = std::move(*values);
  if (of->device) MoveTo(*of->device, state->values);  // a spec can name devices as well
  if (!options.symbolic) Specialize(*state);
  return api::Access::Make<Inputs>(std::move(state));
}

}  // namespace fakeprop
