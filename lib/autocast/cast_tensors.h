// Casts of the tensors among arguments.
#pragma once

#include <optional>

#include "lib/autocast/autocast.h"

namespace fakeprop {

// Where a call runs under autocast.
struct CastRegion {
  DeviceType device;
  ScalarType dtype;
};

// The region of the first tensor that autocast would cast. Nothing if there is none.
std::optional<CastRegion> FindCastRegion(const ExecutionState& state, const CallArguments& arguments);

// Replaces the floating-point tensors on the region's device by tensors of the dtype `to`.
void CastTensors(const CastRegion& region, ScalarType to, const ExecutionState& state, CallArguments& arguments,
    ObjectTable& objects);

// For a composite operator without a policy: replaces its arguments so that its rule gives what its parts give. Returns
// false if it is not known how; `arguments` are then as they were.
bool CastForParts(const Schema& schema, const ExecutionState& state, CallArguments& arguments, ObjectTable& objects);

}  // namespace fakeprop
