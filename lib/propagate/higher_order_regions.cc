// Graphs that run as they are, under another state of the walk or none. Source: torch/_higher_order_ops/wrap.py (2.13).
#include "lib/propagate/higher_order_tables.h"

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
  WalkState::Autocast& autocast = *device == "cpu" ? call.state().cpu_autocast : call.state().cuda_autocast;
  autocast.enabled = *enabled;
  if (const auto* dtype = call.Positional()[1].TryGet<ScalarType>()) autocast.dtype = *dtype;
  return call.Run(call.GraphAt(4), call.From(5));
}

constexpr HigherOrderRow kRows[] = {
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
