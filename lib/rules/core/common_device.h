// The device that a call runs on. Source: FakeTensor._find_common_device (torch/_subclasses/fake_tensor.py, 2.13).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "lib/rules/core/call.h"
#include "lib/rules/core/operator_facts.h"

namespace fakeprop {

// Finds the device of a call from one tensor after another. 0-dim cpu tensors may give way to another device.
class DeviceFold {
 public:
  enum class Numbers { kYield, kCount };
  enum class Added { kTaken, kLeft, kMismatch };

  explicit DeviceFold(Numbers numbers) : numbers_yield_(numbers == Numbers::kYield) {}

  // Adds a tensor, and says whether its device becomes the device of the call. After a mismatch the device is as
  // before.
  Added Add(Device device, int64_t rank);
  // The device so far; the cpu if there was no tensor.
  Device device() const { return device_.value_or(Device(DeviceType::CPU)); }

 private:
  const bool numbers_yield_;
  std::optional<Device> device_;
  bool yields_ = false;
};

// FakeTensorMode's message about tensors on two devices.
std::string DeviceMismatchText(std::string_view op, Device a, Device b);

// The message about an operator that other devices have, and the cpu has not.
std::string NoCpuKernelText(std::string_view op);

// The common device of the tensors among the arguments; the cpu if there is no tensor. 0-dim cpu tensors give way to
// another device. If two other tensors are on different devices, throws an OpError of class DeviceMismatch that names
// both. With Devices::kAny, returns the first tensor's device. With kByItem, returns the device of the lists' first
// items.
Device CommonDevice(const Schema& schema, std::span<const Value* const> arguments, Devices devices);

// The device of the tensors at index `item` of the lists among the arguments. Does not check that all are on it.
Device ItemDevice(const Schema& schema, std::span<const Value* const> arguments, size_t item);

}  // namespace fakeprop
