// A graph on its way through a run: read, given inputs, propagated.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/graph/graph.h"
#include "lib/inputs/inputs.h"
#include "lib/interpreter/annotations.h"
#include "lib/interpreter/run_graph.h"
#include "tools/cli/command_line_options.h"
#include "tools/cli/console.h"

namespace fakeprop::cli {

struct Loaded {
  Graph graph;
  std::vector<InputValue> inputs;
  std::shared_ptr<ShapeEnv> shape_env;  // of the inputs' symbols; a run adds to it
};

// Reads the graph that the options choose.
std::optional<Graph> ReadChosenGraph(const std::string& path, const CommandLineOptions& options, DiagnosticSink& sink);

// A graph and its spec, as read.
struct Source {
  Graph graph;
  std::string spec;  // the text; empty for none
  std::string spec_name;
};

// Reads both and moves the graph to --device. What is wrong goes to the sink.
std::optional<Source> ReadSource(
    const std::string& graph, const std::string& spec, const CommandLineOptions& options, DiagnosticSink& sink);

// What the placeholders get, on --device. `hints` and `unbacked`: as ResolveInputs has them.
std::optional<std::vector<InputValue>> BindInputs(const Source& source, const CommandLineOptions& options,
    ShapeEnv& env, const SymbolValues& hints, DiagnosticSink& sink, UnbackedInputs unbacked = UnbackedInputs::kKept);

// Reads the graph and its spec (empty for none), and moves both to --device. What is wrong goes to the sink.
std::optional<Loaded> Load(
    const std::string& graph, const std::string& spec, const CommandLineOptions& options, DiagnosticSink& sink);

// How the options want a graph propagated.
RunOptions RunOptionsFrom(const Graph& graph, const CommandLineOptions& options, bool keep_going);

// The same, run.
Annotations Run(const Graph& graph, const std::vector<InputValue>& inputs, std::shared_ptr<ShapeEnv> env,
    const CommandLineOptions& options, bool keep_going, const Console& console);

// Runs the graph. Each error says how many nodes were skipped because of it.
Annotations Run(const Loaded& loaded, const CommandLineOptions& options, bool keep_going, const Console& console);

}  // namespace fakeprop::cli
