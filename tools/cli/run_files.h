// Which files a run reads and writes.
#pragma once

#include <string>
#include <vector>

#include "fakeprop/diagnostic.h"
#include "tools/cli/command_line_options.h"

namespace fakeprop::cli {

// The files that belong to one graph; empty where there is none.
struct GraphFiles {
  std::string graph;
  // The graph's file name without its endings: "resnet" of "models/resnet.json.xz". Of a graph that was found in a
  // folder of the command line it has the path below that folder: "vision/resnet".
  std::string name;
  bool is_found = false;  // in such a folder
  std::string inputs;     // its spec
  std::string golden;
};

// Whether the command line names several graphs, or a folder of them.
bool TakesSeveralGraphs(const CommandLineOptions& options);

// Whether the value of --golden or --inputs is a folder with a file for each graph.
bool IsFolderOfFiles(const std::string& option, const CommandLineOptions& options);

// The files of each graph, in the order of the command line. A folder stands for what lies in it and below it and is
// called as graphs are (.pt2, .pt, .json and compressed), by name; hidden folders are passed over. Of a folder that
// --golden or --inputs names, `golden/resnet.json` belongs to the graph called "resnet".
std::vector<GraphFiles> FilesOfGraphs(const CommandLineOptions& options);

// False and a diagnostic where -o or --update-golden would write over a file that the run reads, whatever path names
// it, or over each other's.
bool CheckFilesReadStay(const CommandLineOptions& options, DiagnosticSink& sink);

}  // namespace fakeprop::cli
