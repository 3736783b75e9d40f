// LibTorch's dtypes, devices, layouts and memory formats as ours, and the reverse. The numbers are the same, which
// torch_types_test compares.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>
#include <c10/core/ScalarType.h>

#include "lib/meta/device.h"
#include "lib/meta/scalar_type.h"

namespace fakeprop {

// LibTorch's dtypes have our numbers. From 2.14 on it has one more, before Undefined: bcomplex32, which we take for
// Undefined.
constexpr c10::ScalarType ToTorch(ScalarType dtype) {
  return dtype == ScalarType::Undefined ? c10::ScalarType::Undefined : static_cast<c10::ScalarType>(dtype);
}
constexpr c10::DeviceType ToTorch(DeviceType type) { return static_cast<c10::DeviceType>(type); }
inline c10::Device ToTorch(Device device) { return {ToTorch(device.type()), device.index()}; }
constexpr c10::Layout ToTorch(Layout layout) { return static_cast<c10::Layout>(layout); }
constexpr c10::MemoryFormat ToTorch(MemoryFormat format) { return static_cast<c10::MemoryFormat>(format); }

constexpr ScalarType FromTorch(c10::ScalarType dtype) {
  return dtype == c10::ScalarType::Undefined ? ScalarType::Undefined : static_cast<ScalarType>(dtype);
}
constexpr DeviceType FromTorch(c10::DeviceType type) { return static_cast<DeviceType>(type); }
inline Device FromTorch(c10::Device device) { return {FromTorch(device.type()), device.index()}; }
constexpr Layout FromTorch(c10::Layout layout) { return static_cast<Layout>(layout); }
constexpr MemoryFormat FromTorch(c10::MemoryFormat format) { return static_cast<MemoryFormat>(format); }

}  // namespace fakeprop
