// The device that a call runs on. Source: FakeTensor._find_common_device (torch/_subclasses/fake_tensor.py, 2.13).
#pragma once

#include <span>

#include "lib/rules/rule_table.h"

namespace fakeprop {

// The common device of the tensors among the arguments: 0-dim cpu tensors give way to another device; cpu where there
// is none. Two others that differ are an OpError of class DeviceMismatch that names both operands; with
// Devices::kAny the first tensor's device counts; with kByItem it is that of the lists' first items.
Device CommonDevice(const Schema& schema, std::span<const Value* const> arguments, Devices devices);

// The device of the tensors at place `item` of the lists among the arguments, whether or not all are on it.
Device ItemDevice(const Schema& schema, std::span<const Value* const> arguments, size_t item);

}  // namespace fakeprop
