#include "tools/cli/training_run.h"

#include "lib/annotations/summary.h"
#include "lib/base/byte_count.h"
#include "lib/base/utf8.h"
#include "lib/training/training_codes.h"
#include "tools/cli/module_tree.h"

namespace fakeprop::cli {
namespace {

std::string Listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + Printable(name);
  return text;
}

Answer Refusal(const SizedRun& run, Code code, ExitStatus status, std::string message, std::string note) {
  Diagnostic finding{.code = code};
  finding.message = std::move(message);
  if (!note.empty()) finding.notes = {std::move(note)};
  return {"", status, {run.About(std::move(finding))}};
}

std::string CheckpointText(const TrainingRun& training) {
  const std::vector<std::string>& modules = training.step.checkpoints;
  if (modules.empty()) return training.choice ? "nothing has to be recomputed\n" : "";
  const char* how = !training.choice            ? ""
                    : !training.choice->fits    ? ", which does not fit either"
                    : training.choice->is_exact ? ", the least work that fits"
                                                : ", which fits, by bytes saved for each FLOP";
  return "recomputed: " + Listed(modules) + "; " + WithCommas(training.recomputed_flops) + " FLOP again" + how + "\n";
}

}  // namespace

std::optional<FreeWhen> WhenFreed(const MemoryOptions& memory) {
  constexpr FreeWhen kFree[] = {FreeWhen::kAfterLastUse, FreeWhen::kAtEndOfScope, FreeWhen::kNever};
  return memory.free ? std::optional(kFree[*memory.free]) : std::nullopt;
}

TrainingRun RunTraining(const SizedRun& run, const MemoryOptions& memory) {
  TrainingRun training;
  if (!memory.training) return training;
  TrainingOptions options{static_cast<Optimizer>(memory.optimizer), memory.master_weights, memory.accumulate,
      memory.checkpoint, WhenFreed(memory), static_cast<UpdateForm>(memory.optimizer_form)};
  const SymbolValues point = run.fixed.Point();
  if (memory.choose_checkpoints) {
    training.choice = ChooseCheckpoints(run.loaded.graph, run.annotations, run.fixed, options, *memory.budget, point);
    options.checkpoint = training.choice->modules;
  }
  training.step = ModelTraining(run.loaded.graph, run.annotations, options);
  if (!training.step.recomputed.empty())
    training.recomputed_flops =
        FlopsOf(training.step.recomputed, CountCost(run.loaded.graph, run.annotations, run.fixed), point);
  return training;
}

std::optional<Answer> RefuseTraining(const SizedRun& run, const MemoryOptions& memory, const TrainingRun& training) {
  if (!memory.training) return std::nullopt;
  if (training.step.gradients == 0)
    return Refusal(run, kNothingToTrain, ExitStatus::kFindings, "no parameter or input of the graph gets a gradient",
        "a graph that was exported under torch.no_grad, or that is read with `--grad off`, has none");
  if (memory.checkpoint.empty() && !memory.choose_checkpoints) return std::nullopt;
  if (training.step.is_joint)
    return Refusal(run, kNoModules, ExitStatus::kTrouble, "a joint graph has its own backward pass",
        "modules of the forward graph can be recomputed");
  if (!training.step.checkpoints.empty() || memory.choose_checkpoints) return std::nullopt;
  Answer refusal = Refusal(
      run, kNoModules, ExitStatus::kTrouble, "no module of the graph fits `" + Listed(memory.checkpoint) + "`", "");
  refusal.findings[0].notes = NotesOnModule(memory.checkpoint[0], MakeModuleTree(run.loaded.graph, run.annotations));
  return refusal;
}

std::string TrainingText(const TrainingRun& training) {
  const TrainingStep& step = training.step;
  std::string text = step.is_joint ? "a step of training as the joint graph has it" : "a step of training";
  text += ", " + Counted(static_cast<size_t>(step.gradients), "gradient") + "\n" + CheckpointText(training);
  if (step.approximate.empty()) return text;
  return text + "approximate, as it is not known what autograd saves for " + Listed(step.approximate) + "\n";
}

void WriteTraining(const MemoryOptions& memory, const TrainingRun& training, JsonWriter& json) {
  const auto write = [&](const std::string& text) { json.String(text); };
  json.KeyOnLine("training").BeginObject();
  json.Key("graph").String(training.step.is_joint ? "joint" : "forward");
  json.Key("optimizer").String(Name(static_cast<Optimizer>(memory.optimizer)));
  json.Key("gradients").Int(training.step.gradients);
  json.Key("approximate").Array(training.step.approximate, write);
  json.Key("recomputed").BeginObject();
  json.Key("modules").Array(training.step.checkpoints, write);
  json.Key("flops").Int(training.recomputed_flops);
  if (training.choice) json.Key("least").Bool(training.choice->fits && training.choice->is_exact);
  json.EndObject();
  json.EndObject();
}

}  // namespace fakeprop::cli
