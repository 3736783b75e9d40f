#include "tools/cli/sized_run.h"

#include "lib/annotations/conditions.h"
#include "lib/diag/code_table.h"
#include "lib/error/error.h"
#include "lib/refine/refine_codes.h"
#include "tools/cli/output.h"

namespace fakeprop::cli {
namespace {

ExitStatus Refuse(const std::vector<Diagnostic>& diagnostics, ExitStatus status, const CommandLineOptions& options,
    const Console& console) {
  console.Report(diagnostics, options.color);
  return status;
}

// A name that the graph does not have is a mistake of the command line.
ExitStatus StatusOf(const DiagnosticSink& sink) {
  for (const Diagnostic& diagnostic : sink.diagnostics())
    if (diagnostic.code.id == kUnknownSymbol.id) return ExitStatus::kTrouble;
  return ExitStatus::kFindings;
}

}  // namespace

Diagnostic SizedRun::About(Diagnostic diagnostic) const {
  diagnostic.file = loaded.graph.source;
  return diagnostic;
}

ExitStatus AnswerSizedRun(const CommandLineOptions& options, const Console& console,
    const std::function<Answer(const SizedRun&, const Paint&, size_t)>& answer) {
  DiagnosticSink sink;
  std::optional<Loaded> loaded;
  if (CheckWritable(options.output, sink)) loaded = Load(options.graphs[0], options.inputs, options, sink);
  if (!loaded) return Refuse(sink.diagnostics(), ExitStatus::kTrouble, options, console);
  Annotations annotations = Run(*loaded, options, /*keep_going=*/false, console);
  if (!annotations.diagnostics.empty()) return Refuse(annotations.diagnostics, ExitStatus::kFindings, options, console);
  FixedSymbols fixed(*annotations.shape_env);
  if (!fixed.Fix(options.values, loaded->graph.source, sink))
    return Refuse(sink.diagnostics(), StatusOf(sink), options, console);
  const SizedRun run{std::move(*loaded), std::move(annotations), std::move(fixed)};
  const bool is_printed = options.output.empty();
  const Paint paint = is_printed ? console.OutPaint(options.color) : Paint{options.color == When::kAlways};
  try {
    const Answer made = answer(run, paint, is_printed ? console.width : 0);
    if (!WriteOutput(options.output, made.text, console, sink))
      return Refuse(sink.diagnostics(), ExitStatus::kTrouble, options, console);
    console.out.flush();
    console.Report(sink.diagnostics(), options.color);
    console.Report(made.findings, options.color);
    return made.status;
  } catch (const OpError& error) {
    sink.Add(run.About({.code = CodeOf(error.error_class()), .message = error.message()}));
    return Refuse(sink.diagnostics(), ExitStatus::kFindings, options, console);
  }
}

void WriteRunMembers(const SizedRun& run, const SymbolValues& point, JsonWriter& json) {
  json.KeyOnLine("graph").String(run.loaded.graph.source);
  if (point.empty()) return;
  json.KeyOnLine("point").BeginObject();
  for (const auto& [name, value] : point) json.KeyOf(name).Int(value);
  json.EndObject();
  WriteConditions(ConditionsOf(run.annotations.shape_env.get()), json.KeyOnLine("guards"));
}

}  // namespace fakeprop::cli
