// What a run holds in memory: blocks of bytes, and the steps between which each is alive.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/graph/graph.h"
#include "lib/meta/dim.h"

namespace fakeprop {

// What a block is for.
enum class MemoryCategory {
  kParameter,
  kBuffer,
  kInput,
  kConstant,
  kOptimizerState,
  kActivation,  // made by the forward pass and used by the backward pass
  kGradient,    // of a parameter or an input
  kTemporary,
  kOutput,
};
inline constexpr int kMemoryCategories = 9;

// "parameters", "activations" ... as JSON has them.
std::string_view Name(MemoryCategory category);
// "parameter", "activation" ...
std::string_view SingularName(MemoryCategory category);

// A storage, or another allocation that a model of training adds.
struct MemoryBlock {
  Dim bytes;
  Device device = Device(DeviceType::CPU);
  int32_t first = 0;  // the first and the last step after which it is alive
  int32_t last = 0;
  MemoryCategory category = MemoryCategory::kTemporary;
  const Node* maker = nullptr;   // the node that returned it first
  std::string_view role = {};    // "gradient of": what the block is to its maker; empty for its result
  std::string_view module = {};  // if it is about a module instead of a node: the module's path
};

// Memory is counted after each step, before the tensors that the step was the last to use are dropped.
struct MemoryStep {
  const Node* node = nullptr;
  std::string_view role = {};    // "backward of", in a model of training; empty for a run of the node itself
  bool is_counted = true;        // placeholders are not: nothing has run yet
  std::string_view module = {};  // if it is about a module instead of a node: the module's path
};

struct Timeline {
  std::vector<MemoryStep> steps;
  std::vector<MemoryBlock> blocks;
  std::vector<int32_t> block_of;  // by the storage's number: its block; -1 if it has none
};

}  // namespace fakeprop
