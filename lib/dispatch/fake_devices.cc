#include "lib/dispatch/fake_devices.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>

namespace fakeprop::dispatch {
namespace {

// One stream, no events, and more devices than any graph names.
template <c10::DeviceType D>
struct FakeDeviceGuard final : c10::impl::NoOpDeviceGuardImpl<D> {
  c10::Device exchangeDevice(c10::Device) const override { return c10::Device(D, 0); }
  c10::Device getDevice() const override { return c10::Device(D, 0); }
  c10::Stream getStream(c10::Device device) const noexcept override {
    return c10::Stream(c10::Stream::DEFAULT, device);
  }
  c10::Stream exchangeStream(c10::Stream stream) const noexcept override { return stream; }
  c10::DeviceIndex deviceCount() const noexcept override { return 127; }
};

template <c10::DeviceType D>
void Register() {
  // A LibTorch with this device registered its own guard when it was loaded.
  if (c10::impl::hasDeviceGuardImpl(D)) return;
  static FakeDeviceGuard<D> guard;
  c10::impl::DeviceGuardImplRegistrar(D, &guard);
}

}  // namespace

void RegisterFakeDevices() {
  Register<c10::DeviceType::CUDA>();
  Register<c10::DeviceType::HIP>();
  Register<c10::DeviceType::XPU>();
  Register<c10::DeviceType::MPS>();
  Register<c10::DeviceType::XLA>();
  Register<c10::DeviceType::HPU>();
  Register<c10::DeviceType::MTIA>();
  Register<c10::DeviceType::PrivateUse1>();
}

}  // namespace fakeprop::dispatch
