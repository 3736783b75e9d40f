// How LibTorch itself serves an operator: which kernels and tags are registered for it, which autocast list it is on.
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
  kAutocastLowerPrecision = 1u << 12,
  kAutocastFloat32 = 1u << 13,
  kAutocastFloat32SetDtype = 1u << 14,
  kAutocastPromote = 1u << 15,
};

}  // namespace fakeprop
