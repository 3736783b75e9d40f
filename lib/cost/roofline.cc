#include "lib/cost/roofline.h"

#include <algorithm>

#include "lib/prove/point.h"

namespace fakeprop {
namespace {

constexpr double kTera = 1e12, kGiga = 1e9;

constexpr DeviceRates kDevices[] = {
    {"a10", 125 * kTera, 31.2 * kTera, 600 * kGiga},
    {"a100-40gb", 312 * kTera, 19.5 * kTera, 1555 * kGiga},
    {"a100-80gb", 312 * kTera, 19.5 * kTera, 2039 * kGiga},
    {"b200", 2250 * kTera, 75 * kTera, 7700 * kGiga},
    {"h100-pcie", 756 * kTera, 51 * kTera, 2000 * kGiga},
    {"h100-sxm", 989.4 * kTera, 66.9 * kTera, 3350 * kGiga},
    {"h200", 989.4 * kTera, 66.9 * kTera, 4800 * kGiga},
    {"l4", 121 * kTera, 30.3 * kTera, 300 * kGiga},
    {"l40s", 362 * kTera, 91.6 * kTera, 864 * kGiga},
    {"mi300x", 1307.4 * kTera, 163.4 * kTera, 5300 * kGiga},
    {"rtx-3090", 71 * kTera, 35.6 * kTera, 936 * kGiga},
    {"rtx-4090", 165.2 * kTera, 82.6 * kTera, 1008 * kGiga},
    {"t4", 65 * kTera, 8.1 * kTera, 320 * kGiga},
    {"v100", 125 * kTera, 15.7 * kTera, 900 * kGiga},
};

double NumberAt(Dim dim, const SymbolValues& point) {
  if (const auto number = dim.TryNumber()) return static_cast<double>(*number);
  const std::optional<SymNumber> value = ValueAt(dim.Expression(), point);
  return value ? value->AsReal() : 0;
}

}  // namespace

std::span<const DeviceRates> AllDeviceRates() { return kDevices; }

const DeviceRates* FindDeviceRates(std::string_view name) {
  for (const DeviceRates& device : kDevices)
    if (device.name == name) return &device;
  return nullptr;
}

double RateOf(const DeviceRates& device, ScalarType dtype) {
  const bool is_half = dtype == ScalarType::Half || dtype == ScalarType::BFloat16;
  return is_half ? device.half_flops : device.single_flops;
}

double SecondsOf(const NodeCost& node, const DeviceRates& device, const SymbolValues& point) {
  const double compute = NumberAt(node.cost.flops, point) / RateOf(device, node.dtype);
  const double bytes = NumberAt(node.cost.bytes_read, point) + NumberAt(node.cost.bytes_written, point);
  return std::max(compute, bytes / device.bandwidth);
}

}  // namespace fakeprop
