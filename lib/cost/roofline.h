// The least time that a device needs for the work of nodes: its peak rates of arithmetic and of memory.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "lib/cost/graph_cost.h"
#include "lib/meta/scalar_type.h"

namespace fakeprop {

// Rates that the vendor publishes, dense (without sparsity). docs/cost.md names the sources.
struct DeviceRates {
  std::string_view name;    // "h100-sxm"
  double half_flops = 0;    // a second, of float16 and bfloat16 on matrix units
  double single_flops = 0;  // of float32, without TF32
  double bandwidth = 0;     // bytes a second
};

std::span<const DeviceRates> AllDeviceRates();
// Null if there is no device of that name.
const DeviceRates* FindDeviceRates(std::string_view name);

// The operations that a device computes in a second in this dtype.
double RateOf(const DeviceRates& device, ScalarType dtype);

// The seconds of a node: the greater of the time to compute and the time to move its bytes, at these numbers. As if
// each operator reached a peak rate: a lower bound.
double SecondsOf(const NodeCost& node, const DeviceRates& device, const SymbolValues& point);

}  // namespace fakeprop
