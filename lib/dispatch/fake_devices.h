// Lets a LibTorch that was built for the CPU alone handle fake tensors on other devices.
#pragma once

namespace fakeprop::dispatch {

// Registers a device guard that does nothing for each device type that has none. Before the first fake tensor.
void RegisterFakeDevices();

}  // namespace fakeprop::dispatch
