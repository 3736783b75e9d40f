// Devices by name.
#pragma once

#include <optional>
#include <string_view>

#include "lib/meta/device.h"

namespace fakeprop {

// "cpu", "cuda:1", "meta" ... Nothing if torch does not know the device type, or if the index is invalid: it has 7 bits
// and no leading zeros, and the cpu is device 0 of its kind. Source: c10/core/Device.cpp (torch 2.13).
std::optional<Device> DeviceFromName(std::string_view name);

// The device with its index filled in, as a tensor on it reports it: "cuda" is "cuda:0". cpu and meta have none.
Device WithIndex(Device device);

}  // namespace fakeprop
