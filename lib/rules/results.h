// Results that operators of several families make, and the checks that go with them.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "lib/rules/call.h"

namespace fakeprop {

// "aten::sum.dim_IntList", for messages.
std::string OpName(const Call& call);
[[noreturn]] void FailDtype(const Call& call, std::string_view what);
[[noreturn]] void FailShape(const Call& call, std::string_view what);
[[noreturn]] void FailValue(const Call& call, std::string_view what);

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

// The value of an argument where the schema has one of this name and it is not None.
const Value* TryNamed(const Call& call, std::string_view name);
bool NamedBool(const Call& call, std::string_view name);
std::optional<ScalarType> NamedDtype(const Call& call, std::string_view name = "dtype");

// Size of a dimension; 1 for the dimension 0 of a 0-dim tensor.
Dim SizeAt(const TensorMeta& t, int64_t dim);

bool IsOneOf(ScalarType dtype, std::initializer_list<ScalarType> dtypes);
// float16 and bfloat16, which many kernels compute in float32.
bool IsHalf(ScalarType dtype);

void RequireFloat(const Call& call, ScalarType dtype);
void RequireFloatOrComplex(const Call& call, ScalarType dtype);
// Floating-point, and on the cpu, whose kernel has no other, float32 or float64.
void RequireFullFloat(const Call& call, ScalarType dtype);
void RequireNotComplex(const Call& call, ScalarType dtype);
void RequireSameDtype(const Call& call, int a, int b);
// int64 or int32.
void RequireIndexDtype(const Call& call, const TensorMeta& index);
// The tensors at these positions on the first one's device, 0-dim cpu ones as well; None counts for nothing.
void RequireDeviceOfFirst(const Call& call, std::initializer_list<int> positions);
void RequireRank(const Call& call, int argument, int64_t rank);
void RequireSameSizes(const Call& call, int a, int b);

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
