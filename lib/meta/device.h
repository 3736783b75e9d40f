// Devices, layouts and memory formats. The numbers are those of c10's enums, which files hold; lib/dispatch compares
// them with LibTorch's. Source: torch/headeronly/core/DeviceType.h, c10/core/Device.h, torch/headeronly/core/Layout.h,
// torch/headeronly/core/MemoryFormat.h (torch 2.13).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fakeprop {

enum class DeviceType : int8_t {
  CPU,
  CUDA,
  MKLDNN,
  OPENGL,
  OPENCL,
  IDEEP,
  HIP,
  FPGA,
  MAIA,
  XLA,
  Vulkan,
  Metal,
  XPU,
  MPS,
  Meta,
  HPU,
  VE,
  Lazy,
  IPU,
  MTIA,
  PrivateUse1,
  NumTypes,
};

// "cpu", "cuda", "privateuseone": c10::DeviceTypeName(type, true).
std::string_view DeviceTypeName(DeviceType type);

using DeviceIndex = int8_t;

// A device type with an index, or without one: -1.
class Device {
 public:
  constexpr Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}  // NOLINT: as c10's
  constexpr DeviceType type() const { return type_; }
  constexpr DeviceIndex index() const { return index_; }
  constexpr bool has_index() const { return index_ != -1; }
  constexpr bool is_cpu() const { return type_ == DeviceType::CPU; }
  constexpr bool is_cuda() const { return type_ == DeviceType::CUDA; }
  constexpr bool is_meta() const { return type_ == DeviceType::Meta; }
  friend constexpr bool operator==(Device, Device) = default;
  // "cuda:1"
  std::string str() const;

 private:
  DeviceType type_;
  DeviceIndex index_;
};

enum class Layout : int8_t { Strided, Sparse, SparseCsr, Mkldnn, SparseCsc, SparseBsr, SparseBsc, Jagged, NumOptions };

enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d, NumOptions };

}  // namespace fakeprop
