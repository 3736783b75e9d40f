// Indices out of range as errors of a run, for those who ask whether the sizes of this run work.
#pragma once

#include "lib/json/json_writer.h"
#include "lib/value_ranges/value_analysis.h"

namespace fakeprop {

// Adds an error for each use of indices that is out of range in every run.
void AddCertainErrors(
    const Graph& graph, const std::vector<InputValue>& inputs, const ValueAnalysis& analysis, Annotations& annotations);

// Adds an error for each use that is out of range at the hints of the run's symbols, or for elements that the spec
// allows. If sizes decide, the condition becomes a guard: the run holds for sizes on its own side of it.
void AddIndexErrors(
    const Graph& graph, const std::vector<InputValue>& inputs, const ValueAnalysis& analysis, Annotations& annotations);

// What a use takes for granted about an input that nobody stated a range for.
struct ValueDemand {
  std::string input;                        // its name in the graph
  Sym least = nullptr, greatest = nullptr;  // null: no limit
  std::optional<int64_t> ignored;           // a number beside these that is allowed too
  std::string node;                         // that uses the elements
};

// One for each input and pair of limits, in the order of the uses.
std::vector<ValueDemand> DemandsOnValues(const ValueAnalysis& analysis);

// The demands of several runs, each once.
struct DemandedValues {
  std::vector<ValueDemand> demands;
  std::vector<std::shared_ptr<ShapeEnv>> shape_envs;  // own their limits

  void Add(const ValueAnalysis& analysis, const Annotations& run);
};

// {"input": "input_ids", "min": 0, "max": 50256, "node": "embedding"}, as files have it.
void WriteDemand(const ValueDemand& demand, JsonWriter& json);

// "`input_ids` from 0 to 50,256".
std::string DemandText(const ValueDemand& demand);

}  // namespace fakeprop
