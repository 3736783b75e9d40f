// What `fakeprop cost` is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lib/cost/roofline.h"

namespace fakeprop::cli {

enum class CostRows { kOperators, kModules, kNodes };

struct CostOptions {
  CostRows by = CostRows::kOperators;  // --by
  std::optional<int64_t> budget;       // --budget: floating-point operations
  std::optional<DeviceRates> device;   // --on, or --peak-flops and --bandwidth
  int64_t top = 20;                    // --top: how many rows are printed
};

}  // namespace fakeprop::cli
