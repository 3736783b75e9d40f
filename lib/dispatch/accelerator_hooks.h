// LibTorch's hooks of the accelerators that fake tensors are on.
#pragma once

#include <c10/core/DeviceType.h>

#include <atomic>

namespace fakeprop::dispatch {

// LibTorch gets hooks of the accelerators that it was built without: cuda, hip, hpu, mps, mtia, xpu. Autograd's engine
// asks them which accelerator there is, and LibTorch allows one. They answer: that of the latest fake tensor.

// From now on there is an accelerator: cuda until there is a fake tensor on another one. Before, LibTorch sees none.
void ShowAccelerators();

// The accelerator of the latest fake tensor of this process; the cpu if there is none.
extern std::atomic<c10::DeviceType> used_accelerator;
void SwitchAccelerator(c10::DeviceType type);

// Notes that a fake tensor is on a device of this type. For privateuseone, whose hooks cannot be switched off any more,
// they are registered at the first such tensor.
inline void UseAccelerator(c10::DeviceType type) {
  if (type != c10::DeviceType::CPU && type != used_accelerator.load(std::memory_order_relaxed)) SwitchAccelerator(type);
}

}  // namespace fakeprop::dispatch
