#include "lib/fake/cuda_hooks.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/CUDAHooksInterface.h>

namespace fakeprop::fake {
namespace {

class FakeCudaHooks final : public at::CUDAHooksInterface {
 public:
  using CUDAHooksInterface::CUDAHooksInterface;
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasCUDA() const override { return true; }
  bool hasPrimaryContext(at::DeviceIndex) const override { return true; }
  at::DeviceIndex deviceCount() const override { return 1; }
  int getNumGPUs() const override { return 1; }
  at::DeviceIndex current_device() const override { return 0; }
  at::DeviceIndex getCurrentDevice() const override { return 0; }
  bool isPinnedPtr(const void*) const override { return false; }
  void init() const override {}
  // Nothing runs on the device.
  void deviceSynchronize(at::DeviceIndex) const override {}
  // at::manual_seed seeds the generator of every device. This one is never used.
  const at::Generator& getDefaultGenerator(at::DeviceIndex) const override {
    static const auto* const generator = new at::Generator(at::detail::createCPUGenerator());
    return *generator;
  }
};

}  // namespace

void RegisterCudaHooks() {
  if (at::CUDAHooksRegistry()->Has("CUDAHooks")) return;
  at::CUDAHooksRegistry()->Register(
      "CUDAHooks", [](at::CUDAHooksArgs) { return std::unique_ptr<at::CUDAHooksInterface>(new FakeCudaHooks); });
}

}  // namespace fakeprop::fake
