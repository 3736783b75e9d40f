// Lets a LibTorch that was built only for the CPU handle fake tensors on other devices.
#pragma once

namespace fakeprop::dispatch {

// Registers a device guard that does nothing for each device type that has none. Call it before making the first fake
// tensor.
void RegisterFakeDevices();

}  // namespace fakeprop::dispatch
