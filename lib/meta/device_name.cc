#include "lib/meta/device_name.h"

#include <charconv>
#include <iterator>

namespace fakeprop {
namespace {

// In the order of DeviceType.
constexpr std::string_view kTypeNames[] = {"cpu", "cuda", "mkldnn", "opengl", "opencl", "ideep", "hip", "fpga", "maia",
    "xla", "vulkan", "metal", "xpu", "mps", "meta", "hpu", "ve", "lazy", "ipu", "mtia", "privateuseone"};
static_assert(std::size(kTypeNames) == static_cast<size_t>(DeviceType::NumTypes));

std::optional<DeviceType> TypeFromName(std::string_view name) {
  for (size_t i = 0; i < std::size(kTypeNames); ++i)
    if (kTypeNames[i] == name && static_cast<DeviceType>(i) != DeviceType::Metal) return static_cast<DeviceType>(i);
  return std::nullopt;
}

std::optional<DeviceIndex> IndexFromText(std::string_view text) {
  DeviceIndex index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size() || index < 0) return std::nullopt;
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  return index;
}

}  // namespace

std::string_view DeviceTypeName(DeviceType type) {
  const auto i = static_cast<size_t>(type);
  return i < std::size(kTypeNames) ? kTypeNames[i] : "unknown";
}

std::string Device::str() const {
  std::string text(DeviceTypeName(type_));
  return has_index() ? text + ':' + std::to_string(index_) : text;
}

std::optional<Device> DeviceFromName(std::string_view name) {
  const size_t colon = name.find(':');
  const std::optional<DeviceType> type = TypeFromName(name.substr(0, colon));
  if (!type) return std::nullopt;
  if (colon == std::string_view::npos) return Device(*type);
  const std::optional<DeviceIndex> index = IndexFromText(name.substr(colon + 1));
  if (!index || (*type == DeviceType::CPU && *index > 0)) return std::nullopt;
  return Device(*type, *index);
}

Device WithIndex(Device device) {
  if (device.is_cpu() || device.is_meta()) return device.type();
  return device.has_index() ? device : Device(device.type(), 0);
}

}  // namespace fakeprop
