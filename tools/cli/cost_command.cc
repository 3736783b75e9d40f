#include "tools/cli/cost_command.h"

#include "lib/cost/cost_json.h"
#include "lib/memory/memory_codes.h"
#include "tools/cli/cost_text.h"
#include "tools/cli/sized_run.h"

namespace fakeprop::cli {
namespace {

std::string CostJson(const SizedRun& run, const GraphCost& cost, const CostOptions& options) {
  JsonWriter json;
  json.BeginObject();
  json.KeyOnLine("format").String("fakeprop.cost/1");
  WriteRunMembers(run, run.fixed.Point(), json);
  WriteCostMembers(cost, options.device ? &*options.device : nullptr, run.fixed.Point(), json);
  json.NewLine(0);
  json.EndObject();
  return json.Take() + "\n";
}

void CheckBudget(const SizedRun& run, const GraphCost& cost, int64_t budget, Answer& answer) {
  const double flops = NumberAt(cost.total.flops, run.fixed.Point());
  if (flops <= static_cast<double>(budget)) return;
  Diagnostic finding{.code = kOverBudget};
  finding.message = FlopsText(flops) + " are over the budget of " + FlopsText(static_cast<double>(budget));
  answer.findings.push_back(run.About(std::move(finding)));
  answer.status = ExitStatus::kFindings;
}

}  // namespace

ExitStatus RunCost(const CommandLineOptions& options, const Console& console) {
  return AnswerSizedRun(options, console, [&](const SizedRun& run, const Paint& paint, size_t width) {
    const GraphCost cost = CountCost(run.loaded.graph, run.annotations, run.fixed);
    Answer answer;
    answer.text = options.format == OutputFormat::kJson
                      ? CostJson(run, cost, options.cost)
                      : CostText(cost, run.fixed.Point(), {options.cost, width, paint});
    if (options.cost.budget) CheckBudget(run, cost, *options.cost.budget, answer);
    return answer;
  });
}

}  // namespace fakeprop::cli
