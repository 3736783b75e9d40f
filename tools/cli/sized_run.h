// A run whose symbols may have numbers (--set), for commands that count.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "lib/json/json_writer.h"
#include "lib/refine/fixed_symbols.h"
#include "tools/cli/graph_session.h"
#include "tools/cli/run_program.h"

namespace fakeprop::cli {

struct SizedRun {
  Loaded loaded;
  Annotations annotations;
  FixedSymbols fixed;

  // An error about the graph, at its file.
  Diagnostic About(Diagnostic diagnostic) const;
};

// What a command prints, and its exit status.
struct Answer {
  std::string text;
  ExitStatus status = ExitStatus::kOk;
  std::vector<Diagnostic> findings;  // reported after the text
};

// Runs the graph of the command line, gives the symbols their numbers, and prints what `answer` makes of it. If the
// graph does not propagate, or if a range or guard refuses the numbers, reports that with exit status 1 and prints
// nothing: a count over a part of a graph would be wrong.
ExitStatus AnswerSizedRun(const CommandLineOptions& options, const Console& console,
    const std::function<Answer(const SizedRun& run, const Paint& paint, size_t width)>& answer);

// Writes the members "graph", "point" and "guards" of an open object: what the counts are about and rely on. They hold
// at `point`, which is left out if the graph has no symbols.
void WriteRunMembers(const SizedRun& run, const SymbolValues& point, JsonWriter& json);

}  // namespace fakeprop::cli
