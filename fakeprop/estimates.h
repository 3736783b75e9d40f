// What a graph would need: bytes held, and work.
//
//   const fakeprop::MemoryEstimate memory = fakeprop::EstimateMemory(annotated, {.sizes = {{"batch", 8}}});
//   std::cout << memory.peak << " bytes after " << memory.node << "\n";
//   std::cout << ToString(fakeprop::EstimateCost(annotated).flops) << " FLOP\n";
//
// docs/memory.md and docs/cost.md say what is counted. The graph must have propagated without errors. Each function
// throws std::invalid_argument if it has not, or if the question does not fit the graph.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fakeprop/annotated_graph.h"
#include "fakeprop/shape_symbols.h"

namespace fakeprop {

// A step of training instead of a run.
struct TrainingQuestion {
  std::string optimizer = "none";  // as the option --optimizer has it: "sgd", "momentum", "adam", "adamw" ...
  bool master_weights = false;
  bool accumulate = false;
  std::vector<std::string> checkpoint;  // patterns of modules whose activations are recomputed
};

struct MemoryQuestion {
  SymbolNumbers sizes;  // symbols that are not here have their hints
  std::optional<TrainingQuestion> training;
};

// A storage, or what a step of training adds, that is alive at the peak.
struct LiveBlock {
  std::string value;     // "mul", "gradient of mul"
  std::string category;  // "parameters", "activations" ..., as in the JSON of `fakeprop memory`
  std::string device;
  int64_t bytes = 0;
};

struct MemoryEstimate {
  int64_t peak = 0;              // bytes
  std::string node;              // the first after which it is reached; empty if nothing is ever alive
  std::vector<SizeExpr> pieces;  // for all sizes that satisfy the guards, the peak is the greatest of these
  std::map<std::string, int64_t> categories;  // bytes at the peak
  std::vector<LiveBlock> alive;               // at the peak, the largest first
  std::vector<int64_t> curve;                 // bytes after each node
  std::vector<std::string> approximate;       // of training: operators for which it is not known what autograd saves
};

MemoryEstimate EstimateMemory(const AnnotatedGraph& annotated, const MemoryQuestion& question = {});

// The largest value of a symbol whose peak is within a budget. Nothing if not even the least fits.
std::optional<int64_t> LargestWithin(
    const AnnotatedGraph& annotated, const std::string& symbol, int64_t budget, const MemoryQuestion& question = {});

struct CostEstimate {
  SizeExpr flops;  // a multiply-add is two
  SizeExpr bytes_read;
  SizeExpr bytes_written;
  std::map<std::string, SizeExpr> flops_by_operator;  // "aten.mm"
  std::map<std::string, SizeExpr> flops_by_module;    // with the modules in it
  std::vector<std::string> uncounted;                 // nodes for which there is no formula; never taken for zero
};

CostEstimate EstimateCost(const AnnotatedGraph& annotated);

// The least number of seconds on a device with these rates: operations and bytes in a second. Nodes run one by one.
double LeastSeconds(
    const AnnotatedGraph& annotated, double peak_flops, double bandwidth, const SymbolNumbers& sizes = {});

}  // namespace fakeprop
