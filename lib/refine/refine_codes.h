// Codes of errors when numbers replace the symbols of annotations, and of proofs.
#pragma once

#include "fakeprop/diagnostic.h"

namespace fakeprop {

inline constexpr Code kMalformedAnnotations{"FP7001", "MalformedAnnotations"};
inline constexpr Code kUnknownSymbol{"FP7002", "UnknownSymbol"};
inline constexpr Code kSymbolOutOfRange{"FP7004", "SymbolOutOfRange"};
inline constexpr Code kGuardViolated{"FP7005", "GuardViolated"};

// A proof over all sizes did not succeed.
inline constexpr Code kNotProved{"FP7006", "NotProved"};

}  // namespace fakeprop
