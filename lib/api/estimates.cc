#include "fakeprop/estimates.h"

#include <stdexcept>

#include "lib/api/handles.h"
#include "lib/api/public_value.h"
#include "lib/cost/graph_cost.h"
#include "lib/cost/roofline.h"
#include "lib/error/error.h"
#include "lib/memory/largest_size.h"
#include "lib/memory/memory_json.h"
#include "lib/refine/fixed_symbols.h"
#include "lib/training/training_step.h"

namespace fakeprop {
namespace {

const api::RunState& StateOf(const AnnotatedGraph& annotated) {
  const api::RunState& run = *api::Access::StateOf(annotated);
  if (!run.annotations.diagnostics.empty())
    throw std::invalid_argument("the graph does not propagate: " + run.annotations.diagnostics[0].message);
  return run;
}

FixedSymbols Fix(const api::RunState& run, const SymbolNumbers& sizes) {
  FixedSymbols fixed(*run.annotations.shape_env);
  DiagnosticSink sink;
  if (!fixed.Fix({sizes.begin(), sizes.end()}, run.graph->graph.source, sink))
    throw std::invalid_argument(sink.diagnostics()[0].message);
  return fixed;
}

Optimizer OptimizerOf(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(Optimizer::kAdam8bit); ++i)
    if (Name(static_cast<Optimizer>(i)) == name) return static_cast<Optimizer>(i);
  throw std::invalid_argument("there is no optimiser `" + name + "`");
}

TrainingStep ModelQuestion(const api::RunState& run, const TrainingQuestion& question) {
  TrainingOptions options;
  options.optimizer = OptimizerOf(question.optimizer);
  options.master_weights = question.master_weights;
  options.accumulate = question.accumulate;
  options.checkpoint = question.checkpoint;
  TrainingStep step = ModelTraining(run.graph->graph, run.annotations, options);
  if (step.gradients == 0) throw std::invalid_argument("no parameter or input of the graph gets a gradient");
  return step;
}

// The memory of what is asked about, with its numbers.
struct HeldMemory {
  FixedSymbols fixed;
  std::vector<std::string> approximate;
  MemoryProfile profile;
};

HeldMemory Count(const AnnotatedGraph& annotated, const MemoryQuestion& question) {
  const api::RunState& run = StateOf(annotated);
  FixedSymbols fixed = Fix(run, question.sizes);
  TrainingStep step;
  if (question.training) step = ModelQuestion(run, *question.training);
  else step.timeline = FindLifetimes(run.graph->graph, run.annotations);
  PutNumbers(fixed, step.timeline);
  return {fixed, std::move(step.approximate), {std::move(step.timeline), *run.annotations.shape_env}};
}

// Numbers that leave 64 bits are the question's fault.
template <typename Ask>
auto Answer(const Ask& ask) {
  try {
    return ask();
  } catch (const OpError& error) {
    throw std::invalid_argument(error.message());
  }
}

MemoryEstimate ReadEstimate(const HeldMemory& counted) {
  const MemoryProfile& profile = counted.profile;
  const SymbolValues point = counted.fixed.Point();
  const MemoryPeak peak = profile.PeakAt(point);
  MemoryEstimate estimate;
  estimate.peak = peak.bytes;
  estimate.node = StepName(profile.timeline(), peak.step);
  for (Dim piece : profile.PeakPieces()) estimate.pieces.push_back(api::ReadSize(piece));
  estimate.curve = profile.CurveAt(point);
  estimate.approximate = counted.approximate;
  if (peak.step < 0) return estimate;
  for (const AliveBlock& alive : LargestAlive(profile, peak.step, point)) {
    const std::string category(Name(alive.block->category));
    estimate.alive.push_back({ValueName(*alive.block), category, alive.block->device.str(), alive.bytes});
    estimate.categories[category] += alive.bytes;
  }
  return estimate;
}

std::map<std::string, SizeExpr> FlopsOfGroups(const std::vector<CostGroup>& groups) {
  std::map<std::string, SizeExpr> flops;
  for (const CostGroup& group : groups) flops[group.name] = api::ReadSize(group.cost.flops);
  return flops;
}

}  // namespace

MemoryEstimate EstimateMemory(const AnnotatedGraph& annotated, const MemoryQuestion& question) {
  return Answer([&] { return ReadEstimate(Count(annotated, question)); });
}

std::optional<int64_t> LargestWithin(
    const AnnotatedGraph& annotated, const std::string& symbol, int64_t budget, const MemoryQuestion& question) {
  return Answer([&]() -> std::optional<int64_t> {
    ShapeEnv& env = *StateOf(annotated).annotations.shape_env;
    if (!env.FindSymbol(symbol)) throw std::invalid_argument("the graph has no symbol `" + symbol + "`");
    const HeldMemory counted = Count(annotated, question);
    const LargestSize largest = FindLargestSize(counted.fixed, env, {symbol}, budget,
        [&](const SymbolValues& point) { return counted.profile.PeakAt(point).bytes; });
    if (largest.outcome == LargestSize::Outcome::kNoneFits) return std::nullopt;
    return largest.value;
  });
}

CostEstimate EstimateCost(const AnnotatedGraph& annotated) {
  return Answer([&] {
    const api::RunState& run = StateOf(annotated);
    const GraphCost cost = CountCost(run.graph->graph, run.annotations, FixedSymbols(*run.annotations.shape_env));
    CostEstimate estimate{api::ReadSize(cost.total.flops), api::ReadSize(cost.total.bytes_read),
        api::ReadSize(cost.total.bytes_written), FlopsOfGroups(cost.operators), FlopsOfGroups(cost.modules), {}};
    for (const NodeCost* node : cost.Uncounted()) estimate.uncounted.push_back(node->node->name);
    return estimate;
  });
}

double LeastSeconds(const AnnotatedGraph& annotated, double peak_flops, double bandwidth, const SymbolNumbers& sizes) {
  return Answer([&] {
    const api::RunState& run = StateOf(annotated);
    const FixedSymbols fixed = Fix(run, sizes);
    const DeviceRates device{"this device", peak_flops, peak_flops, bandwidth};
    double seconds = 0;
    for (const NodeCost& node : CountCost(run.graph->graph, run.annotations, fixed).nodes)
      seconds += SecondsOf(node, device, fixed.Point());
    return seconds;
  });
}

}  // namespace fakeprop
