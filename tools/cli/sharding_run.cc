#include "tools/cli/sharding_run.h"

#include <algorithm>

#include "lib/base/byte_count.h"
#include "lib/memory/liveness.h"
#include "lib/memory/memory_json.h"
#include "lib/sharding/fully_sharded.h"
#include "lib/sharding/pipeline.h"
#include "lib/sharding/tensor_parallel.h"
#include "lib/training/module_pattern.h"
#include "lib/training/training_codes.h"
#include "tools/cli/module_tree.h"

namespace fakeprop::cli {
namespace {

ShardedStep Put(const FixedSymbols& fixed, ShardedStep step) {
  PutNumbers(fixed, step.timeline);
  for (Communication& sent : step.sent) sent.bytes = fixed.Put(sent.bytes);
  return step;
}

// Each micro-batch of a pipeline gathers and reduces; only the states of stage 1 are exchanged once in a step.
ShardedStep DivideWithin(const SizedRun& run, const MemoryOptions& memory, ShardedStep step) {
  std::vector<Communication> sent = std::move(step.sent);
  const auto add_sent = [&](int64_t times) {
    for (const Communication& part : step.sent) AddSent(part.what, part.bytes * Dim(times), sent);
    step.sent.clear();
  };
  step.sent.clear();
  if (memory.tensor_ranks > 1)
    step = DivideTensors(run.loaded.graph, run.annotations, std::move(step),
        {memory.tensor_ranks, memory.column, memory.row, memory.sequence});
  add_sent(memory.micro_batches);
  if (memory.data_ranks > 1)
    step = DivideStates(
        run.loaded.graph, run.annotations, std::move(step), {memory.data_ranks, memory.stage, memory.units});
  add_sent(memory.stage == 1 ? 1 : memory.micro_batches);
  step.sent = std::move(sent);
  return Put(run.fixed, std::move(step));
}

bool AnyModuleFits(const Graph& graph, const std::vector<std::string>& patterns) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
      [&](const Node& node) { return !OutermostFit(node.nn_module_stack, patterns).empty(); });
}

// The first pattern that is needed and that no module fits. Empty if all are there.
std::string MissingPattern(const SizedRun& run, const MemoryOptions& memory) {
  std::vector<std::string> needed = memory.starts;
  for (const auto* patterns : {&memory.column, &memory.row, &memory.sequence, &memory.units})
    needed.insert(needed.end(), patterns->begin(), patterns->end());
  for (const std::string& pattern : needed)
    if (!AnyModuleFits(run.loaded.graph, {pattern})) return pattern;
  return "";
}

std::string RankText(const MemoryOptions& memory) {
  std::string text;
  const auto add = [&](int64_t ranks, const std::string& how) {
    if (ranks > 1) text += (text.empty() ? "" : ", ") + std::to_string(ranks) + " " + how;
  };
  add(memory.data_ranks, "ranks of data (stage " + std::to_string(memory.stage) + ")");
  add(memory.tensor_ranks, "ranks of tensors");
  return text;
}

}  // namespace

bool IsSharded(const MemoryOptions& memory) {
  return memory.data_ranks > 1 || memory.tensor_ranks > 1 || !memory.starts.empty();
}

ShardingRun RunSharding(const SizedRun& run, const MemoryOptions& memory, Timeline timeline) {
  ShardingRun sharding;
  ShardedStep whole{std::move(timeline), {}};
  if (memory.starts.empty()) {
    sharding.step = DivideWithin(run, memory, std::move(whole));
    return sharding;
  }
  std::vector<ShardedStep> stages =
      DivideLayers(run.loaded.graph, run.annotations, whole, {memory.starts, memory.micro_batches});
  for (ShardedStep& stage : stages) {
    stage = DivideWithin(run, memory, std::move(stage));
    const MemoryProfile profile(stage.timeline, *run.annotations.shape_env);
    sharding.stage_peaks.push_back(profile.PeakAt(run.fixed.Point()).bytes);
    Dim sent = 0;
    for (const Communication& part : stage.sent) sent += part.bytes;
    sharding.stage_sent.push_back(sent);
  }
  const auto& peaks = sharding.stage_peaks;
  sharding.stage = static_cast<size_t>(std::max_element(peaks.begin(), peaks.end()) - peaks.begin());
  sharding.step = std::move(stages[sharding.stage]);
  return sharding;
}

std::optional<Answer> RefuseSharding(const SizedRun& run, const MemoryOptions& memory, const TrainingStep& training) {
  if (!IsSharded(memory)) return std::nullopt;
  Diagnostic finding{.code = kNoModules};
  const std::string missing = MissingPattern(run, memory);
  if (training.is_joint) finding.message = "a joint graph cannot be divided: its forward graph can";
  else if (missing.empty()) return std::nullopt;
  else finding.message = "no module of the graph fits `" + missing + "`";
  if (!missing.empty()) finding.notes = NotesOnModule(missing, MakeModuleTree(run.loaded.graph, run.annotations));
  return Answer{"", ExitStatus::kTrouble, {run.About(std::move(finding))}};
}

std::string ShardingText(const ShardingRun& sharding, const MemoryOptions& memory, const SymbolValues& point) {
  std::string text = RankText(memory);
  if (!sharding.stage_peaks.empty()) {
    text += (text.empty() ? "" : ", ") + std::to_string(sharding.stage_peaks.size()) + " stages with peaks of";
    for (size_t i = 0; i < sharding.stage_peaks.size(); ++i)
      text += (i ? ", " : " ") + BytesText(sharding.stage_peaks[i]);
    text += "; this is stage " + std::to_string(sharding.stage);
  }
  text += "\n";
  for (const Communication& sent : sharding.step.sent)
    text += "each rank sends " + BytesText(MaxAt({sent.bytes}, point)) + " in a step: " + std::string(sent.what) + "\n";
  return text;
}

void WriteSharding(const ShardingRun& sharding, const MemoryOptions& memory, JsonWriter& json) {
  json.KeyOnLine("sharding").BeginObject();
  json.Key("data_ranks").Int(memory.data_ranks);
  json.Key("stage").Int(memory.stage);
  json.Key("tensor_ranks").Int(memory.tensor_ranks);
  json.Key("pipeline_peaks").Array(sharding.stage_peaks, [&](int64_t peak) { json.Int(peak); });
  json.Key("pipeline_sent").Array(sharding.stage_sent, [&](Dim bytes) { WriteDim(bytes, json); });
  json.Key("pipeline_stage").Int(static_cast<int64_t>(sharding.stage));
  json.Key("sent").BeginObject();
  for (const Communication& sent : sharding.step.sent) WriteDim(sent.bytes, json.KeyOf(sent.what));
  json.EndObject();
  json.EndObject();
}

}  // namespace fakeprop::cli
