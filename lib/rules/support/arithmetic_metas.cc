#include "lib/rules/support/arithmetic_metas.h"

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/support/elementwise.h"

namespace fakeprop::rules {
namespace {

TensorMeta Pointwise(const Call& call, const TensorMeta& a, const TensorMeta& b, Promotion promotion) {
  const TensorMeta* const operands[] = {&a, &b};
  return ElementwiseMeta(operands, ApplyPromotion(CommonDtype({a, b}), promotion, call.state()), call.device());
}

}  // namespace

ScalarType CommonDtype(const std::vector<TensorMeta>& metas) {
  std::optional<ScalarType> with_dims, zero_dims;
  for (const TensorMeta& m : metas) {
    auto& category = m.rank() ? with_dims : zero_dims;
    category = category ? PromoteTypes(*category, m.dtype) : m.dtype;
  }
  if (!with_dims || !zero_dims) return with_dims ? *with_dims : *zero_dims;
  const bool same_kind =
      IsIntegral(*with_dims) == IsIntegral(*zero_dims) && IsComplex(*with_dims) == IsComplex(*zero_dims);
  const bool lower = IsComplex(*with_dims) || (IsFloat(*with_dims) && !IsComplex(*zero_dims));
  if (lower || (same_kind && *with_dims != ScalarType::Bool)) return *with_dims;
  return IsFloat(*with_dims) ? ToComplexDtype(*with_dims) : PromoteTypes(*with_dims, *zero_dims);
}

TensorMeta Combined(const Call& call, const TensorMeta& a, const TensorMeta& b) {
  return Pointwise(call, a, b, Promotion::kDefault);
}

TensorMeta Difference(const Call& call, const TensorMeta& a, const TensorMeta& b) {
  RequireDtype(
      call, a.dtype != ScalarType::Bool && b.dtype != ScalarType::Bool, "subtracts, which bool tensors do not");
  return Combined(call, a, b);
}

TensorMeta Quotient(const Call& call, const TensorMeta& a, const TensorMeta& b) {
  return Pointwise(call, a, b, Promotion::kIntToFloat);
}

TensorMeta WithFloat(const Call& call, const TensorMeta& t) {
  const TensorMeta* const operands[] = {&t};
  return ElementwiseMeta(operands, ApplyPromotion(t.dtype, Promotion::kIntToFloat, call.state()), call.device());
}

}  // namespace fakeprop::rules
