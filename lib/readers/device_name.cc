#include "lib/readers/device_name.h"

#include <c10/util/Exception.h>

namespace fakeprop {
namespace {

// c10 parses an index of any number of digits; a DeviceIndex has 7 bits.
bool HasSmallIndex(const std::string& name) {
  size_t colon = name.find(':');
  return colon == std::string::npos || name.size() - colon - 1 <= 2 || name.substr(colon + 1) <= "127";
}

}  // namespace

std::optional<c10::Device> DeviceFromName(const std::string& name) {
  size_t colon = name.find(':');
  if (!HasSmallIndex(name) || (colon != std::string::npos && name.size() - colon > 4)) return std::nullopt;
  try {
    return c10::Device(name);
  } catch (const c10::Error&) {
    return std::nullopt;
  }
}

c10::Device WithIndex(c10::Device device) {
  bool indexed = device.type() != c10::DeviceType::CPU && device.type() != c10::DeviceType::Meta;
  return indexed && !device.has_index() ? c10::Device(device.type(), 0) : device;
}

}  // namespace fakeprop
