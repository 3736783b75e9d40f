// Registers everything that LibTorch needs before the first fake tensor.
#include <ATen/core/dispatch/Dispatcher.h>

#include <mutex>

#include "lib/dispatch/fake_devices.h"
#include "lib/dispatch/fallback.h"
#include "lib/fake/composites.h"
#include "lib/fake/cuda_hooks.h"
#include "lib/fake/mode_state.h"
#include "lib/fake/serve.h"

namespace fakeprop::fake {

void Prepare() {
  static std::once_flag once;
  std::call_once(once, [] {
    RegisterCudaHooks();
    dispatch::RegisterFakeDevices();
    dispatch::RegisterFakeFallback();
    dispatch::SetServer(&ServeInMode);
    RegisterComposites();
  });
}

}  // namespace fakeprop::fake
