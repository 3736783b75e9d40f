// The modules of a graph as a tree, with sums over what is in each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/interpreter/annotations.h"

namespace fakeprop::cli {

// Numbers at the symbols' hints; sizes that depend on data count as 0.
struct ModuleSums {
  int64_t nodes = 0;  // without parameters, buffers and constants
  int64_t flops = 0;
  int64_t result_bytes = 0;  // of storages, at the nodes that make them
  int64_t parameters = 0;    // elements; of parameters, buffers and constants, at the module that owns them
  int64_t parameter_bytes = 0;

  ModuleSums& operator+=(const ModuleSums& other);
  bool operator==(const ModuleSums&) const = default;
};

struct TreeModule {
  std::string path;  // "encoder.layers.0"; empty for the graph
  std::string name;  // the path without that of the module around it
  std::string type;  // "TransformerEncoderLayer"; empty if it is not known
  int parent = -1;
  std::vector<int> children;                 // in the order of their first nodes
  std::vector<const NodeAnnotation*> nodes;  // those that are in no module within
  ModuleSums sums;                           // of all that is in it
};

struct ModuleTree {
  std::vector<TreeModule> modules;  // the first is the graph; each stands after the one around it
  bool has_flops = false;           // the graph propagates, so its work is counted
  size_t uncounted = 0;             // nodes without a formula for FLOPs
};

// Texts have no control characters. `graph` and `annotations` must outlive the result.
ModuleTree MakeModuleTree(const Graph& graph, const Annotations& annotations);

// "did you mean `encoder`?": the module whose path is nearest to a word that fits none. No notes if none is near.
std::vector<std::string> NotesOnModule(const std::string& word, const ModuleTree& tree);

}  // namespace fakeprop::cli
