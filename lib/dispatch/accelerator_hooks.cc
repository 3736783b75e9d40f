// Source: at::accelerator::getAccelerator (aten/src/ATen/DeviceAccelerator.cpp), Node::stream
// (torch/csrc/autograd/function.cpp), torch 2.13.
#include "lib/dispatch/accelerator_hooks.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/detail/HIPHooksInterface.h>
#include <ATen/detail/HPUHooksInterface.h>
#include <ATen/detail/MPSHooksInterface.h>
#include <ATen/detail/MTIAHooksInterface.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/detail/XPUHooksInterface.h>

#include <memory>
#include <mutex>

#include "lib/dispatch/fake_devices.h"

namespace fakeprop::dispatch {
namespace {

using c10::DeviceIndex;
using c10::DeviceType;

std::atomic<bool> are_shown = false;

bool IsUsed(DeviceType type) { return used_accelerator.load(std::memory_order_relaxed) == type; }

// What all hooks answer if the accelerator is in use: it is there, and nothing runs on it. Else they answer as
// LibTorch's own.
template <typename Interface, DeviceType D>
class FakeHooks : public Interface {
 public:
  bool isBuilt() const override { return IsUsed(D); }
  bool isAvailable() const override { return IsUsed(D); }
  bool hasPrimaryContext(DeviceIndex index) const override { return IsUsed(D) || Interface::hasPrimaryContext(index); }
  void init() const override {
    if (!IsUsed(D)) Interface::init();
  }
  DeviceIndex deviceCount() const override { return IsUsed(D); }
  DeviceIndex getCurrentDevice() const override { return CurrentIndex(D); }
  void setCurrentDevice(DeviceIndex index) const override { SetCurrentIndex(D, index); }
  DeviceIndex exchangeDevice(DeviceIndex index) const override { return SetCurrentIndex(D, index); }
  DeviceIndex maybeExchangeDevice(DeviceIndex index) const override { return SetCurrentIndex(D, index); }
  bool isPinnedPtr(const void*) const override { return false; }
  // at::manual_seed seeds the generator of every device. This one is never used.
  const at::Generator& getDefaultGenerator(DeviceIndex index) const override {
    if (!IsUsed(D)) return Interface::getDefaultGenerator(index);
    static const auto* const generator = new at::Generator(at::detail::createCPUGenerator());
    return *generator;
  }
};

struct FakeCuda final : FakeHooks<at::CUDAHooksInterface, DeviceType::CUDA> {
  bool hasCUDA() const override { return IsUsed(DeviceType::CUDA); }
  int getNumGPUs() const override { return deviceCount(); }
  DeviceIndex current_device() const override { return getCurrentDevice(); }
  void deviceSynchronize(DeviceIndex) const override {}
};
struct FakeHip final : FakeHooks<at::HIPHooksInterface, DeviceType::HIP> {
  bool hasHIP() const override { return IsUsed(DeviceType::HIP); }
  int getNumGPUs() const override { return deviceCount(); }
  DeviceIndex current_device() const override { return getCurrentDevice(); }
};
struct FakeHpu final : FakeHooks<at::HPUHooksInterface, DeviceType::HPU> {
  bool hasHPU() const override { return IsUsed(DeviceType::HPU); }
};
struct FakeMps final : FakeHooks<at::MPSHooksInterface, DeviceType::MPS> {
  bool hasMPS() const override { return IsUsed(DeviceType::MPS); }
  void deviceSynchronize() const override {}
};
struct FakeMtia final : FakeHooks<at::MTIAHooksInterface, DeviceType::MTIA> {
  bool hasMTIA() const override { return IsUsed(DeviceType::MTIA); }
  void deviceSynchronize(DeviceIndex) const override {}
};
struct FakeXpu final : FakeHooks<at::XPUHooksInterface, DeviceType::XPU> {
  bool hasXPU() const override { return IsUsed(DeviceType::XPU); }
  DeviceIndex getNumGPUs() const override { return deviceCount(); }
  DeviceIndex current_device() const override { return getCurrentDevice(); }
  void deviceSynchronize(DeviceIndex) const override {}
};
struct FakePrivateUse1 final : FakeHooks<at::PrivateUse1HooksInterface, DeviceType::PrivateUse1> {};

// A LibTorch with this accelerator, or another library, registered its own hooks when it was loaded.
template <typename Hooks, typename Interface, typename... Args>
void Register(c10::Registry<std::string, std::unique_ptr<Interface>, Args...>* registry, const char* name) {
  if (registry->Has(name)) return;
  // If a library with this accelerator is loaded later, its hooks replace these.
  registry->Register(
      name, [](Args...) { return std::unique_ptr<Interface>(new Hooks); }, c10::REGISTRY_FALLBACK);
}

void RegisterPrivateUse1() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (!c10::is_privateuse1_backend_registered()) c10::register_privateuse1_backend("privateuseone");
    if (!at::isPrivateUse1HooksRegistered()) at::RegisterPrivateUse1HooksInterface(new FakePrivateUse1);
  });
}

bool IsAccelerator(DeviceType type) {
  switch (type) {
    case DeviceType::CUDA:
    case DeviceType::HIP:
    case DeviceType::HPU:
    case DeviceType::MPS:
    case DeviceType::MTIA:
    case DeviceType::PrivateUse1:
    case DeviceType::XPU: return true;
    default: return false;
  }
}

}  // namespace

std::atomic<DeviceType> used_accelerator = DeviceType::CPU;

void SwitchAccelerator(DeviceType type) {
  if (!IsAccelerator(type)) return;
  if (type == DeviceType::PrivateUse1 && are_shown.load()) RegisterPrivateUse1();
  used_accelerator.store(type, std::memory_order_relaxed);
}

void ShowAccelerators() {
  are_shown.store(true);
  DeviceType none = DeviceType::CPU;
  used_accelerator.compare_exchange_strong(none, DeviceType::CUDA);
}

namespace {

// LibTorch looks for hooks and counts devices once, at the first backward pass of the process, which may come before
// the first mode. So all is registered when the program is loaded. It changes nothing for tensors with data.
[[maybe_unused]] const bool registered = [] {
  RegisterFakeDevices();
  Register<FakeCuda>(at::CUDAHooksRegistry(), "CUDAHooks");
  Register<FakeHip>(at::HIPHooksRegistry(), "HIPHooks");
  Register<FakeHpu>(at::HPUHooksRegistry(), "HPUHooks");
  Register<FakeMps>(at::MPSHooksRegistry(), "MPSHooks");
  Register<FakeMtia>(at::MTIAHooksRegistry(), "MTIAHooks");
  Register<FakeXpu>(at::XPUHooksRegistry(), "XPUHooks");
  return true;
}();

}  // namespace

}  // namespace fakeprop::dispatch
