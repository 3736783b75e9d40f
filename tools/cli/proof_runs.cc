#include "tools/cli/proof_runs.h"

#include "lib/diag/code_table.h"
#include "lib/error/error.h"
#include "lib/inputs/assumptions.h"
#include "lib/inputs/graph_guards.h"
#include "lib/prove/prover.h"

namespace fakeprop::cli {
namespace {

Annotations RunAt(const SymbolValues& hints, bool with_symbols, const Source& source, const CommandLineOptions& options,
    const Console& console, const std::string& stage) {
  auto env = std::make_shared<ShapeEnv>();
  DiagnosticSink ignored;  // the inputs were right with other hints
  std::optional<std::vector<InputValue>> inputs =
      BindInputs(source, options, *env, hints, ignored, UnbackedInputs::kBacked);
  if (!inputs) return {.graphs = {}, .diagnostics = ignored.diagnostics(), .shape_env = env};
  std::string reason;
  if (with_symbols) AnswerWithZ3(*env, reason);
  else SpecializeToHints(*inputs, *env), env = std::make_shared<ShapeEnv>();
  try {
    return Run(source.graph, *inputs, env, options, /*keep_going=*/false, console, stage);
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

ProofRuns MakeProofRuns(
    const Source& source, const CommandLineOptions& options, const Console& console, DiagnosticSink& sink) {
  return {[&] {
            std::optional<std::vector<InputValue>> inputs;
            return StartProof(source, options, sink, inputs);
          },
      [&, runs = 0](const SymbolValues& hints, bool with_symbols) mutable {
        return RunAt(hints, with_symbols, source, options, console, "proving, run " + std::to_string(++runs));
      }};
}

}  // namespace fakeprop::cli
