#include "tools/cli/contract_command.h"

#include "lib/contract/contract.h"
#include "lib/contract/contract_code.h"
#include "lib/contract/contract_report.h"
#include "tools/cli/output.h"
#include "tools/cli/proof_runs.h"
#include "tools/cli/signals.h"

namespace fakeprop::cli {
namespace {

std::optional<Contract> ContractOf(
    const Source& source, const CommandLineOptions& options, const Console& console, DiagnosticSink& sink) {
  std::optional<std::vector<InputValue>> inputs;
  std::optional<ProofStart> start = StartProof(source, options, sink, inputs);
  if (!start) return std::nullopt;
  DemandedValues values;
  const ProofRuns runs = MakeProofRuns(source, options, console, sink, values);
  Contract contract = FindContract({source.graph, *inputs, std::move(*start), runs});
  contract.values = std::move(values);
  return contract;
}

std::string TextOf(const Contract& contract, const std::string& source, OutputFormat format) {
  switch (format) {
    case OutputFormat::kJson: return ContractJson(contract, source);
    case OutputFormat::kCpp: return ContractHeader(contract, source);
    case OutputFormat::kPython: return ContractModule(contract, source);
    default: return ContractText(contract, source);
  }
}

}  // namespace

ExitStatus RunContract(const CommandLineOptions& options, const Console& console) {
  DiagnosticSink sink;
  std::optional<Source> source;
  std::optional<Contract> contract;
  if (CheckWritable(options.output, sink)) source = ReadSource(options.graphs[0], options.inputs, options, sink);
  TakeInterruptsInAThread();
  if (source) contract = ContractOf(*source, options, console, sink);
  if (contract && contract->failure) {
    console.Report(contract->failure->diagnostics, options.color);
    return ExitStatus::kFindings;
  }
  if (contract && WriteOutput(options.output, TextOf(*contract, source->graph.source, options.format), console, sink))
    return ExitStatus::kOk;
  console.Report(sink.diagnostics(), options.color);
  return ExitStatus::kTrouble;
}

}  // namespace fakeprop::cli
