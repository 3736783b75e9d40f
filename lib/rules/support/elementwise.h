// Shared by elementwise operators: broadcasting, and the layout of a result over several operands.
// Source: aten/src/ATen/TensorIterator.cpp (torch 2.13).
#pragma once

#include <optional>
#include <span>

#include "lib/rules/core/call.h"
#include "lib/rules/support/promotion.h"

namespace fakeprop::rules {

// A new tensor of the broadcast shape of these operands, with the layout of TensorIterator's output.
TensorMeta ElementwiseMeta(std::span<const TensorMeta* const> operands, ScalarType dtype, Device device);
// The same for the tensors of these names. Numbers and None are skipped. Without a tensor the result is 0-dim.
TensorMeta ElementwiseMeta(const Call& call, std::span<const ArgumentName> names, ScalarType dtype);
TensorMeta ElementwiseMeta(const Call& call, std::initializer_list<ArgumentName> names, ScalarType dtype);

// The dense temporary to which a kernel on the cpu that computes in `common` casts an operand; nullopt if it reads the
// operand as it is laid out. Source: TensorIteratorBase::compute_types.
std::optional<TensorMeta> CastOperand(const TensorMeta& t, ScalarType common);

// The result of a kernel that makes it by empty_like(t), and lays it out anew only where it gets other sizes.
TensorMeta LaidOutAs(const TensorMeta& t, TensorMeta result);

// Rule: a new tensor, elementwise over the arguments of these names, whose dtypes are promoted: Pointwise<kDefault,
// "self">.
template <Promotion P, ArgumentName... Names>
void Pointwise(Call& call) {
  static constexpr ArgumentName kNames[] = {Names...};
  const ScalarType dtype = ApplyPromotion(PromotedDtype(call, kNames), P, call.state());
  call.ReturnNew(ElementwiseMeta(call, kNames, dtype));
}

}  // namespace fakeprop::rules
