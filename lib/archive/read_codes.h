// Codes of errors in a graph's file.
#pragma once

#include "fakeprop/diagnostic.h"

namespace fakeprop {

inline constexpr Code kUnreadableFile{"FP1001", "UnreadableFile"};
inline constexpr Code kUnknownFormat{"FP1002", "UnknownFormat"};
inline constexpr Code kMalformedJson{"FP1003", "MalformedJson"};
inline constexpr Code kUnsupportedVersion{"FP1004", "UnsupportedVersion"};
inline constexpr Code kMalformedGraph{"FP1005", "MalformedGraph"};
inline constexpr Code kInconsistentGraph{"FP1006", "InconsistentGraph"};
inline constexpr Code kCorruptCompression{"FP1007", "CorruptCompression"};
inline constexpr Code kCorruptArchive{"FP1008", "CorruptArchive"};
inline constexpr Code kUnknownModel{"FP1009", "UnknownModel"};

}  // namespace fakeprop
