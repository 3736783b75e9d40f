// Type promotion. Source: at::native::result_type, elementwise_dtypes in torch/_prims_common (torch 2.13).
#pragma once

#include <span>

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

// How a result's dtype follows from the promoted one.
enum class Promotion {
  kDefault,         // the promoted dtype itself
  kIntToFloat,      // integral operands compute in the default float dtype
  kBool,            // always bool
  kComplexToFloat,  // |z|: complex results in the real dtype
  kBoolToLong,      // bool operands compute in int64
};

// The promoted dtype of the arguments of these names. Tensors with dimensions count before 0-dim tensors, and these
// before numbers. None is skipped.
ScalarType PromotedDtype(const Call& call, std::span<const ArgumentName> names);
ScalarType PromotedDtype(const Call& call, std::initializer_list<ArgumentName> names);
ScalarType ApplyPromotion(ScalarType promoted, Promotion promotion, const ExecutionState& state);

// The dtype of a number as an operand: int64, bool, or the default float or complex dtype.
ScalarType NumberDtype(const Value& number, const ExecutionState& state);

}  // namespace fakeprop::rules
