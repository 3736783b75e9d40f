#include "lib/rules/devices.h"

namespace fakeprop {
namespace {

bool IsZeroDimCpu(const Tensor& t) { return t.meta.rank() == 0 && t.meta.device.is_cpu(); }

// Folds one tensor after the other into the device of the call.
class DeviceFinder {
 public:
  DeviceFinder(const Schema& schema, Devices devices) : schema_(schema), devices_(devices) {}

  void Add(const Tensor& t) {
    if (!chosen_) {
      chosen_ = &t;
    } else if (t.meta.device == chosen_->meta.device) {
      if (IsZeroDimCpu(*chosen_)) chosen_ = &t;
    } else if (devices_ == Devices::kAny || IsZeroDimCpu(t)) {
      return;
    } else if (IsZeroDimCpu(*chosen_)) {
      chosen_ = &t;
    } else {
      Fail(ErrorClass::kDeviceMismatch,
           std::string(schema_.full_name) + " takes tensors of one device, but found " + chosen_->meta.device.str() + " and " +
               t.meta.device.str(),
           {chosen_, &t});
    }
  }

  Device device() const { return chosen_ ? chosen_->meta.device : Device(DeviceType::CPU); }

 private:
  const Schema& schema_;
  Devices devices_;
  const Tensor* chosen_ = nullptr;
};

}  // namespace

Device CommonDevice(const Schema& schema, std::span<const Value* const> arguments, Devices devices) {
  DeviceFinder finder(schema, devices);
  for (size_t i = 0; i < arguments.size(); ++i) {
    // FakeTensorMode asks for a common device where it has one to give to results.
    if (schema.returns.empty() && schema.arguments[i].IsOut()) continue;
    const Value* argument = arguments[i];
    if (const Tensor* t = argument->TryTensor()) {
      finder.Add(*t);
    } else if (const List* list = argument->TryList()) {
      for (const Value& item : list->items)
        if (const Tensor* element = item.TryTensor()) finder.Add(*element);
    }
  }
  return finder.device();
}

}  // namespace fakeprop
