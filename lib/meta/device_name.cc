#include "lib/meta/device_name.h"

#include <c10/util/Exception.h>

namespace fakeprop {
namespace {

// c10 parses an index of any number of digits; a DeviceIndex has 7 bits. The cpu is device 0 of its kind, which c10
// asserts in debug builds alone.
bool HasPossibleIndex(const std::string& name) {
  size_t colon = name.find(':');
  if (colon == std::string::npos) return true;
  std::string index = name.substr(colon + 1);
  if (index.empty() || index.size() > 3 || index.find_first_not_of("0123456789") != std::string::npos) return false;
  int number = std::stoi(index);
  return number <= (name.starts_with("cpu") ? 0 : 127);
}

}  // namespace

std::optional<c10::Device> DeviceFromName(const std::string& name) {
  if (!HasPossibleIndex(name)) return std::nullopt;
  try {
    return c10::Device(name);
  } catch (const c10::Error&) {
    return std::nullopt;
  }
}

c10::Device WithIndex(c10::Device device) {
  bool indexed = device.type() != c10::DeviceType::CPU && device.type() != c10::DeviceType::Meta;
  if (!indexed) return c10::Device(device.type());
  return device.has_index() ? device : c10::Device(device.type(), 0);
}

}  // namespace fakeprop
