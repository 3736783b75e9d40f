#include "tools/cli/refine_command.h"

#include <algorithm>

#include "lib/archive/read_codes.h"
#include "lib/base/decompress.h"
#include "lib/refine/refine.h"
#include "lib/refine/refine_codes.h"
#include "tools/cli/input_files.h"
#include "tools/cli/output.h"

namespace fakeprop::cli {
namespace {

std::optional<std::string> ReadAnnotations(const std::string& path, DiagnosticSink& sink) {
  std::optional<std::string> text = ReadLongInput(path, sink);
  if (!text || FindCompression(*text) == Compression::kNone) return text;
  std::string error;
  text = Decompress(std::move(*text), error);
  if (!text) sink.Add({.code = kCorruptCompression, .message = error, .file = path});
  return text;
}

// The sizes are refused by what was assumed, rather than wrong by themselves.
bool IsRefusal(const Diagnostic& d) { return d.code.id == kGuardViolated.id || d.code.id == kSymbolOutOfRange.id; }

}  // namespace

ExitStatus RunRefine(const CommandLineOptions& options, const Console& console) {
  DiagnosticSink sink;
  std::optional<Refined> refined;
  if (CheckWritable(options.output, sink))
    if (const std::optional<std::string> text = ReadAnnotations(options.graphs[0], sink))
      refined = RefineAnnotations(*text, options.graphs[0], options.values, sink);
  if (refined && WriteOutput(options.output, refined->text, console, sink))
    return refined->has_errors ? ExitStatus::kFindings : ExitStatus::kOk;
  console.Report(sink.diagnostics(), options.color);
  const auto& found = sink.diagnostics();
  return std::all_of(found.begin(), found.end(), IsRefusal) ? ExitStatus::kFindings : ExitStatus::kTrouble;
}

}  // namespace fakeprop::cli
