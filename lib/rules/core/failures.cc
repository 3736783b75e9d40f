#include "lib/rules/core/failures.h"

#include <algorithm>
#include <utility>

#include "lib/meta/dtype.h"
#include "lib/rules/core/torch_words.h"

namespace fakeprop {

std::string OpName(const Call& call) { return std::string(call.schema().full_name); }

void FailDtype(const Text& what) { Fail(ErrorClass::kDtypeMismatch, what.ToString()); }
void FailShape(const Text& what) { Fail(ErrorClass::kShapeMismatch, what.ToString()); }
void FailValue(const Text& what) { Fail(ErrorClass::kValueError, what.ToString()); }
void FailIndex(const Text& what) { Fail(ErrorClass::kIndexOutOfRange, what.ToString()); }

void FailDtype(const Call& call, const Text& what) { FailAs(call, ErrorClass::kDtypeMismatch, what); }
void FailShape(const Call& call, const Text& what) { FailAs(call, ErrorClass::kShapeMismatch, what); }
void FailValue(const Call& call, const Text& what) { FailAs(call, ErrorClass::kValueError, what); }
void FailIndex(const Call& call, const Text& what) { FailAs(call, ErrorClass::kIndexOutOfRange, what); }

void FailAs(const Call& call, ErrorClass error_class, const Text& what, std::vector<const Tensor*> operands) {
  Fail(error_class, OpName(call) + " " + what.ToString(), std::move(operands));
}

std::string_view RequireOneOf(
    const Call& call, ArgumentName name, std::span<const std::string_view> words, const Text& otherwise) {
  if (!call.Has(name)) return {};
  const std::string_view word = call.String(name);
  if (std::ranges::find(words, word) == words.end()) FailValue(call, otherwise.ToString(Shown(word)));
  return word;
}

void RequireCast(const Call& call, ScalarType from, ScalarType to) {
  RequireDtype(call, CanCast(from, to),
      {"result type {} can't be cast to the desired output type {}", TorchName(from), TorchName(to)});
}

void RequireDtype(const Call& call, ScalarType dtype, const DtypeClass& dtypes) {
  if (!dtypes.dtypes.Has(dtype))
    FailDtype(call, WithTorchWords(Text(dtypes.TextFor(dtype)).ToString(Shown(dtype)), dtype));
}

void RequireDeviceOfFirst(const Call& call, std::initializer_list<ArgumentName> names) {
  std::optional<Operand> first;
  for (ArgumentName name : names) {
    const Operand t = call.TryIn(name);
    if (first) t.SameDeviceAs(*first);
    if (!first && t) first = t;
  }
}

void RequireFullFloat(const Call& call, ScalarType dtype) {
  RequireDtype(call, dtype, kFloating);
  if (call.device().is_cpu())
    RequireDtype(call, dtype, {kFloat32Or64, "takes float32 or float64 tensors on the cpu, not {}"});
}

void DynamicShape(Call& call) {
  Fail(ErrorClass::kDynamicOutputShape,
      "the shape of " + OpName(call) + "'s result depends on the data of its arguments");
}

void DataDependent(Call& call) {
  Fail(ErrorClass::kDataDependentOutput, "the result of " + OpName(call) + " depends on the data of its arguments");
}

}  // namespace fakeprop
