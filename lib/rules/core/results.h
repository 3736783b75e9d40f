// Results that operators of several families share, and the parts that rules are made of.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "lib/rules/core/call.h"
#include "lib/rules/core/failures.h"

namespace fakeprop {

// A dense row-major tensor on the call's device.
TensorMeta NewMeta(const Call& call, DimSpan sizes, ScalarType dtype);
Output& ReturnContiguous(Call& call, DimSpan sizes, ScalarType dtype);
Output& ReturnContiguous(Call& call, std::initializer_list<Dim> sizes, ScalarType dtype);
Output& ReturnContiguous(Call& call, const TensorMeta& t, ScalarType dtype);  // t's sizes
Output& ReturnContiguous(Call& call, const TensorMeta& t);                    // t's sizes and dtype
// As empty_like(t) with preserve_format: t's sizes and order of dimensions, packed.
TensorMeta LikeMeta(const Call& call, const TensorMeta& t, ScalarType dtype);
Output& ReturnLike(Call& call, const TensorMeta& t, ScalarType dtype);
Output& ReturnLike(Call& call, const TensorMeta& t);
// Rules: the same of the argument `self`.
void ReturnContiguousSelf(Call& call);
void ReturnLikeSelf(Call& call);

// Takes back what a rule returns first, and all else that it does: for rules that do something else with this metadata.
TensorMeta TakeResult(Call& call);

// Writes and returns an out tensor. If its sizes differ from these, it is resized and made contiguous.
void WriteOfSizes(Call& call, Tensor& out, const Dims& sizes);

// As ReturnAlias, but the result requires grad if `of` does: autograd takes it for a new result, not for a view.
Output& ReturnFollowedAlias(Call& call, Tensor& of, TensorMeta meta);

// The sizes after reducing the dimensions in `mask`.
Dims ReducedSizes(DimSpan sizes, const std::vector<bool>& mask, bool keepdim);
// The sizes after reducing one dimension.
Dims ReducedSizes(DimSpan sizes, int64_t dim, bool keepdim);

// The sizes with that of one dimension replaced, which is counted from either end. Those of a 0-dim tensor stay.
Dims WithSize(DimSpan sizes, int64_t dim, Dim size);
// The sizes with one more dimension at the end.
Dims Appended(DimSpan sizes, Dim size);

// The dtype argument of this name. Nothing if the schema does not have it or it is None.
std::optional<ScalarType> TryDtype(const Call& call, ArgumentName name = "dtype");

// The size of a dimension; 1 for dimension 0 of a 0-dim tensor.
Dim SizeAt(const TensorMeta& t, int64_t dim);

// float16 and bfloat16, which many kernels compute in float32.
bool IsHalf(ScalarType dtype);

// Part of a rule: the results end in a view (Output::ends_in_view).
void EndInView(Call& call);

// Rule: returns nothing and checks nothing.
void NoResult(Call& call);
// Rule: demands and results, one after another: {"aten::bernoulli.p", InOrder<RequireProbability,
// ReturnContiguousSelf>}.
template <auto... kParts>
void InOrder(Call& call) {
  (static_cast<void>(kParts(call)), ...);
}
// Part of a rule: demands a class of dtypes.
template <const DtypeClass& kClass>
void RequireSelf(const Call& call) {
  call.In("self").Takes(kClass);
}

}  // namespace fakeprop
