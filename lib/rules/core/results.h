// Results and checks that operators of several families share.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "lib/rules/core/call.h"

namespace fakeprop {

// For messages: "aten::sum.dim_IntList".
std::string OpName(const Call& call);
// Errors of a call, which begin with the operator's name: FailShape(call, {"takes {} rows, not {}", rows, t.sizes}).
[[noreturn]] void FailDtype(const Call& call, const Text& what);
[[noreturn]] void FailShape(const Call& call, const Text& what);
[[noreturn]] void FailValue(const Call& call, const Text& what);
[[noreturn]] void FailIndex(const Call& call, const Text& what);
// Demands that an Operand (lib/rules/core/operand.h) does not have: RequireValue(call, p >= 0, {"takes no negative p,
// got {}", p}).
inline void RequireShape(const Call& call, bool holds, const Text& otherwise) {
  if (!holds) FailShape(call, otherwise);
}
inline void RequireValue(const Call& call, bool holds, const Text& otherwise) {
  if (!holds) FailValue(call, otherwise);
}
// Demands that two sizes are equal: an error of class ShapeMismatch.
inline void RequireEqual(const Call& call, Dim a, Dim b, const Text& otherwise) {
  RequireShape(call, Expect(Eq(a, b)), otherwise);
}
// Demands a dimension or a position within bounds: an error of class IndexOutOfRange.
inline void RequireIndex(const Call& call, bool holds, const Text& otherwise) {
  if (!holds) FailIndex(call, otherwise);
}
// Demands a dtype that is not that of an operand, such as a promoted one.
void RequireDtype(const Call& call, ScalarType dtype, const DtypeClass& dtypes);

// A dense row-major tensor on the call's device.
TensorMeta NewMeta(const Call& call, DimSpan sizes, ScalarType dtype);
Output& ReturnContiguous(Call& call, DimSpan sizes, ScalarType dtype);
Output& ReturnContiguous(Call& call, std::initializer_list<Dim> sizes, ScalarType dtype);
Output& ReturnContiguous(Call& call, const TensorMeta& t);  // t's sizes and dtype
// As empty_like(t) with preserve_format: t's sizes and order of dimensions, packed.
TensorMeta LikeMeta(const Call& call, const TensorMeta& t, ScalarType dtype);
Output& ReturnLike(Call& call, const TensorMeta& t, ScalarType dtype);
Output& ReturnLike(Call& call, const TensorMeta& t);
// Rules: the same of the argument `self`.
void ReturnContiguousSelf(Call& call);
void ReturnLikeSelf(Call& call);

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

// Demands that the tensors of these names are on the device of the first one, including 0-dim cpu tensors. None is
// skipped.
void RequireDeviceOfFirst(const Call& call, std::initializer_list<ArgumentName> names);
// Demands a floating-point dtype; on the cpu, whose kernel has no other, float32 or float64.
void RequireFullFloat(const Call& call, ScalarType dtype);

// Rule: the result's shape depends on data.
void DynamicShape(Call& call);
// Rule: the result is a number that depends on data.
void DataDependent(Call& call);
// Rule: FakeTensorMode refuses the call as data-dependent (kRefusal), although sizes decide the result. On the cpu the
// kernel shows that, so kRule serves it. On other devices the refusal is the only answer.
template <Rule kRule, Rule kRefusal>
void DecidedOnCpu(Call& call) {
  kRule(call);
  if (call.device().is_cpu()) return;
  call.effects().Clear();
  kRefusal(call);
}
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
