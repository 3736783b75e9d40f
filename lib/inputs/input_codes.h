// Codes of errors in an input spec.
#pragma once

#include "fakeprop/diagnostic.h"

namespace fakeprop {

inline constexpr Code kMalformedSpec{"FP2001", "MalformedSpec"};
inline constexpr Code kUnknownSpecName{"FP2002", "UnknownSpecName"};
inline constexpr Code kSpecMismatch{"FP2003", "SpecMismatch"};
inline constexpr Code kInvalidSpecValue{"FP2004", "InvalidSpecValue"};
inline constexpr Code kInvalidSpecView{"FP2005", "InvalidSpecView"};
inline constexpr Code kUndeterminedSymbol{"FP2006", "UndeterminedSymbol"};
inline constexpr Code kConflictingSymbol{"FP2007", "ConflictingSymbol"};
inline constexpr Code kMissingInput{"FP2008", "MissingInput"};
inline constexpr Code kSymbolicSize{"FP2009", "SymbolicSize"};

}  // namespace fakeprop
