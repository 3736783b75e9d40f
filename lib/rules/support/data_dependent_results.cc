#include "lib/rules/support/data_dependent_results.h"

#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/schema/schema_flags.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop::rules {
namespace {

bool IsTrue(const Value& v) {
  if (auto b = v.TryGet<bool>()) return *b;
  if (auto d = v.TryGet<Dim>()) return Known(Ne(*d, 0));
  return false;
}

Range AtMostRange(std::optional<int64_t> most) { return {0, most.value_or(Range::kNoHigh)}; }

}  // namespace

bool MakesUnbacked() { return ShapeEnv::Current() && ShapeEnv::Current()->makes_unbacked(); }

Dim UnbackedSize(Call& call, std::optional<int64_t> most) {
  if (!MakesUnbacked()) DynamicShape(call);
  return Dim::Of(ShapeEnv::Current()->NewUnbacked(SymType::kInt, AtMostRange(most)));
}

Dim UnbackedSize(Call& call, Tensor& of, Asked asked, std::optional<int64_t> most) {
  if (!MakesUnbacked()) DynamicShape(call);
  Sym symbol = of.Recall(asked);
  if (!symbol) symbol = ShapeEnv::Current()->NewUnbacked(SymType::kInt, AtMostRange(most));
  call.effects().remembered.push_back({&of, asked, symbol});
  return Dim::Of(symbol);
}

bool ReturnSizesOfOuts(Call& call, std::initializer_list<ScalarType> dtypes) {
  const Call* form = call.form();
  if (!form || !form->schema().IsOut() || !form->schema().Has(kTagGenerated)) return false;
  const ScalarType* dtype = dtypes.begin();
  for (size_t i = 0; i < form->size() && dtype != dtypes.end(); ++i)
    if (form->schema().arguments[i].IsOut()) call.ReturnNew(WithDtype(form->Meta(static_cast<int>(i)), *dtype++));
  return true;
}

void RequireTrue(Cond condition, ErrorClass error, const std::string& message) {
  Sym expression = condition.IsSymbolic() ? condition.Expression() : nullptr;
  if (expression && expression->hint) expression->env->NoteStated(expression);
  if (Expect(condition)) return;
  Fail(error, message + (expression ? ": " + expression->env->DescribeContradiction(expression) : ""));
}

std::optional<int64_t> MostElements(Dim numel) {
  if (auto number = numel.TryNumber()) return number;
  const int64_t high = numel.Expression()->env->RangeOf(numel.Expression()).high;
  return high == Range::kNoHigh ? std::nullopt : std::optional(high);
}

Value UnbackedNumber(Call& call, Tensor& of) {
  const ScalarType dtype = of.meta.dtype;
  if (!MakesUnbacked() || IsComplex(dtype)) DataDependent(call);
  Sym number = of.Recall(Asked::kItem);
  if (!number) {
    const SymType type = IsFloat(dtype) ? SymType::kFloat : dtype == ScalarType::Bool ? SymType::kBool : SymType::kInt;
    number = ShapeEnv::Current()->NewUnbacked(type, {});
  }
  call.effects().remembered.push_back({&of, Asked::kItem, number});
  return Value::Of(number);
}

Dim UnbackedInteger(int64_t min, int64_t max) {
  return Dim::Of(ShapeEnv::Current()->NewUnbacked(SymType::kInt, {min, max}));
}

std::optional<Dim> KnownSelection(const Tensor& mask) {
  if (IsKnownEmpty(mask.meta)) return 0;
  const std::vector<Value>* values = mask.KnownValue();
  if (!values) return std::nullopt;
  return static_cast<int64_t>(std::count_if(values->begin(), values->end(), IsTrue));
}

Dim SelectedByMask(Call& call, Tensor& mask) {
  if (auto selected = KnownSelection(mask)) return *selected;
  return UnbackedSize(call, mask, Asked::kNonzero, MostElements(Numel(mask.meta.size_span())));
}

}  // namespace fakeprop::rules
