// Results that operators of several families make, and the checks that go with them.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "lib/rules/core/call.h"

namespace fakeprop {

// "aten::sum.dim_IntList", for messages.
std::string OpName(const Call& call);
// Errors of a call, which begin with the operator's name: FailShape(call, {"takes {} rows, not {}", rows, t.sizes}).
[[noreturn]] void FailDtype(const Call& call, const Text& what);
[[noreturn]] void FailShape(const Call& call, const Text& what);
[[noreturn]] void FailValue(const Call& call, const Text& what);
// Demands that no operand states (lib/rules/core/operand.h): RequireValue(call, p >= 0, {"takes no negative p, got {}",
// p}).
inline void RequireShape(const Call& call, bool holds, const Text& otherwise) {
  if (!holds) FailShape(call, otherwise);
}
inline void RequireValue(const Call& call, bool holds, const Text& otherwise) {
  if (!holds) FailValue(call, otherwise);
}
// A dtype that is no operand's own, as a promoted one.
void RequireDtype(const Call& call, ScalarType dtype, const DtypeClass& dtypes);

// A dense row-major tensor of the call's device.
TensorMeta NewMeta(const Call& call, DimSpan sizes, ScalarType dtype);
Output& ReturnContiguous(Call& call, DimSpan sizes, ScalarType dtype);
// As empty_like(t) with preserve_format gives: t's sizes and order of dimensions, packed.
TensorMeta LikeMeta(const Call& call, const TensorMeta& t, ScalarType dtype);
Output& ReturnLike(Call& call, const TensorMeta& t, ScalarType dtype);

// Writes and returns an out tensor, which is made contiguous where its sizes are others than these.
void WriteOfSizes(Call& call, Tensor& out, const Dims& sizes);

// As ReturnAlias, but one that requires grad where `of` does: autograd takes it for a result, not for a view.
Output& ReturnFollowedAlias(Call& call, Tensor& of, TensorMeta meta);

// The sizes that are left where `mask` says which dimensions are reduced.
Dims ReducedSizes(DimSpan sizes, const std::vector<bool>& mask, bool keepdim);
// One dimension less, or 1 in it.
Dims ReducedSizes(DimSpan sizes, int64_t dim, bool keepdim);

// A dtype where the schema has an argument of this name and it is not None.
std::optional<ScalarType> TryDtype(const Call& call, ArgumentName name = "dtype");

// Size of a dimension; 1 for the dimension 0 of a 0-dim tensor.
Dim SizeAt(const TensorMeta& t, int64_t dim);

// float16 and bfloat16, which many kernels compute in float32.
bool IsHalf(ScalarType dtype);

// The tensors of these names on the first one's device, 0-dim cpu ones as well; None counts for nothing.
void RequireDeviceOfFirst(const Call& call, std::initializer_list<ArgumentName> names);
// Floating-point, and on the cpu, whose kernel has no other, float32 or float64.
void RequireFullFloat(const Call& call, ScalarType dtype);

// To go, where a rule is written with names: what Operand::Takes, SameDtypeAs, Rank and SameSizesAs say.
void RequireFloat(const Call& call, ScalarType dtype);
void RequireFloatOrComplex(const Call& call, ScalarType dtype);
void RequireNotComplex(const Call& call, ScalarType dtype);
void RequireSameDtype(const Call& call, ArgumentName a, ArgumentName b);
// int64 or int32.
void RequireIndexDtype(const Call& call, const TensorMeta& index);
void RequireRank(const Call& call, ArgumentName argument, int64_t rank);
void RequireSameSizes(const Call& call, ArgumentName a, ArgumentName b);

// Rule: the result's shape depends on data.
void DynamicShape(Call& call);
// Rule: the result is a number that depends on data.
void DataDependent(Call& call);
// Rule: what FakeTensorMode refuses for its data (kRefusal), although sizes decide it. On the cpu the kernel shows
// that; on other devices the refusal is all the answer there is.
template <Rule kRule, Rule kRefusal>
void DecidedOnCpu(Call& call) {
  kRule(call);
  if (call.device().is_cpu()) return;
  call.effects().Clear();
  kRefusal(call);
}
// Rule: returns nothing and checks nothing.
void NoResult(Call& call);

}  // namespace fakeprop
