#include "lib/libtorch_fallback/plugin/thread_state_guard.h"

#include <ATen/autocast_mode.h>
#include <c10/core/DefaultDtype.h>

#include "lib/dispatch/torch_types.h"

namespace fakeprop::libtorch {

AutocastGuard::AutocastGuard(c10::DeviceType device, const ExecutionState::Autocast& autocast)
    : device_(device),
      was_enabled_(at::autocast::is_autocast_enabled(device)),
      old_dtype_(at::autocast::get_autocast_dtype(device)) {
  at::autocast::set_autocast_enabled(device, autocast.enabled);
  at::autocast::set_autocast_dtype(device, ToTorch(autocast.dtype));
}

AutocastGuard::~AutocastGuard() {
  at::autocast::set_autocast_enabled(device_, was_enabled_);
  at::autocast::set_autocast_dtype(device_, old_dtype_);
}

ThreadStateGuard::ThreadStateGuard(const ExecutionState& state)
    : grad_mode_(state.grad_enabled),
      cpu_(c10::DeviceType::CPU, state.cpu_autocast),
      cuda_(c10::DeviceType::CUDA, state.cuda_autocast),
      had_autocast_cache_(at::autocast::is_autocast_cache_enabled()),
      old_dtype_(c10::get_default_dtype_as_scalartype()),
      no_python_(c10::DispatchKey::Python),  // see StampFakeDevice
      fake_(c10::DispatchKey::Fake) {
  // The cache would keep fake tensors of this call alive for later ones.
  at::autocast::set_autocast_cache_enabled(false);
  const c10::ScalarType dtype = ToTorch(state.default_dtype);
  if (old_dtype_ != dtype) c10::set_default_dtype(c10::scalarTypeToTypeMeta(dtype));
}

ThreadStateGuard::~ThreadStateGuard() {
  at::autocast::set_autocast_cache_enabled(had_autocast_cache_);
  if (c10::get_default_dtype_as_scalartype() != old_dtype_)
    c10::set_default_dtype(c10::scalarTypeToTypeMeta(old_dtype_));
}

}  // namespace fakeprop::libtorch
