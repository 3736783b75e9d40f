#include "lib/deferred_init/recorder.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace fakeprop::deferred_init {
namespace {

TEST(HookCall, ReadsRecordingsUnderTheLock) {
  const at::Tensor deferred = DeferredInit([] { return torch::ones({2}); });
  std::atomic<bool> is_made = false;
  std::thread other;
  {
    const std::lock_guard lock(GraphMutex());
    other = std::thread([&] {
      const HookCall call(CallKind::kTensorData, {deferred});
      is_made = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_FALSE(is_made);
  }
  other.join();
  EXPECT_TRUE(is_made);
}

}  // namespace
}  // namespace fakeprop::deferred_init
