#include "lib/value_ranges/index_errors.h"

#include <algorithm>

#include "lib/error/error.h"
#include "lib/interpreter/node_diagnostic.h"
#include "lib/value_ranges/use_text.h"
#include "lib/value_ranges/value_codes.h"

namespace fakeprop {
namespace {

using IndexVerdict = IndexUse::Verdict;

// Guards name the node as long as this lives.
class PlaceOfGuard {
 public:
  PlaceOfGuard(ShapeEnv& env, const Node& node) : env_(env), earlier_(env.place()) {
    env_.SetPlace({node.name, node.stack_trace});
  }
  ~PlaceOfGuard() { env_.SetPlace(earlier_); }
  PlaceOfGuard(const PlaceOfGuard&) = delete;
  PlaceOfGuard& operator=(const PlaceOfGuard&) = delete;

 private:
  ShapeEnv& env_;
  const GraphPlace earlier_;
};

// Returns true if the use works at the hints; what decided it is a guard then.
bool WorksHere(const IndexUse& use, const Node& node, ShapeEnv& env) {
  if (use.verdict == IndexVerdict::kFails) return false;
  if (use.verdict != IndexVerdict::kFailsForSome) return true;
  if (!use.holds) return false;
  const PlaceOfGuard place(env, node);
  try {
    return use.holds->is_unbacked || env.Guard(use.holds);
  } catch (const OpError&) {  // beyond 64 bits
    return true;
  }
}

std::vector<Value> ResultsOf(const GraphAnnotations& annotations) {
  std::vector<Value> results;
  for (const NodeAnnotation& node : annotations.nodes) results.push_back(node.value);
  return results;
}

Diagnostic ErrorOf(
    const IndexUse& use, const Graph& graph, const std::vector<InputValue>& inputs, const GraphRanges& ranges) {
  const Code code = use.verdict == IndexVerdict::kFails ? kIndexAlwaysOutOfRange : kIndexLimit;
  Diagnostic error = ReportNode(*ranges.graph, ranges.graph->nodes[use.node], code, UseText(use, ranges), {},
      ResultsOf(*ranges.annotations), inputs);
  error.file = graph.source;
  error.notes = UseNotes(use, ranges);
  return error;
}

bool IsSame(const ValueDemand& a, const ValueDemand& b) {
  return a.input == b.input && a.least == b.least && a.greatest == b.greatest && a.ignored == b.ignored;
}

// A buffer has the name that the module gives it.
std::string InputName(int32_t node, const GraphRanges& ranges) {
  for (const Input& input : ranges.root->inputs)
    if (input.node == node && input.kind == InputKind::kBuffer) return input.qualified_name;
  return ranges.root->nodes[node].name;
}

void AddDemand(const IndexUse& use, const GraphRanges& ranges, std::vector<ValueDemand>& demands) {
  const ValueRange range = DemandOf(use);
  ValueDemand demand{
      InputName(use.range.input, ranges), range.low.at, range.high.at, use.ignored, ranges.graph->nodes[use.node].name};
  const bool is_known =
      std::any_of(demands.begin(), demands.end(), [&](const ValueDemand& known) { return IsSame(known, demand); });
  if (!is_known) demands.push_back(std::move(demand));
}

}  // namespace

void AddCertainErrors(const Graph& graph, const std::vector<InputValue>& inputs, const ValueAnalysis& analysis,
    Annotations& annotations) {
  for (const GraphRanges& ranges : analysis.graphs)
    for (const IndexUse& use : ranges.uses)
      if (ranges.is_certain && use.verdict == IndexVerdict::kFails)
        annotations.diagnostics.push_back(ErrorOf(use, graph, inputs, ranges));
}

void AddIndexErrors(const Graph& graph, const std::vector<InputValue>& inputs, const ValueAnalysis& analysis,
    Annotations& annotations) {
  for (const GraphRanges& ranges : analysis.graphs)
    for (const IndexUse& use : ranges.uses)
      if (ranges.is_certain && !WorksHere(use, ranges.graph->nodes[use.node], *annotations.shape_env))
        annotations.diagnostics.push_back(ErrorOf(use, graph, inputs, ranges));
}

std::vector<ValueDemand> DemandsOnValues(const ValueAnalysis& analysis) {
  std::vector<ValueDemand> demands;
  for (const GraphRanges& ranges : analysis.graphs)
    for (const IndexUse& use : ranges.uses)
      if (use.verdict == IndexVerdict::kRestsOnInput) AddDemand(use, ranges, demands);
  return demands;
}

void DemandedValues::Add(const ValueAnalysis& analysis, const Annotations& run) {
  for (ValueDemand& demand : DemandsOnValues(analysis)) {
    const std::string text = DemandText(demand);
    const bool is_known = std::any_of(
        demands.begin(), demands.end(), [&](const ValueDemand& known) { return DemandText(known) == text; });
    if (is_known) continue;
    demands.push_back(std::move(demand));
    shape_envs.push_back(run.shape_env);
  }
}

void WriteDemand(const ValueDemand& demand, JsonWriter& json) {
  const auto write_end = [&](JsonKey key, Sym end) {
    if (!end) return;
    if (end->IsInteger()) json.Key(key).Int(end->integer);
    else json.Key(key).String(ToString(end));
  };
  json.BeginObject();
  json.Key("input").String(demand.input);
  write_end("min", demand.least);
  write_end("max", demand.greatest);
  if (demand.ignored) json.Key("or").Int(*demand.ignored);
  json.Key("node").String(demand.node);
  json.EndObject();
}

std::string DemandText(const ValueDemand& demand) {
  ValueRange range;
  range.low.at = demand.least;
  range.high.at = demand.greatest;
  std::string text = "`" + demand.input + "` " + RangeText(range);
  if (demand.ignored) text += ", or " + std::to_string(*demand.ignored);
  return text;
}

}  // namespace fakeprop
