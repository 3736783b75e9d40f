#include "lib/rules/devices.h"

#include <algorithm>

namespace fakeprop {
namespace {

bool IsZeroDimCpu(const Tensor& t) { return t.meta.rank() == 0 && t.meta.device.is_cpu(); }

enum class Mismatch { kError, kFirstCounts };

// Folds one tensor after the other into the device of the call.
class DeviceFinder {
 public:
  DeviceFinder(const Schema& schema, Devices devices)
      : schema_(schema),
        mismatch_(devices == Devices::kAny ? Mismatch::kFirstCounts : Mismatch::kError),
        numbers_yield_(devices == Devices::kOne || devices == Devices::kByItem) {}
  DeviceFinder(const Schema& schema, Mismatch mismatch) : schema_(schema), mismatch_(mismatch), numbers_yield_(true) {}

  void Add(const Tensor& t) {
    if (!chosen_) {
      chosen_ = &t;
    } else if (t.meta.device == chosen_->meta.device) {
      if (Yields(*chosen_)) chosen_ = &t;
    } else if (Yields(t)) {
      return;
    } else if (Yields(*chosen_)) {
      chosen_ = &t;
    } else if (mismatch_ == Mismatch::kError) {
      Fail(ErrorClass::kDeviceMismatch,
          std::string(schema_.full_name) + " takes tensors of one device, but found " + chosen_->meta.device.str() +
              " and " + t.meta.device.str(),
          {chosen_, &t});
    }
  }

  Device device() const { return chosen_ ? chosen_->meta.device : Device(DeviceType::CPU); }

 private:
  bool Yields(const Tensor& t) const { return numbers_yield_ && IsZeroDimCpu(t); }

  const Schema& schema_;
  const Mismatch mismatch_;
  const bool numbers_yield_;
  const Tensor* chosen_ = nullptr;
};

size_t LongestList(std::span<const Value* const> arguments) {
  size_t longest = 0;
  for (const Value* argument : arguments)
    if (const List* list = argument->TryList()) longest = std::max(longest, list->items.size());
  return longest;
}

void AddItems(DeviceFinder& finder, std::span<const Value* const> arguments, size_t item) {
  for (const Value* argument : arguments) {
    const List* list = argument->TryList();
    if (!list || item >= list->items.size()) continue;
    if (const Tensor* t = list->items[item].TryTensor()) finder.Add(*t);
  }
}

// Source: foreach_run_and_map_input_device (torch/_subclasses/fake_impls.py).
Device DeviceByItem(const Schema& schema, std::span<const Value* const> arguments) {
  for (size_t item = LongestList(arguments); item-- > 1;) {
    DeviceFinder finder(schema, Devices::kByItem);
    AddItems(finder, arguments, item);
  }
  DeviceFinder first(schema, Devices::kByItem);
  AddItems(first, arguments, 0);
  return first.device();
}

}  // namespace

Device CommonDevice(const Schema& schema, std::span<const Value* const> arguments, Devices devices) {
  if (devices == Devices::kByItem) return DeviceByItem(schema, arguments);
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

Device ItemDevice(const Schema& schema, std::span<const Value* const> arguments, size_t item) {
  DeviceFinder finder(schema, Mismatch::kFirstCounts);
  AddItems(finder, arguments, item);
  return finder.device();
}

}  // namespace fakeprop
