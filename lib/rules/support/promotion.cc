#include "lib/rules/support/promotion.h"

#include "lib/meta/dtype.h"

namespace fakeprop::rules {
namespace {

using MaybeDtype = std::optional<ScalarType>;

MaybeDtype PromoteMaybe(MaybeDtype a, MaybeDtype b) {
  if (!a) return b;
  if (!b) return a;
  return PromoteTypes(*a, *b);
}

// A lower category (0-dim, number) changes the dtype only where it is of a higher kind.
MaybeDtype CombineCategories(MaybeDtype higher, MaybeDtype lower) {
  if (!higher || !lower) return higher ? higher : lower;
  if (IsComplex(*higher)) return higher;
  if (IsFloat(*higher)) return IsComplex(*lower) ? ToComplexDtype(*higher) : *higher;
  if (*higher == ScalarType::Bool || IsFloat(*lower) || IsComplex(*lower)) return PromoteTypes(*higher, *lower);
  return higher;
}

}  // namespace

ScalarType NumberDtype(const Value& number, const ExecutionState& state) {
  if (number.Is<bool>() || number.IsSymbolicBool()) return ScalarType::Bool;
  if (number.Is<Dim>()) return ScalarType::Long;
  return number.Is<double>() || number.IsSymbolicFloat() ? state.default_dtype : ToComplexDtype(state.default_dtype);
}

ScalarType PromotedDtype(const Call& call, std::span<const ArgumentName> names) {
  MaybeDtype with_dims, zero_dims, numbers;
  for (ArgumentName name : names) {
    const Value& value = call.Arg(name);
    if (value.IsNone()) continue;
    if (const Tensor* t = value.TryTensor()) {
      MaybeDtype& category = t->meta.rank() > 0 ? with_dims : zero_dims;
      category = PromoteMaybe(category, t->meta.dtype);
    } else {
      numbers = PromoteMaybe(numbers, NumberDtype(call.Number(name), call.state()));
    }
  }
  return CombineCategories(with_dims, CombineCategories(zero_dims, numbers)).value_or(call.state().default_dtype);
}

ScalarType PromotedDtype(const Call& call, std::initializer_list<ArgumentName> names) {
  return PromotedDtype(call, std::span<const ArgumentName>(names.begin(), names.size()));
}

ScalarType ApplyPromotion(ScalarType promoted, Promotion promotion, const ExecutionState& state) {
  switch (promotion) {
    case Promotion::kDefault: return promoted;
    case Promotion::kIntToFloat: return IsIntegral(promoted) ? state.default_dtype : promoted;
    case Promotion::kBool: return ScalarType::Bool;
    case Promotion::kComplexToFloat: return ToRealDtype(promoted);
    case Promotion::kBoolToLong: return promoted == ScalarType::Bool ? ScalarType::Long : promoted;
  }
  return promoted;
}

}  // namespace fakeprop::rules
