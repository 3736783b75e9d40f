#include "fakeprop/propagate.h"

#include <stdexcept>

#include "lib/annotations/error_notes.h"
#include "lib/api/run_setup.h"
#include "lib/libtorch_fallback/open_libtorch.h"
#include "lib/python/op_rules.h"
#include "lib/python/shipped_rules.h"

namespace fakeprop {
namespace {

// Null if there are none for this graph.
const OpRules* RulesOf(const PropagateOptions& options, const Graph& graph) {
  if (options.op_rules) return options.op_rules.get();
  return CallsShippedOperators(graph) ? &OpRules::Shipped() : nullptr;
}

}  // namespace

namespace api {

RunSetup::RunSetup(const GraphState& graph, const PropagateOptions& options, std::shared_ptr<ShapeEnv> env)
    : graph_(graph),
      options_{.keep_going = options.keep_going,
          .grad_enabled = options.grad_enabled.value_or(graph.graph.kind != kTorchScriptKind),
          .allow_fallback_kernels = options.allow_fallback_kernels,
          .op_rules = RulesOf(options, graph.graph),
          .shape_env = std::move(env),
          .resolved = graph.resolved,
          .progress = options.progress} {
  if (options.use_libtorch)
    options_.open_libtorch = [this](std::string& reason) { return dry_run_.Before(OpenLibTorch(reason)); };
}

Annotations RunSetup::Run(const std::vector<InputValue>& inputs) {
  Annotations annotations = RunGraph(graph_.graph, inputs, options_);
  ExplainErrors(graph_.graph, inputs, annotations);
  return annotations;
}

}  // namespace api

std::shared_ptr<const OpRules> ReadOpRules(const std::string& text, const std::string& file, DiagnosticSink& sink) {
  auto rules = std::make_shared<OpRules>();
  if (!rules->Add(text, file, sink)) return nullptr;
  rules->AddShipped();
  return rules;
}

AnnotatedGraph Propagate(const LoadedGraph& graph, const Inputs& inputs, const PropagateOptions& options) {
  const std::shared_ptr<const api::GraphState>& of = api::Access::StateOf(graph);
  const std::shared_ptr<const api::InputState>& given = api::Access::StateOf(inputs);
  if (given->graph != of)
    throw std::invalid_argument("the inputs are of `" + given->graph->graph.source + "`, and the graph is another `" +
                                of->graph.source + "`; resolve the inputs of this graph");
  api::KeepWith(given->shape_env, of);
  Annotations annotations = api::RunSetup(*of, options, given->shape_env).Run(given->values);
  return api::Access::Make<AnnotatedGraph>(
      std::make_shared<const api::RunState>(api::RunState{of, std::move(annotations)}));
}

}  // namespace fakeprop
