#include "tools/cli/prove_command.h"

#include "lib/diag/python_trace.h"
#include "lib/prove/prove.h"
#include "lib/refine/refine_codes.h"
#include "tools/cli/no_z3.h"
#include "tools/cli/output.h"
#include "tools/cli/proof_runs.h"
#include "tools/cli/prove_text.h"
#include "tools/cli/signals.h"

namespace fakeprop::cli {
namespace {

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
  DemandedValues values;
  if (source) proof = Prove(MakeProofRuns(*source, options, console, sink, values));
  if (proof && !proof->no_solver.empty()) {
    console.Report({NoZ3("this proof", proof->no_solver)}, options.color);
    return ExitStatus::kTrouble;
  }
  const bool as_json = options.format == OutputFormat::kJson;
  const std::string text = !proof    ? ""
                           : as_json ? ProofJson(*proof, source->graph.source, values.demands)
                                     : ProofText(*proof, values.demands);
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
