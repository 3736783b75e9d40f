// What `fakeprop memory` is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fakeprop::cli {

// Values of a symbol: --table batch=1,2,4.
using SizeColumn = std::pair<std::string, std::vector<int64_t>>;

struct MemoryOptions {
  std::optional<size_t> free;            // --free: FreeWhen, as the words of the option
  std::vector<std::string> max_symbols;  // --max; empty for none
  std::optional<int64_t> budget;         // --budget: bytes
  std::vector<SizeColumn> table;         // --table
  int64_t top = 10;                      // --top: how many values are listed
  bool plot = false;                     // --plot
  bool training = false;                 // --training, or an option that is about training
  size_t optimizer = 0;                  // --optimizer: Optimizer, as the words of the option
  size_t optimizer_form = 0;             // --optimizer-form: UpdateForm after kDefault, as the words; 0 for the default
  bool master_weights = false;           // --master-weights
  bool accumulate = false;               // --accumulate
  std::vector<std::string> checkpoint;   // --checkpoint: patterns of modules
  bool has_allocator = false;            // --allocator cuda
  std::optional<int64_t> workspace;      // --workspace: bytes
  int64_t context = 0;                   // --context: bytes
  bool choose_checkpoints = false;       // --choose-checkpoints
  int64_t data_ranks = 1;                // --fsdp
  int stage = 3;                         // --stage
  std::vector<std::string> units;        // --units: patterns of modules
  int64_t tensor_ranks = 1;              // --tensor-parallel
  std::vector<std::string> column, row, sequence;
  std::vector<std::string> starts;  // --pipeline: patterns of the first modules of stages
  int64_t micro_batches = 1;        // --micro-batches
};

}  // namespace fakeprop::cli
