// Source: torch/csrc/autograd/VariableTypeUtils.h (check_inplace), torchgen's gen_variable_type.py; torch 2.13.
#include "lib/interpreter/autograd.h"

#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/meta/value_visit.h"

namespace fakeprop {
namespace {

// Integers count too if they were written to in place: autograd checks the dtype only of results (set_history).
bool AnyRequiresGrad(const Value& value) {
  return AnyTensor(value, [](const Tensor& t) { return t.RequiresGrad(); });
}

// A view of one of these origins has no way back to its base after a write to the base or to another of its views.
// Source: VariableHooks::grad_fn and handle_view_on_rebase in torch/csrc/autograd/variable.cpp (torch 2.13).
void CheckView(const Schema& schema, Tensor& view) {
  if (!view.base || view.origin == ViewOrigin::kPlain || !view.base->own_requires_grad) return;
  if (view.view_version == view.Version()) return;
  const std::string how = view.origin == ViewOrigin::kNoGrad
                              ? "a view that was made under no_grad"
                              : "a view from an operator with several views (split, chunk, unbind)";
  Fail(ErrorClass::kAutogradError,
      std::string(schema.full_name) + " reads " + how +
          ", and its base or another view of its base has been modified inplace since; use the out-of-place form",
      {&view});
}

// A recorded write makes a view of complex numbers anew from its base, which set_ may have changed.
// Source: rebase_history, _view_func of view_as_complex (torch 2.13).
void CheckReplay(const Schema& schema, Tensor& view) {
  const TensorMeta& base = view.base->meta;
  if (!view.is_of_base || !IsComplex(view.meta.dtype) || IsComplex(base.dtype)) return;
  if (base.rank() == 0 || !GuardOrTrue(Eq(base.sizes.back(), 2)))
    Fail(ErrorClass::kAutogradError,
        std::string(schema.full_name) + " writes to a complex view of a tensor that has shape " +
            ToString(base.size_span()) + " now: Tensor must have a last dimension of size 2",
        {&view});
}

// An integer tensor requires grad where a write to it in place was followed.
bool AnyRequiresGrad(std::span<const Value* const> arguments, const GradRule& grad, const Dtypes& dtypes) {
  bool any = false;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (i >= 32 || (grad.inputs >> i & 1u))
      any = any ||
            AnyTensor(*arguments[i], [&](const Tensor& t) { return dtypes.Has(t.meta.dtype) && t.RequiresGrad(); });
  return any;
}

// The dtypes of which a recorded operator makes no result. One with a formula makes only what is floating or complex.
// Others leave integers out, but the operators of which composites are made see an integer tensor that requires grad;
// bools come of comparisons, which are not recorded.
// Source: set_history in torch/csrc/autograd/functions/utils.h (torch 2.13).
Dtypes RefusedResults(std::span<const Value* const> arguments, const GradRule& grad) {
  constexpr Dtypes kNotDifferentiable = ~(kFloatDtypes | kComplexDtypes);
  if (grad.flags & kDerived) return kNotDifferentiable;
  if (!grad.is_composite || grad.by_dtype || !AnyRequiresGrad(arguments, grad, kNotDifferentiable)) return {};
  const bool any_bool = AnyRequiresGrad(arguments, grad, ScalarType::Bool);
  return any_bool ? kNotDifferentiable : kNotDifferentiable - ScalarType::Bool;
}

// In-place forms of views, as t_, give their argument another layout. Autograd takes it for a new result.
// Source: emit_history in torchgen's gen_variable_type.py (torch 2.13).
bool IsLaidOutAnew(const Output& o, const Effects& effects) {
  return o.kind == Output::Kind::kArgument && std::ranges::any_of(effects.mutations, [&](const Mutation& m) {
    return m.target == o.source && m.meta && !m.writes && !m.storage_of;
  });
}

// Some formulas are of real numbers only. Source: throw_error_for_complex_autograd (torch 2.13).
void CheckResult(
    const Schema& schema, const GradRule& grad, const Output& o, const Dtypes& refused, const Effects& effects) {
  for (const Output& item : o.items) CheckResult(schema, grad, item, refused, effects);
  // To a formula an alias, as unsafe_split makes one, is a new tensor.
  const bool is_alias = o.kind == Output::Kind::kAlias && (grad.flags & kDerived);
  const bool is_made =
      is_alias || o.kind == Output::Kind::kNew || o.kind == Output::Kind::kView || IsLaidOutAnew(o, effects);
  const ScalarType dtype = o.kind == Output::Kind::kArgument ? o.source->meta.dtype : o.meta.dtype;
  if ((o.requires_grad && !is_alias) || (!is_made && o.kind != Output::Kind::kArgument)) return;
  if (is_made && refused.Has(dtype))
    Fail(ErrorClass::kAutogradError,
        std::string(schema.full_name) + ": Autograd not support dtype: " + std::string(C10DtypeName(dtype)));
  if ((grad.flags & kRealOnly) && IsComplex(dtype))
    Fail(ErrorClass::kAutogradError,
        std::string(schema.full_name) + " does not support automatic differentiation for outputs with complex dtype");
}

// LibTorch's operators without results are not recorded, unless their row says so of the in-place form. detach asks
// nothing of the tensor. Source: torchgen's gen_variable_type.py, emit_body (requires_derivative);
// VariableTypeManual.cpp.
bool RecordsNothing(const Schema& schema, const ServedRule* served) {
  if (schema.full_name == "aten::detach") return true;
  const bool follows_writes = served && served->facts->grad == Grad::kFollowedWrites && !schema.IsOut();
  return schema.returns.empty() && schema.name.starts_with("aten::") && !follows_writes;
}

// No result of the operator has a derivative: comparisons, and what makes tensors of numbers.
bool FollowsNothing(const Schema& schema, int torch) {
  const Differentiability* row = FindDifferentiability(schema.full_name, torch);
  const auto is_tensor = [](const SchemaArgument& argument) { return argument.type.kind == TypeKind::kTensor; };
  return row ? row->outputs == 0 : std::none_of(schema.arguments.begin(), schema.arguments.end(), is_tensor);
}

// The masks of an out= form: the inputs of its functional operator, and the out tensors.
void TakeOutForm(const Schema& schema, const ServedRule* served, int torch, GradRule& rule) {
  const Schema* functional = served ? served->functional : nullptr;
  const bool is_composite = !(rule.flags & (kOutRefused | kOutRecorded));
  if ((rule.flags & kOutUnseen) || (is_composite && functional && FollowsNothing(*functional, torch))) {
    rule.inputs = 0;
  } else if (const Differentiability* row = functional ? FindDifferentiability(functional->full_name, torch) : nullptr;
             row && rule.inputs == GradRule().inputs && (rule.flags & kOutRefused)) {
    rule.inputs = row->inputs;
    for (size_t i = 0; i < schema.arguments.size() && i < 32; ++i)
      if (!schema.arguments[i].is_write) rule.inputs |= row->refused & (1u << i);
    for (size_t i = 0, result = 0; i < schema.arguments.size() && i < 32; ++i)
      if (schema.arguments[i].IsOut()) rule.inputs |= (row->outputs >> result++ & 1u) << i;
  }
}

}  // namespace

GradRule FindGradRule(const Schema& schema, const ServedRule* served, int torch) {
  GradRule rule;
  const bool records_nothing = RecordsNothing(schema, served);
  if (records_nothing) rule.inputs = 0;
  const Differentiability* row = FindDifferentiability(schema.full_name, torch);
  const bool has_rows_of_functional =
      served && served->functional && (served->form == Form::kInplace || served->form == Form::kCopy);
  const Differentiability* of_functional =
      has_rows_of_functional ? FindDifferentiability(served->functional->full_name, torch) : nullptr;
  if (!row) row = of_functional;
  if (row) {
    // The row of an in-place form does not say which inputs are followed.
    const Differentiability* says = row->inputs == GradRule().inputs && of_functional ? of_functional : row;
    if (!records_nothing) rule.inputs = says->inputs;
    rule.outputs = row->outputs;
    rule.refused = row->refused;
    rule.flags = row->flags;
  }
  if (schema.IsOut()) TakeOutForm(schema, served, torch, rule);
  rule.is_composite = schema.Has(kHasCompositeImplicit);
  rule.no_result = served && served->facts->grad == Grad::kNone;
  rule.list_views = served ? served->facts->list_views : ListViews();
  rule.by_dtype = (rule.flags & kOutRecorded) || (served && served->facts->grad == Grad::kFollowedByDtype);
  return rule;
}

bool IsRecorded(std::span<const Value* const> arguments, const GradRule& grad, const ExecutionState& state) {
  if (!state.grad_enabled) return false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool follows = i >= 32 || (grad.inputs >> i & 1u);
    if (follows && AnyRequiresGrad(*arguments[i])) return true;
  }
  return false;
}

void CheckInplace(const Schema& schema, Tensor& target) {
  const std::string op(schema.full_name);
  auto fail = [&](const std::string& why) { Fail(ErrorClass::kAutogradError, op + ": " + why, {&target}); };
  if (target.base) {
    CheckReplay(schema, target);
    if (target.origin == ViewOrigin::kMultiOutput)
      fail(
          "an in-place write to a view from an operator with several views (split, chunk, unbind) that requires grad; "
          "use the out-of-place form");
    if (target.origin == ViewOrigin::kNoGrad)
      fail("an in-place write, with grad on, to a view that was made under no_grad");
    if (target.RequiresGrad() && target.base->is_leaf)
      fail("an in-place write to a view of a leaf tensor that requires grad");
  }
  if (target.RequiresGrad() && target.is_leaf)
    fail(std::string("an in-place write to a leaf tensor that requires grad") +
         (target.base ? "; a view that was made before its base required grad is a leaf until an operation reads it"
                      : ""));
}

void CheckViews(const Schema& schema, std::span<const Value* const> arguments, const GradRule& grad) {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (i >= 32 || (grad.inputs >> i & 1u)) ForEachTensor(*arguments[i], [&](Tensor& t) { CheckView(schema, t); });
}

void FollowViews(std::span<const Value* const> arguments, const GradRule& grad) {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (i >= 32 || (grad.inputs >> i & 1u))
      ForEachTensor(*arguments[i], [](Tensor& t) { t.is_leaf = t.is_leaf && !(t.base && t.RequiresGrad()); });
}

void CheckResults(
    const Schema& schema, std::span<const Value* const> arguments, const GradRule& grad, const Effects& effects) {
  if (grad.no_result) return;
  const Dtypes refused = RefusedResults(arguments, grad);
  for (size_t i = 0; i < effects.outputs.size(); ++i)
    if (i >= 32 || (grad.outputs >> i & 1u)) CheckResult(schema, grad, effects.outputs[i], refused, effects);
}

// Source: check_no_requires_grad in torch/csrc/autograd/VariableTypeUtils.h (torch 2.13).
void CheckRefused(const Schema& schema, std::span<const Value* const> arguments, const GradRule& grad) {
  for (size_t i = 0; i < arguments.size() && i < 32; ++i)
    if ((grad.refused >> i & 1u) && AnyRequiresGrad(*arguments[i]))
      Fail(ErrorClass::kAutogradError,
          std::string(schema.full_name) + ": the function is not differentiable with respect to argument '" +
              std::string(schema.arguments[i].name) + "'. This input cannot have requires_grad True");
}

}  // namespace fakeprop
