// Codes of errors when numbers replace the symbols of annotations, and of proofs.
#pragma once

#include <cstdint>

#include "fakeprop/diagnostic.h"

namespace fakeprop {

inline constexpr Code kMalformedAnnotations{"FP7001", "MalformedAnnotations"};
inline constexpr Code kUnknownSymbol{"FP7002", "UnknownSymbol"};
inline constexpr Code kSymbolOutOfRange{"FP7004", "SymbolOutOfRange"};
inline constexpr Code kGuardViolated{"FP7005", "GuardViolated"};

// A proof over all sizes did not succeed.
inline constexpr Code kNotProved{"FP7006", "NotProved"};

// Sizes 0 and 1 are other graphs than larger ones: annotations over symbols start at 2.
constexpr bool IsOtherGraph(int64_t least, int64_t size) { return least == 2 && (size == 0 || size == 1); }
inline constexpr const char* kPropagateAtSize =
    "`fakeprop GRAPH --input NAME=SIZES` propagates the graph again at this size";

}  // namespace fakeprop
