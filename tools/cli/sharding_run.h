// `fakeprop memory` for one of several ranks: data, tensor and pipeline parallel training.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/json/json_writer.h"
#include "lib/sharding/sharded_step.h"
#include "lib/training/training_step.h"
#include "tools/cli/memory_options.h"
#include "tools/cli/sized_run.h"

namespace fakeprop::cli {

struct ShardingRun {
  ShardedStep step;                  // of the rank with the greatest peak
  std::vector<int64_t> stage_peaks;  // of a pipeline
  std::vector<Dim> stage_sent;       // the sum of what each stage sends
  size_t stage = 0;                  // that `step` is of
};

bool IsSharded(const MemoryOptions& memory);

// Divides a step of training as the command line asks. Bytes have the numbers of --set.
ShardingRun RunSharding(const SizedRun& run, const MemoryOptions& memory, Timeline timeline);

// The answer if the graph cannot be divided so.
std::optional<Answer> RefuseSharding(const SizedRun& run, const MemoryOptions& memory, const TrainingStep& training);

std::string ShardingText(const ShardingRun& sharding, const MemoryOptions& memory, const SymbolValues& point);
void WriteSharding(const ShardingRun& sharding, const MemoryOptions& memory, JsonWriter& json);

}  // namespace fakeprop::cli
