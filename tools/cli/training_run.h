// `fakeprop memory --training`: the model of a step, and what is said about it.
#pragma once

#include <optional>
#include <string>

#include "lib/json/json_writer.h"
#include "lib/training/checkpoint_choice.h"
#include "lib/training/training_step.h"
#include "tools/cli/memory_options.h"
#include "tools/cli/sized_run.h"

namespace fakeprop::cli {

struct TrainingRun {
  TrainingStep step;
  int64_t recomputed_flops = 0;
  std::optional<CheckpointChoice> choice;  // --choose-checkpoints
};

// --free.
std::optional<FreeWhen> WhenFreed(const MemoryOptions& memory);

// Empty unless the command line asks for training.
TrainingRun RunTraining(const SizedRun& run, const MemoryOptions& memory);

// The answer if the graph cannot be trained as the command line asks.
std::optional<Answer> RefuseTraining(const SizedRun& run, const MemoryOptions& memory, const TrainingRun& training);

std::string TrainingText(const TrainingRun& training);
void WriteTraining(const MemoryOptions& memory, const TrainingRun& training, JsonWriter& json);

}  // namespace fakeprop::cli
