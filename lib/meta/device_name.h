// Devices by name.
#pragma once

#include <c10/core/Device.h>

#include <optional>
#include <string>

namespace fakeprop {

// "cpu", "cuda:1", "meta" ... Nothing if c10 does not know the device type, or if the index is invalid.
std::optional<c10::Device> DeviceFromName(const std::string& name);

// The device with its index filled in, as a tensor on it reports it: "cuda" is "cuda:0". cpu and meta have none.
c10::Device WithIndex(c10::Device device);

}  // namespace fakeprop
