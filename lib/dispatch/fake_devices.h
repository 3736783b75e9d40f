// Devices that fake tensors can be on although LibTorch was built without them.
#pragma once

#include <c10/core/Device.h>

namespace fakeprop::dispatch {

// Registers a device guard for every device type that LibTorch has none for. It does nothing but remember the thread's
// current device, so `cuda` means what c10::DeviceGuard says.
void RegisterFakeDevices();

// The index that a device without one has: that of the thread's current device of its type.
c10::DeviceIndex CurrentIndex(c10::DeviceType type);
// Sets it, and returns the earlier one.
c10::DeviceIndex SetCurrentIndex(c10::DeviceType type, c10::DeviceIndex index);

}  // namespace fakeprop::dispatch
