// Codes of what can be wrong with sizes that are put into annotations.
#pragma once

#include "lib/diag/diagnostic.h"

namespace fakeprop {

inline constexpr Code kMalformedAnnotations{"FP7001", "MalformedAnnotations"};
inline constexpr Code kUnknownSymbol{"FP7002", "UnknownSymbol"};
inline constexpr Code kSymbolOutOfRange{"FP7004", "SymbolOutOfRange"};
inline constexpr Code kGuardViolated{"FP7005", "GuardViolated"};

// Of proofs over all sizes.
inline constexpr Code kNotProved{"FP7006", "NotProved"};

}  // namespace fakeprop
