// The device that a call runs on. Source: FakeTensor._find_common_device (torch/_subclasses/fake_tensor.py, 2.13).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "lib/rules/core/call.h"
#include "lib/rules/core/operator_facts.h"

namespace fakeprop {

// The device of a call, from one tensor after another: 0-dim cpu tensors may give way to another device.
class DeviceFold {
 public:
  enum class Numbers { kYield, kCount };
  enum class Added { kTaken, kLeft, kMismatch };

  explicit DeviceFold(Numbers numbers) : numbers_yield_(numbers == Numbers::kYield) {}

  // Whether the tensor's device is the call's from here on. A mismatch leaves it as it was.
  Added Add(Device device, int64_t rank);
  // The cpu where there was no tensor.
  Device device() const { return device_.value_or(Device(DeviceType::CPU)); }

 private:
  const bool numbers_yield_;
  std::optional<Device> device_;
  bool yields_ = false;
};

// What FakeTensorMode says of tensors on two devices.
std::string DeviceMismatchText(std::string_view op, Device a, Device b);

// The common device of the tensors among the arguments: 0-dim cpu tensors give way to another device; cpu where there
// is none. Two others that differ are an OpError of class DeviceMismatch that names both operands; with
// Devices::kAny the first tensor's device counts; with kByItem it is that of the lists' first items.
Device CommonDevice(const Schema& schema, std::span<const Value* const> arguments, Devices devices);

// The device of the tensors at place `item` of the lists among the arguments, whether or not all are on it.
Device ItemDevice(const Schema& schema, std::span<const Value* const> arguments, size_t item);

}  // namespace fakeprop
