// How a call fails: errors, the demands that raise them, and the refusals of what depends on data.
#pragma once

#include <initializer_list>
#include <span>
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
// The same without the operator's name, for functions of metadata, which do not know the call.
[[noreturn]] void FailDtype(const Text& what);
[[noreturn]] void FailShape(const Text& what);
[[noreturn]] void FailValue(const Text& what);
[[noreturn]] void FailIndex(const Text& what);
// An error of another class: FailAs(call, ErrorClass::kViewError, {"views {} flat", t.sizes}).
[[noreturn]] void FailAs(
    const Call& call, ErrorClass error_class, const Text& what, std::vector<const Tensor*> operands = {});
// Demands that an Operand (lib/rules/core/operand.h) does not have: RequireValue(call, p >= 0, {"takes no negative p,
// got {}", p}). A comparison of sizes is relied on: RequireValue(call, Gt(n, 0), {"takes a positive n, got {}", n}).
inline void RequireShape(const Call& call, Demanded holds, const Text& otherwise) {
  if (!holds) FailShape(call, otherwise);
}
inline void RequireValue(const Call& call, Demanded holds, const Text& otherwise) {
  if (!holds) FailValue(call, otherwise);
}
// Demands that two sizes are equal: an error of class ShapeMismatch.
inline void RequireEqual(const Call& call, Dim a, Dim b, const Text& otherwise) {
  RequireShape(call, Eq(a, b), otherwise);
}
// Demands a dimension or a position within bounds: an error of class IndexOutOfRange.
inline void RequireIndex(const Call& call, Demanded holds, const Text& otherwise) {
  if (!holds) FailIndex(call, otherwise);
}
// The same without the operator's name.
inline void RequireShape(Demanded holds, const Text& otherwise) {
  if (!holds) FailShape(otherwise);
}
inline void RequireValue(Demanded holds, const Text& otherwise) {
  if (!holds) FailValue(otherwise);
}
inline void RequireIndex(Demanded holds, const Text& otherwise) {
  if (!holds) FailIndex(otherwise);
}
inline void RequireDtype(Demanded holds, const Text& otherwise) {
  if (!holds) FailDtype(otherwise);
}
// Demands a dtype of an argument that is not a tensor, or one that depends on others.
inline void RequireDtype(const Call& call, Demanded holds, const Text& otherwise) {
  if (!holds) FailDtype(call, otherwise);
}
// Demands one of these words for an argument, unless it is missing or None, and gives the word. The last value of the
// text is the word that was seen.
std::string_view RequireOneOf(
    const Call& call, ArgumentName name, std::span<const std::string_view> words, const Text& otherwise);
inline std::string_view RequireOneOf(
    const Call& call, ArgumentName name, std::initializer_list<std::string_view> words, const Text& otherwise) {
  return RequireOneOf(call, name, std::span(words.begin(), words.size()), otherwise);
}
// Demands that a result of one dtype can be written to a tensor of another one: "result type Float can't be cast to the
// desired output type Long".
void RequireCast(const Call& call, ScalarType from, ScalarType to);
// Demands a dtype that is not that of an operand, such as a promoted one.
void RequireDtype(const Call& call, ScalarType dtype, const DtypeClass& dtypes);

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
}  // namespace fakeprop
