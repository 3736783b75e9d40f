// What elementwise operators share: type promotion, broadcasting, and the layout of a result over several operands.
// Source: aten/src/ATen/TensorIterator.cpp, at::native::result_type, torch/_prims_common elementwise_dtypes
// (torch 2.13).
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

// The promoted dtype of the arguments of these names: tensors with dimensions before 0-dim ones before numbers.
// None counts for nothing.
ScalarType PromotedDtype(const Call& call, std::span<const ArgumentName> names);
ScalarType PromotedDtype(const Call& call, std::initializer_list<ArgumentName> names);
ScalarType ApplyPromotion(ScalarType promoted, Promotion promotion, const ExecutionState& state);

// The dtype of a number as an operand: int64, bool, the default float or complex dtype.
ScalarType NumberDtype(const Value& number, const ExecutionState& state);

// A new tensor over the broadcast shape of these operands, laid out as TensorIterator lays out its output.
TensorMeta ElementwiseMeta(std::span<const TensorMeta* const> operands, ScalarType dtype, Device device);
// The same for the tensors of these names; numbers and None are passed over. With no tensor at all: 0-dim.
TensorMeta ElementwiseMeta(const Call& call, std::span<const ArgumentName> names, ScalarType dtype);
TensorMeta ElementwiseMeta(const Call& call, std::initializer_list<ArgumentName> names, ScalarType dtype);

// Rule: a new tensor elementwise over the arguments of these names, which also promote: Pointwise<kDefault, "self">.
template <Promotion P, ArgumentName... Names>
void Pointwise(Call& call) {
  static constexpr ArgumentName kNames[] = {Names...};
  const ScalarType dtype = ApplyPromotion(PromotedDtype(call, kNames), P, call.state());
  call.ReturnNew(ElementwiseMeta(call, kNames, dtype));
}

}  // namespace fakeprop::rules
