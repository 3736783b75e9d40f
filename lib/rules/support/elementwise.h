// Shared by elementwise operators: type promotion, broadcasting, and the layout of a result over several operands.
// Source: aten/src/ATen/TensorIterator.cpp, at::native::result_type, torch/_prims_common elementwise_dtypes (torch
// 2.13).
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

// A new tensor of the broadcast shape of these operands, with the layout of TensorIterator's output.
TensorMeta ElementwiseMeta(std::span<const TensorMeta* const> operands, ScalarType dtype, Device device);
// The same for the tensors of these names. Numbers and None are skipped. Without a tensor the result is 0-dim.
TensorMeta ElementwiseMeta(const Call& call, std::span<const ArgumentName> names, ScalarType dtype);
TensorMeta ElementwiseMeta(const Call& call, std::initializer_list<ArgumentName> names, ScalarType dtype);

// A new tensor, elementwise over `t` and a number that the kernel takes as a 0-dim tensor.
TensorMeta WithNumberMeta(const TensorMeta& t, ScalarType dtype);

// Rule: a new tensor, elementwise over the arguments of these names, whose dtypes are promoted: Pointwise<kDefault,
// "self">.
template <Promotion P, ArgumentName... Names>
void Pointwise(Call& call) {
  static constexpr ArgumentName kNames[] = {Names...};
  const ScalarType dtype = ApplyPromotion(PromotedDtype(call, kNames), P, call.state());
  call.ReturnNew(ElementwiseMeta(call, kNames, dtype));
}

}  // namespace fakeprop::rules
