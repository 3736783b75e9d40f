// Graphs that run as they are, under another state of the interpreter or none. Source: torch/_higher_order_ops/wrap.py,
// base_hop.py, strict_mode.py, hints_wrap.py, run_const_graph.py, local_map.py (torch 2.13).
#include "lib/higher_order/higher_order_autograd.h"
#include "lib/higher_order/higher_order_tables.h"

namespace fakeprop {
namespace {

// wrap_with_set_grad_enabled(enabled, graph, *args)
Value RunGradRegion(HigherOrderCall& call) {
  const bool* enabled = call.TryBool(0);
  if (!enabled) Fail(ErrorClass::kTypeError, "wrap_with_set_grad_enabled takes a bool first");
  const StateGuard guard(call.state());
  call.state().grad_enabled = *enabled;
  return call.Run(call.GraphAt(1), call.From(2));
}

// wrap_with_autocast(device_type, dtype, enabled, cache_enabled, graph, *args)
Value RunAutocastRegion(HigherOrderCall& call) {
  const auto* device = call.size() ? call.Positional()[0].TryGet<std::string>() : nullptr;
  const bool* enabled = call.TryBool(2);
  if (!device || !enabled)
    Fail(ErrorClass::kTypeError, "wrap_with_autocast takes a device type, a dtype and whether it is enabled");
  if (*device != "cpu" && *device != "cuda")
    Fail(ErrorClass::kUnsupportedOperator, "autocast regions for the device type `" + *device + "` are not known here");
  const StateGuard guard(call.state());
  ExecutionState::Autocast& autocast = *device == "cpu" ? call.state().cpu_autocast : call.state().cuda_autocast;
  autocast.enabled = *enabled;
  if (const auto* dtype = call.Positional()[1].TryGet<ScalarType>()) autocast.dtype = *dtype;
  return call.Run(call.GraphAt(4), call.From(5));
}

// wrap(graph, *args), and what recomputes the graph in backward; keywords are the checkpoint's own.
Value RunGraph(HigherOrderCall& call) { return call.Run(call.GraphAt(0), call.From(1)); }

// control_deps(deps, graph, *args): what only orders calls.
Value RunAfterDependencies(HigherOrderCall& call) { return call.Run(call.GraphAt(1), call.From(2)); }

// invoke_quant(graph, *args, scheme=..) and its kin: BaseHOP.
Value RunBaseHop(HigherOrderCall& call) {
  return RunWithAutograd(call, Autograd::kFunction, call.GraphAt(0), call.From(1));
}

// strict_mode(graph, operands), hints_wrapper(graph, operands, {}, hints=..), run_const_graph(graph, weights)
Value RunOnOperands(HigherOrderCall& call) {
  const Subgraph& graph = call.GraphAt(0);
  return RunWithAutograd(call, Autograd::kNotImplemented, graph, call.ItemsAt(1, "the operands"));
}

// aoti_call_delegate(lowered_module, original_graph, weights, inputs); the file of an export has no graph there.
Value RunLoweredGraph(HigherOrderCall& call) {
  if (!call.At(1, "the graph that was lowered").Is<GraphRef>())
    Fail(ErrorClass::kUnsupportedOperator,
        "aoti_call_delegate cannot be run on metadata: it calls a program that AOTInductor "
        "compiled, and the file does not have its graph");
  std::vector<Value> arguments = call.ItemsAt(2, "the weights");
  for (Value& input : call.ItemsAt(3, "the inputs")) arguments.push_back(std::move(input));
  return call.Run(call.GraphAt(1), arguments);
}

// flex_gemm(operator, graph, operands, {}, options): the graph calls the operator. Source: flex_gemm.py (torch 2.15).
Value RunFlexGemm(HigherOrderCall& call) {
  return RunWithAutograd(call, Autograd::kFunction, call.GraphAt(1), call.ItemsAt(2, "the operands"));
}

bool Lists(const Value* indices, int64_t index) {
  const List* list = indices ? indices->TryList() : nullptr;
  if (!list) return false;
  for (const Value& item : list->items)
    if (const Dim* dim = item.TryGet<Dim>(); dim && Known(Eq(*dim, index))) return true;
  return false;
}

// autograd_function_apply(forward, backward, *args, non_differentiable_idx=..): the forward graph returns its outputs
// and what it saves. Source: AutogradFunctionApply in torch/_functorch/autograd_function.py.
Value ApplyFunction(HigherOrderCall& call) {
  AutogradRegion region(call, Autograd::kFunction, call.From(2));
  Value result = call.Run(call.GraphAt(0), call.From(2));
  const List* both = result.TryList();
  if (!both || both->items.empty())
    Fail(ErrorClass::kTypeError,
        "the forward graph of autograd_function_apply has to return its outputs and what it saves");
  Value output = both->items[0];
  const Value* fixed = call.Keyword("non_differentiable_idx");
  List* outputs = output.TryGet<List>();
  if (!outputs) return Lists(fixed, 0) ? output : region.Finish(std::move(output));
  for (size_t i = 0; i < outputs->items.size(); ++i)
    if (!Lists(fixed, static_cast<int64_t>(i))) outputs->items[i] = region.Finish(std::move(outputs->items[i]));
  return output;
}

constexpr HigherOrderRow kRows[] = {
    {"aoti_call_delegate", RunLoweredGraph},
    {"autograd_function_apply", ApplyFunction},
    {"control_deps", RunAfterDependencies},
    {"flex_gemm", RunFlexGemm},
    {"foreach_map", RunBaseHop},
    {"hints_wrapper", RunOnOperands},
    {"invoke_quant", RunBaseHop},
    {"invoke_quant_packed", RunBaseHop},
    {"local_map_hop", RunGraph},
    {"run_const_graph", RunOnOperands},
    {"strict_mode", RunOnOperands},
    {"tag_activation_checkpoint", RunGraph},
    {"wrap", RunGraph},
    {"wrap_activation_checkpoint", RunGraph},
    {"wrap_with_autocast", RunAutocastRegion},
    {"wrap_with_set_grad_enabled", RunGradRegion},
};

}  // namespace

std::span<const HigherOrderRow> RegionRows() { return kRows; }

Value CallModuleGraph(HigherOrderCall& call) {
  for (const Subgraph& subgraph : call.graph().subgraphs)
    if (subgraph.name == call.node().target) return call.Run(subgraph, call.Positional());
  Fail(ErrorClass::kUnsupportedOperator, "the graph `" + call.node().target + "` is not in the file");
}

}  // namespace fakeprop
