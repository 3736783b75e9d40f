#include "tools/cli/prove_command.h"

#include "lib/diag/code_table.h"
#include "lib/diag/python_trace.h"
#include "lib/error/error.h"
#include "lib/inputs/graph_guards.h"
#include "lib/prove/coverage.h"
#include "lib/prove/prover.h"
#include "lib/refine/refine_codes.h"
#include "tools/cli/graph_session.h"
#include "tools/cli/output.h"
#include "tools/cli/prove_text.h"
#include "tools/cli/signals.h"

namespace fakeprop::cli {
namespace {

class ProveCommand {
 public:
  ProveCommand(const Source& source, const CommandLineOptions& options, const Console& console, DiagnosticSink& sink)
      : source_(source), options_(options), console_(console), sink_(sink) {}

  std::optional<Proof> Prove() {
    return fakeprop::Prove({[&] { return Declare(); },
        [&](const SymbolValues& hints, bool with_symbols) { return Run(hints, with_symbols); }});
  }

 private:
  std::optional<ProofStart> Declare() {
    auto env = std::make_shared<ShapeEnv>();
    const auto inputs = BindInputs(source_, options_, *env, {}, sink_, UnbackedInputs::kBacked);
    if (!inputs) return std::nullopt;
    GraphGuards guards = ReadGraphGuards(source_.graph, *inputs, *env);
    return ProofStart{std::move(env), std::move(guards.conditions), /*demands_are_given=*/source_.spec.empty(),
        std::move(guards.unread)};
  }

  // Guards that hold for all sizes are no cases. Without Z3 there are more cases, and no less is true.
  Annotations Run(const SymbolValues& hints, bool with_symbols) {
    auto env = std::make_shared<ShapeEnv>();
    DiagnosticSink ignored;  // the inputs were right with other hints
    std::optional<std::vector<InputValue>> inputs =
        BindInputs(source_, options_, *env, hints, ignored, UnbackedInputs::kBacked);
    if (!inputs) return {.graphs = {}, .diagnostics = ignored.diagnostics(), .shape_env = env};
    std::string reason;
    if (with_symbols) AnswerWithZ3(*env, reason);
    else SpecializeToHints(*inputs, *env), env = std::make_shared<ShapeEnv>();
    try {
      return cli::Run(source_.graph, *inputs, env, options_, /*keep_going=*/false, console_,
          "proving, run " + std::to_string(++runs_));
    } catch (const OpError& error) {
      // Inputs that leave 64 bits before any node does.
      Annotations failed{.graphs = {}, .diagnostics = {}, .shape_env = env};
      failed.diagnostics.push_back({.code = CodeOf(error.error_class()), .message = error.message()});
      return failed;
    }
  }

  const Source& source_;
  const CommandLineOptions& options_;
  const Console& console_;
  DiagnosticSink& sink_;
  size_t runs_ = 0;
};

Diagnostic NotProved(const Proof& proof) {
  Diagnostic diagnostic;
  diagnostic.code = kNotProved;
  diagnostic.message = proof.reason;
  if (!proof.guard) return diagnostic;
  diagnostic.message += ": the guard `" + ToString(proof.guard->expression) + "` is in the way";
  diagnostic.node = proof.guard->place.node;
  diagnostic.frames = ParseStackTrace(proof.guard->place.stack_trace);
  return diagnostic;
}

Diagnostic Violated(const Proof& proof) {
  Diagnostic diagnostic;
  diagnostic.code = kGuardViolated;
  diagnostic.message = "the exported program demands `" + ToString(proof.violated) + "`";
  return diagnostic;
}

std::vector<Diagnostic> WhyNot(const Proof& proof) {
  if (proof.failure) return proof.failure->diagnostics;
  return {proof.violated ? Violated(proof) : NotProved(proof)};
}

}  // namespace

ExitStatus RunProve(const CommandLineOptions& options, const Console& console) {
  DiagnosticSink sink;
  std::optional<Proof> proof;
  std::optional<Source> source;
  if (CheckWritable(options.output, sink)) source = ReadSource(options.graphs[0], options.inputs, options, sink);
  TakeInterruptsInAThread();
  if (source) proof = ProveCommand(*source, options, console, sink).Prove();
  const bool as_json = options.format == OutputFormat::kJson;
  const std::string text = !proof ? "" : as_json ? ProofJson(*proof, source->graph.source) : ProofText(*proof);
  if (!proof || !WriteOutput(options.output, text, console, sink)) {
    console.Report(sink.diagnostics(), options.color);
    return ExitStatus::kTrouble;
  }
  console.out.flush();
  if (proof->verdict == Verdict::kProved) return ExitStatus::kOk;
  console.Report(WhyNot(*proof), options.color);
  return ExitStatus::kFindings;
}

}  // namespace fakeprop::cli
