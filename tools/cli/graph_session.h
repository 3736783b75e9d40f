// The steps of a run: reads a graph, gives it inputs, propagates it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/graph/graph.h"
#include "lib/inputs/inputs.h"
#include "lib/interpreter/annotations.h"
#include "lib/interpreter/run_graph.h"
#include "lib/readers/read_graph.h"
#include "tools/cli/command_line_options.h"
#include "tools/cli/console.h"

namespace fakeprop::cli {

struct Loaded {
  Graph graph;
  std::vector<InputValue> inputs;
  std::shared_ptr<ShapeEnv> shape_env;  // has the symbols of the inputs; a run adds to it
};

// Reads the graph that the options choose, and of its buffers what `buffers` asks for (null for nothing).
std::optional<Graph> ReadChosenGraph(
    const std::string& path, const CommandLineOptions& options, DiagnosticSink& sink, BufferReading* buffers = nullptr);

// The same for a file's bytes, which messages call `source`.
std::optional<Graph> ReadChosenContent(
    std::string content, const std::string& source, const CommandLineOptions& options, DiagnosticSink& sink);

// A graph and its spec, as read.
struct Source {
  Graph graph;
  std::string spec;  // the text; empty for none
  std::string spec_name;
  std::map<std::string, ElementBounds> buffers = {};  // where elements of the file's buffers lie
};

// Reads both and moves the graph to --device. Errors become diagnostics.
std::optional<Source> ReadSource(
    const std::string& graph, const std::string& spec, const CommandLineOptions& options, DiagnosticSink& sink);

// The same for a graph that was read already.
std::optional<Source> SourceOf(
    Graph graph, const std::string& spec, const CommandLineOptions& options, DiagnosticSink& sink);

// The values of the placeholders, on --device. `hints` and `unbacked` are as in ResolveInputs.
std::optional<std::vector<InputValue>> BindInputs(const Source& source, const CommandLineOptions& options,
    ShapeEnv& env, const SymbolValues& hints, DiagnosticSink& sink, UnbackedInputs unbacked = UnbackedInputs::kKept);

// Reads the graph and its spec (empty for none), and moves both to --device. Errors become diagnostics.
std::optional<Loaded> Load(
    const std::string& graph, const std::string& spec, const CommandLineOptions& options, DiagnosticSink& sink);

// The same for a graph that was read already.
std::optional<Loaded> LoadSource(Source source, const CommandLineOptions& options, DiagnosticSink& sink);

// The options of a run from those of the command line.
RunOptions RunOptionsFrom(const Graph& graph, const CommandLineOptions& options, bool keep_going);

// Runs the graph with these options. Its progress is that of `stage`.
Annotations Run(const Graph& graph, const std::vector<InputValue>& inputs, std::shared_ptr<ShapeEnv> env,
    const CommandLineOptions& options, bool keep_going, const Console& console,
    const std::string& stage = "propagating");

// Runs the graph. Each error says how many nodes were skipped because of it.
Annotations Run(const Loaded& loaded, const CommandLineOptions& options, bool keep_going, const Console& console);

}  // namespace fakeprop::cli
