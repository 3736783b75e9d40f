#include "lib/value_ranges/testing/analyzed_graph.h"

#include "lib/interpreter/run_graph.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop::testing {
namespace {

// TorchScript gives all arguments by position.
void MakeTorchScript(Graph& graph) {
  graph.kind = kTorchScriptKind;
  for (Node& node : graph.nodes)
    for (Argument& argument : node.arguments) argument.name = {};
}

}  // namespace

AnalyzedGraph::AnalyzedGraph(std::string_view text, const std::vector<ValueBounds>& values)
    : written(ReadWrittenGraph(text)), env(std::make_shared<ShapeEnv>()) {
  const Sym t = env->NewSymbol("t", {2, Range::kNoHigh}, 77, "x.size(0)");
  const Sym n = env->NewSymbol("n", {0, Range::kNoHigh}, 55, "x.size(1)");
  for (InputValue& input : written.inputs) {
    for (Dim& size : input.meta.sizes)
      if (size.TryNumber() == 77 || size.TryNumber() == 55) size = Dim::Of(size.TryNumber() == 77 ? t : n);
    input.meta.strides = ContiguousStrides(input.meta.size_span());
  }
  for (size_t i = 0; i < values.size(); ++i) written.inputs[i].values = values[i];
  RunOptions options;
  options.shape_env = env;
  options.keep_going = true;
  options.on_unbacked = TeachNumbersFromData(written.graph, written.inputs);
  options.keeps_calls = true;
  if (text.find("= torch.") != text.npos) written.graph.kind = kFxKind;
  if (text.find("prim::") != text.npos) MakeTorchScript(written.graph);
  annotations = RunGraph(written.graph, written.inputs, options);
  analysis = AnalyzeValues(written.graph, written.inputs, annotations);
}

}  // namespace fakeprop::testing
