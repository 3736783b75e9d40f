// The files that a run reads and writes.
#pragma once

#include <string>
#include <vector>

#include "fakeprop/diagnostic.h"
#include "tools/cli/command_line_options.h"

namespace fakeprop::cli {

// The files that belong to one graph; empty if there is none.
struct GraphFiles {
  std::string graph;
  // The graph's file name without its endings: "resnet" for "models/resnet.json.xz". If the graph was found in a folder
  // of the command line, the path below that folder: "vision/resnet".
  std::string name;
  bool is_found = false;  // in such a folder
  std::string inputs;     // its spec
  std::string golden;
};

// Returns true if the command line names several graphs, or a folder of graphs.
bool TakesSeveralGraphs(const CommandLineOptions& options);

// Returns true if the value of --golden or --inputs is a folder with a file for each graph.
bool IsFolderOfFiles(const std::string& option, const CommandLineOptions& options);

// The files of each graph, in the order of the command line. A folder stands for all files in and below it with the
// ending of a graph (.pt2, .pt, .json, also compressed), sorted by name. Hidden folders are skipped. If --golden or
// --inputs names a folder, `golden/resnet.json` belongs to the graph named "resnet".
std::vector<GraphFiles> FilesOfGraphs(const CommandLineOptions& options);

// Returns false and adds a diagnostic if -o or --update-golden would overwrite a file that the run reads, by whatever
// path, or if they would write to the same file.
bool CheckFilesReadStay(const CommandLineOptions& options, DiagnosticSink& sink);

}  // namespace fakeprop::cli
