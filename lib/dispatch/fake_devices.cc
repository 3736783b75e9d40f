#include "lib/dispatch/fake_devices.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <array>
#include <utility>

namespace fakeprop::dispatch {
namespace {

using c10::DeviceIndex;
using c10::DeviceType;
using c10::Stream;

constexpr int kTypes = static_cast<int>(DeviceType::COMPILE_TIME_MAX_DEVICE_TYPES);

// The thread's current device of each type.
DeviceIndex& Current(DeviceType type) {
  thread_local std::array<DeviceIndex, kTypes> current{};
  return current[static_cast<size_t>(type)];
}

// More devices than any program names. All have the same stream, and work on it is always done: autograd's engine
// would otherwise ask for the data of a gradient that goes from one stream to another.
template <DeviceType D>
struct FakeDeviceGuard final : c10::impl::NoOpDeviceGuardImpl<D> {
  c10::Device exchangeDevice(c10::Device device) const override {
    return c10::Device(D, std::exchange(Current(D), IndexOf(device)));
  }
  c10::Device getDevice() const override { return c10::Device(D, Current(D)); }
  void setDevice(c10::Device device) const override { Current(D) = IndexOf(device); }
  void uncheckedSetDevice(c10::Device device) const noexcept override { Current(D) = IndexOf(device); }
  DeviceIndex deviceCount() const noexcept override { return 127; }

  Stream getStream(c10::Device) const noexcept override { return TheStream(); }
  Stream getDefaultStream(c10::Device) const override { return TheStream(); }
  Stream getStreamFromGlobalPool(c10::Device, bool) const override { return TheStream(); }
  Stream getNewStream(c10::Device, int) const override { return TheStream(); }
  Stream exchangeStream(Stream stream) const noexcept override { return stream; }
  bool queryStream(const Stream&) const override { return true; }
  void synchronizeStream(const Stream&) const override {}
  void synchronizeDevice(DeviceIndex) const override {}

  void record(void**, const Stream&, DeviceIndex, c10::EventFlag) const override {}
  void block(void*, const Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  void synchronizeEvent(void*) const override {}
  double elapsedTime(void*, void*, DeviceIndex) const override { return 0; }

 private:
  static DeviceIndex IndexOf(c10::Device device) { return device.has_index() ? device.index() : Current(D); }
  static Stream TheStream() { return Stream(Stream::DEFAULT, c10::Device(D, 0)); }
};

template <DeviceType D>
void Register() {
  // A LibTorch with this device registered its own guard when it was loaded.
  if (c10::impl::hasDeviceGuardImpl(D)) return;
  static FakeDeviceGuard<D> guard;
  c10::impl::DeviceGuardImplRegistrar(D, &guard);
}

template <int... kType>
void RegisterAll(std::integer_sequence<int, kType...>) {
  (Register<static_cast<DeviceType>(kType)>(), ...);
}

}  // namespace

void RegisterFakeDevices() { RegisterAll(std::make_integer_sequence<int, kTypes>()); }

DeviceIndex CurrentIndex(DeviceType type) {
  if (!c10::impl::hasDeviceGuardImpl(type)) return 0;
  const DeviceIndex index = c10::impl::getDeviceGuardImpl(type)->getDevice().index();
  return index < 0 ? 0 : index;
}

DeviceIndex SetCurrentIndex(DeviceType type, DeviceIndex index) {
  return c10::impl::getDeviceGuardImpl(type)->exchangeDevice(c10::Device(type, index)).index();
}

}  // namespace fakeprop::dispatch
