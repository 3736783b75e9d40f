// Registers everything that LibTorch needs before the first fake tensor.
#include <ATen/core/dispatch/Dispatcher.h>

#include <mutex>

#include "lib/dispatch/accelerator_hooks.h"
#include "lib/dispatch/fallback.h"
#include "lib/fake/composites.h"
#include "lib/fake/hinted_sizes.h"
#include "lib/fake/mode_state.h"
#include "lib/fake/repeated_composites.h"
#include "lib/fake/serve.h"
#include "lib/fake/unboxed_call.h"
#include "lib/fake/variable_hooks.h"

namespace fakeprop::fake {

void Prepare() {
  static std::once_flag once;
  std::call_once(once, [] {
    dispatch::ShowAccelerators();
    dispatch::SetServer(&ServeInMode);
    AnswerSizesByHints();
    RegisterComposites();
    RegisterRepeatedComposites();
    RegisterVariableHooks();
    RegisterUnboxedKernels();
    RegisterUnboxedKernelsForImages();
    RegisterUnboxedKernelsForParts();
    RegisterUnboxedKernelsForWrites();
  });
  dispatch::RegisterFakeFallback();
}

}  // namespace fakeprop::fake
