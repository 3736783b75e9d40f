#include "tools/cli/proof_runs.h"

#include "lib/diag/code_table.h"
#include "lib/error/error.h"
#include "lib/inputs/assumptions.h"
#include "lib/inputs/graph_guards.h"
#include "lib/prove/answer_with_z3.h"

namespace fakeprop::cli {
namespace {

// Indices out of range are errors as well.
void LookAtIndices(
    const Graph& graph, const std::vector<InputValue>& inputs, Annotations& run, DemandedValues& values) {
  if (!run.diagnostics.empty()) return;
  const ValueAnalysis analysis = AnalyzeValues(graph, inputs, run);
  AddIndexErrors(graph, inputs, analysis, run);
  values.Add(analysis, run);
}

struct ProofRun {
  const SymbolValues& hints;
  bool with_symbols;
  std::string stage;
};

Annotations RunAt(const ProofRun& proof_run, const Source& source, const CommandLineOptions& options,
    const Console& console, DemandedValues& values) {
  auto env = std::make_shared<ShapeEnv>();
  DiagnosticSink ignored;  // the inputs were right with other hints
  std::optional<std::vector<InputValue>> inputs =
      BindInputs(source, options, *env, proof_run.hints, ignored, UnbackedInputs::kBacked);
  if (!inputs) return {.graphs = {}, .diagnostics = ignored.diagnostics(), .shape_env = env};
  std::string reason;
  if (proof_run.with_symbols) AnswerWithZ3(*env, reason);
  else SpecializeToHints(*inputs, *env), env = std::make_shared<ShapeEnv>();
  try {
    Annotations run = Run(source.graph, *inputs, env, options, /*keep_going=*/false, console, proof_run.stage);
    if (!options.skips_values) LookAtIndices(source.graph, *inputs, run, values);
    return run;
  } catch (const OpError& error) {
    // Inputs that leave 64 bits before any node does.
    Annotations failed{.graphs = {}, .diagnostics = {}, .shape_env = env};
    failed.diagnostics.push_back({.code = CodeOf(error.error_class()), .message = error.message()});
    return failed;
  }
}

}  // namespace

std::optional<ProofStart> StartProof(const Source& source, const CommandLineOptions& options, DiagnosticSink& sink,
    std::optional<std::vector<InputValue>>& inputs) {
  auto env = std::make_shared<ShapeEnv>();
  inputs = BindInputs(source, options, *env, {}, sink, UnbackedInputs::kBacked);
  if (!inputs) return std::nullopt;
  GraphGuards guards = ReadGraphGuards(source.graph, *inputs, *env);
  std::vector<Sym> assumed = AssumptionsOf(source.spec, *env);
  return ProofStart{std::move(env), std::move(guards.conditions), /*demands_are_given=*/source.spec.empty(),
      std::move(guards.unread), std::move(assumed)};
}

ProofRuns MakeProofRuns(const Source& source, const CommandLineOptions& options, const Console& console,
    DiagnosticSink& sink, DemandedValues& values) {
  return {[&] {
            std::optional<std::vector<InputValue>> inputs;
            return StartProof(source, options, sink, inputs);
          },
      [&, cases = 0](const SymbolValues& hints, bool with_symbols) mutable {
        if (with_symbols) ++cases;
        const std::string of = "case " + std::to_string(cases) + " of at most " + std::to_string(kMostCases);
        const std::string stage = "proving, " + of + (with_symbols ? "" : ", with numbers");
        return RunAt({hints, with_symbols, stage}, source, options, console, values);
      }};
}

}  // namespace fakeprop::cli
