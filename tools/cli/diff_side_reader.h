// Reads what `diff` and `report --compare` compare: graphs, which are propagated, and annotations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/diff/diff_side.h"
#include "tools/cli/graph_session.h"

namespace fakeprop::cli {

// The side of a graph that has run. `name` is that of its file.
std::optional<DiffSide> SideOfRun(
    const Graph& graph, const Annotations& annotations, const std::string& name, DiagnosticSink& sink);

class DiffSideReader {
 public:
  DiffSideReader(const CommandLineOptions& options, const Console& console, DiagnosticSink& sink)
      : options_(options), console_(console), sink_(sink) {}

  // Reads a graph of any kind, or annotations; `-` is standard input. Nothing, and a diagnostic, if it cannot be read.
  std::optional<DiffSide> Read(const std::string& path);

  // Returns true if a graph was among the files.
  bool has_graph() const { return has_graph_; }
  // Errors of the nodes of all graphs.
  const std::vector<Diagnostic>& failures() const { return failures_; }

 private:
  std::optional<DiffSide> ReadGraphSide(std::optional<Graph> graph, const std::string& name);

  const CommandLineOptions& options_;
  const Console& console_;
  DiagnosticSink& sink_;
  bool has_graph_ = false;
  std::vector<Diagnostic> failures_;
};

}  // namespace fakeprop::cli
