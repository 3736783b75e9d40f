#include "lib/rules/core/common_device.h"

#include <algorithm>

#include "lib/meta/value_visit.h"

namespace fakeprop {
namespace {

enum class Mismatch { kError, kFirstCounts };

DeviceFold::Numbers NumbersOf(Devices devices) {
  return devices == Devices::kOne || devices == Devices::kByItem ? DeviceFold::Numbers::kYield
                                                                 : DeviceFold::Numbers::kCount;
}

class DeviceFinder {
 public:
  DeviceFinder(const Schema& schema, Devices devices)
      : schema_(schema),
        mismatch_(devices == Devices::kAny ? Mismatch::kFirstCounts : Mismatch::kError),
        fold_(NumbersOf(devices)) {}
  DeviceFinder(const Schema& schema, Mismatch mismatch)
      : schema_(schema), mismatch_(mismatch), fold_(DeviceFold::Numbers::kYield) {}

  void Add(const Tensor& t) {
    const DeviceFold::Added added = fold_.Add(t.meta.device, t.meta.rank());
    if (added == DeviceFold::Added::kTaken) chosen_ = &t;
    if (added == DeviceFold::Added::kMismatch && mismatch_ == Mismatch::kError)
      Fail(ErrorClass::kDeviceMismatch, DeviceMismatchText(schema_.full_name, device(), t.meta.device), {chosen_, &t});
  }

  Device device() const { return fold_.device(); }

 private:
  const Schema& schema_;
  const Mismatch mismatch_;
  DeviceFold fold_;
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

DeviceFold::Added DeviceFold::Add(Device device, int64_t rank) {
  const bool yields = numbers_yield_ && rank == 0 && device.is_cpu();
  if (device_ && *device_ == device && !yields_) return Added::kLeft;
  if (device_ && *device_ != device && yields) return Added::kLeft;
  if (device_ && *device_ != device && !yields_) return Added::kMismatch;
  device_ = device;
  yields_ = yields;
  return Added::kTaken;
}

std::string NoCpuKernelText(std::string_view op) {
  return std::string(op) + " is for other devices: LibTorch has no kernel of it for tensors on the cpu";
}

std::string DeviceMismatchText(std::string_view op, Device a, Device b) {
  return std::string(op) +
         " takes tensors of one device: expected all tensors to be on the same device, but found at least two "
         "devices, " +
         a.str() + " and " + b.str();
}

Device CommonDevice(const Schema& schema, std::span<const Value* const> arguments, Devices devices) {
  if (devices == Devices::kByItem) return DeviceByItem(schema, arguments);
  DeviceFinder finder(schema, devices);
  for (size_t i = 0; i < arguments.size(); ++i) {
    // FakeTensorMode asks for a common device where it has one to give to results.
    if (schema.returns.empty() && schema.arguments[i].IsOut()) continue;
    ForEachTensor(*arguments[i], [&](const Tensor& t) { finder.Add(t); });
  }
  return finder.device();
}

Device ItemDevice(const Schema& schema, std::span<const Value* const> arguments, size_t item) {
  DeviceFinder finder(schema, Mismatch::kFirstCounts);
  AddItems(finder, arguments, item);
  return finder.device();
}

}  // namespace fakeprop
