#include "tools/cli/memory_models.h"

#include <CLI/CLI.hpp>

namespace fakeprop::cli {
namespace {

void AddTraining(CLI::App& app, MemoryOptions& memory, RawOptions& raw) {
  app.add_flag("--training", memory.training, "count a step of training: what autograd saves, gradients, an optimiser");
  app.add_option("--optimizer", raw.optimizer, "the optimiser whose states are counted (default: none)")
      ->option_text("none|sgd|momentum|adam|adamw|adafactor|adam8bit");
  app.add_option("--optimizer-form", raw.optimizer_form,
         "how it goes over the parameters (default: foreach if all are on cuda, else loop)")
      ->option_text("loop|foreach|fused");
  app.add_flag("--master-weights", memory.master_weights, "count a float32 copy of parameters that have less");
  app.add_flag("--accumulate", memory.accumulate, "count the gradients of earlier batches");
  app.add_option("--checkpoint", raw.checkpoint, "recompute the activations of these modules, such as 'layers.*'")
      ->option_text("PATTERN,...");
  app.add_flag("--choose-checkpoints", memory.choose_checkpoints,
      "recompute only so many of them that --budget is kept, at the fewest FLOPs");
}

void AddSharding(CLI::App& app, RawOptions& raw) {
  app.add_option("--fsdp", raw.fsdp, "count one of so many ranks that divide states between them")->option_text("N");
  app.add_option("--stage", raw.stage, "what they divide: 1 optimiser states, 2 gradients, 3 parameters (default: 3)")
      ->option_text("1|2|3");
  app.add_option("--units", raw.units, "modules that are gathered as one (default: those whose name is a number)")
      ->option_text("PATTERN,...");
  app.add_option("--tensor-parallel", raw.tensor_parallel, "count one of so many ranks that divide modules")
      ->option_text("N");
  app.add_option("--column", raw.column, "modules whose outputs are divided")->option_text("PATTERN,...");
  app.add_option("--row", raw.row, "modules whose inputs are divided")->option_text("PATTERN,...");
  app.add_option("--sequence", raw.sequence, "modules that run on a part of the sequence")->option_text("PATTERN,...");
  app.add_option("--pipeline", raw.pipeline, "the first module of each stage after the first")
      ->option_text("PATTERN,...");
  app.add_option("--micro-batches", raw.micro_batches, "micro-batches in a step of a pipeline (default: 1)")
      ->option_text("N");
}

void AddAllocator(CLI::App& app, RawOptions& raw) {
  app.add_option("--allocator", raw.allocator, "count the tensors, or what CUDA's allocator takes (default: exact)")
      ->option_text("exact|cuda");
  app.add_option("--workspace", raw.workspace, "the workspace of cuBLAS for each thread (default: 8.1 MiB)")
      ->option_text("BYTES");
  app.add_option("--context", raw.context, "what the context of CUDA takes (default: 0)")->option_text("BYTES");
}

}  // namespace

void AddMemoryModels(CLI::App& app, MemoryOptions& memory, RawOptions& raw) {
  AddTraining(app, memory, raw);
  AddSharding(app, raw);
  AddAllocator(app, raw);
}

}  // namespace fakeprop::cli
