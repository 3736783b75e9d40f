// How LibTorch itself serves an operator: its registered kernels, its tags, and its autocast list.
#pragma once

#include <cstdint>

namespace fakeprop {

enum SchemaFlag : uint32_t {
  kHasCompositeImplicit = 1u << 0,
  kHasCompositeExplicit = 1u << 1,
  kHasMeta = 1u << 2,
  kHasCpu = 1u << 3,
  kTagInplaceView = 1u << 4,
  kTagDataDependent = 1u << 5,
  kTagDynamicShape = 1u << 6,
  kTagCore = 1u << 7,
  kTagRandom = 1u << 8,
  kTagPointwise = 1u << 9,
  kTagViewCopy = 1u << 10,
  kTagGenerated = 1u << 11,
};

// How autocast treats an operator's floating-point tensors, for each device type that has lists of its own. Source:
// AT_FORALL_* of ATen/autocast_mode.h, and for cpu the kernels that are registered beside them (torch 2.13).
enum class AutocastPolicy : uint32_t {
  kNone,             // runs as it is
  kLowerPrecision,   // in the region's dtype
  kFloat32,          // in float32
  kFloat32SetDtype,  // in float32, by the operator's own dtype argument
  kPromote,          // in the widest dtype among the tensors
  kBanned,           // an error
};
inline constexpr int kAutocastCpuShift = 16;
inline constexpr int kAutocastCudaShift = 20;

inline AutocastPolicy AutocastPolicyOf(uint32_t flags, int shift) {
  return static_cast<AutocastPolicy>(flags >> shift & 7u);
}

}  // namespace fakeprop
