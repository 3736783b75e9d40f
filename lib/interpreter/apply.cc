// Source: torch/csrc/autograd/VariableTypeUtils.h (check_inplace, as_view), variable.cpp (rebase_history); torch 2.13.
#include "lib/interpreter/apply.h"

#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/meta/value_visit.h"

namespace fakeprop {
namespace {

bool IsDifferentiable(const Tensor& t) { return IsFloatOrComplex(t.meta.dtype); }

// Integers count too if they were written to in place: autograd checks the dtype only of results (set_history).
bool AnyRequiresGrad(const Value& value) {
  return AnyTensor(value, [](const Tensor& t) { return t.RequiresGrad(); });
}

// Returns true if autograd records this call: grad mode is on, and an input that it follows requires grad.
bool IsRecorded(std::span<const Value* const> arguments, const GradRule& grad, const ExecutionState& state) {
  if (!state.grad_enabled) return false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool follows = i >= 32 || (grad.inputs >> i & 1u);
    if (follows && AnyRequiresGrad(*arguments[i])) return true;
  }
  return false;
}

// The reason why autograd forbids a recorded in-place write.
void CheckInplace(const Schema& schema, Tensor& target) {
  const std::string op(schema.full_name);
  auto fail = [&](const std::string& why) { Fail(ErrorClass::kAutogradError, op + ": " + why, {&target}); };
  if (target.base) {
    if (target.origin == ViewOrigin::kMultiOutput)
      fail(
          "an in-place write to a view from an operator with several views (split, chunk, unbind) that requires grad; "
          "use the out-of-place form");
    if (target.origin == ViewOrigin::kNoGrad)
      fail("an in-place write, with grad on, to a view that was made under no_grad");
    if (target.RequiresGrad() && target.base->is_leaf)
      fail("an in-place write to a view of a leaf tensor that requires grad");
  }
  if (target.RequiresGrad() && target.is_leaf && !target.base)
    fail("an in-place write to a leaf tensor that requires grad");
}

// A view of one of these origins has no way back to its base after a write to the base or to another of its views.
// Source: VariableHooks::grad_fn and handle_view_on_rebase in torch/csrc/autograd/variable.cpp (torch 2.13).
void CheckView(const Schema& schema, Tensor& view) {
  if (!view.base || view.origin == ViewOrigin::kPlain || !view.base->own_requires_grad) return;
  if (view.view_version == view.storage->version) return;
  const std::string how = view.origin == ViewOrigin::kNoGrad
                              ? "a view that was made under no_grad"
                              : "a view from an operator with several views (split, chunk, unbind)";
  Fail(ErrorClass::kAutogradError,
      std::string(schema.full_name) + " reads " + how +
          ", and its base or another view of its base has been modified inplace since; use the out-of-place form",
      {&view});
}

// What autograd has against reading the arguments that it follows.
void CheckViews(const Schema& schema, std::span<const Value* const> arguments, const GradRule& grad) {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (i >= 32 || (grad.inputs >> i & 1u)) ForEachTensor(*arguments[i], [&](Tensor& t) { CheckView(schema, t); });
}

// An integer tensor requires grad where a write to it in place was followed.
bool AnyIntegerRequiresGrad(std::span<const Value* const> arguments, const GradRule& grad) {
  bool any = false;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (i >= 32 || (grad.inputs >> i & 1u))
      any = any || AnyTensor(*arguments[i], [](const Tensor& t) { return !IsDifferentiable(t) && t.RequiresGrad(); });
  return any;
}

// What autograd has against the arguments, whether or not it records the call.
// Source: check_no_requires_grad in torch/csrc/autograd/VariableTypeUtils.h (torch 2.13).
void CheckRefused(const Schema& schema, std::span<const Value* const> arguments, const GradRule& grad) {
  for (size_t i = 0; i < arguments.size() && i < 32; ++i)
    if ((grad.refused >> i & 1u) && AnyRequiresGrad(*arguments[i]))
      Fail(ErrorClass::kAutogradError,
          std::string(schema.full_name) + ": the function is not differentiable with respect to argument '" +
              std::string(schema.arguments[i].name) + "'. This input cannot have requires_grad True");
}

// A recorded operator with a formula wants results that are floating or complex. Others leave integers out, but where
// the tensor that requires grad is one. Some formulas are of real numbers only.
// Source: set_history in torch/csrc/autograd/functions/utils.h, throw_error_for_complex_autograd (torch 2.13).
void CheckResult(const Schema& schema, const GradRule& grad, const Output& o, bool wants_differentiable) {
  for (const Output& item : o.items) CheckResult(schema, grad, item, wants_differentiable);
  const bool is_made = o.kind == Output::Kind::kNew || o.kind == Output::Kind::kView;
  const ScalarType dtype = o.kind == Output::Kind::kArgument ? o.source->meta.dtype : o.meta.dtype;
  if (o.requires_grad || (!is_made && o.kind != Output::Kind::kArgument)) return;
  if (is_made && wants_differentiable && !IsFloatOrComplex(dtype))
    Fail(ErrorClass::kAutogradError,
        std::string(schema.full_name) + ": Autograd not support dtype: " + std::string(C10DtypeName(dtype)));
  if ((grad.flags & kRealOnly) && IsComplex(dtype))
    Fail(ErrorClass::kAutogradError,
        std::string(schema.full_name) + " does not support automatic differentiation for outputs with complex dtype");
}

void CheckResults(const Schema& schema, std::span<const Value* const> arguments, const GradRule& grad,
    const std::vector<Output>& outputs) {
  if (grad.no_result) return;
  const bool wants_differentiable = (grad.flags & kDerived) || AnyIntegerRequiresGrad(arguments, grad);
  for (size_t i = 0; i < outputs.size(); ++i)
    if (i >= 32 || (grad.outputs >> i & 1u)) CheckResult(schema, grad, outputs[i], wants_differentiable);
}

void MarkRecorded(Tensor& t) {
  t.own_requires_grad = true;
  t.is_leaf = false;
}

class Applier {
 public:
  Applier(const Schema& schema, const GradRule& grad, const ExecutionState& state, ObjectTable& objects, bool recorded)
      : schema_(schema), grad_(grad), state_(state), objects_(objects), recorded_(recorded) {}

  // Autograd follows writes to tensors that LibTorch's operators return, and the writes of foreach, which returns
  // nothing. Source: torchgen's gen_variable_type.py, differentiable_outputs.
  bool IsFollowed(const Mutation& m, const Effects& effects) const {
    if (!m.differentiable || !recorded_) return false;
    if (effects.outputs.empty() || !schema_.name.starts_with("aten::")) return true;
    return std::any_of(effects.outputs.begin(), effects.outputs.end(), [&](const Output& o) {
      return o.kind == Output::Kind::kList || (o.kind == Output::Kind::kArgument && o.source == m.target);
    });
  }

  void CheckMutations(const Effects& effects) const {
    if (!recorded_) return;
    // Others are recorded with a warning (autograd_not_implemented_fallback.cpp).
    if (schema_.IsOut() && schema_.name.starts_with("aten::") && !(grad_.flags & kOutRecorded))
      Fail(ErrorClass::kAutogradError,
          std::string(schema_.full_name) +
              ": forms with out= do not support automatic differentiation, but an argument requires grad");
    for (const Mutation& m : effects.mutations)
      if (IsFollowed(m, effects)) CheckInplace(schema_, *m.target);
  }

  void Mutate(const Mutation& m, const Effects& effects) const {
    Tensor& t = *m.target;
    if (m.fresh_storage) t.storage = objects_.NewStorage(0, t.meta.device);
    if (m.storage_of) t.storage = m.storage_of->storage;
    if (m.meta) t.meta = *m.meta;
    if (m.nbytes) t.storage->nbytes = Max(t.storage->nbytes, *m.nbytes);
    if (m.writes || ChangesView(m, t)) ++t.storage->version;
    if (m.requires_grad) {
      t.own_requires_grad = *m.requires_grad;
      t.is_leaf = true;
    }
    if (IsFollowed(m, effects) && (IsDifferentiable(t) || !grad_.by_dtype)) {
      if (t.base) MarkRecorded(*t.base);
      MarkRecorded(t);
      t.view_version = t.storage->version;
    }
  }

  Value MakeResult(Output& o, int index) {
    switch (o.kind) {
      case Output::Kind::kValue: return std::move(o.value);
      case Output::Kind::kArgument: return o.source;
      case Output::Kind::kNew: return MakeNew(o, index);
      case Output::Kind::kView:
      case Output::Kind::kAlias: return MakeView(o, index, ViewOrigin::kPlain);
      case Output::Kind::kList: break;
    }
    List list;
    list.items.reserve(o.items.size());
    const ViewOrigin origin = grad_.list_views == ListViews::kOfEach ? ViewOrigin::kPlain : ViewOrigin::kMultiOutput;
    for (Output& item : o.items) {
      list.items.push_back(
          item.kind == Output::Kind::kView ? Value(MakeView(item, index, origin)) : MakeResult(item, index));
    }
    return list;
  }

 private:
  // Autograd counts a change of the sizes or strides as a write (ADInplaceOrViewType, increment_version). Elements stay
  // known where it does not look.
  bool ChangesView(const Mutation& m, const Tensor& t) const {
    return schema_.Has(kTagInplaceView) && !m.storage_of && !m.fresh_storage && t.RequiresGrad();
  }

  bool Follows(const Output& o, int index) const {
    if (o.requires_grad) return *o.requires_grad;
    const bool followed = !grad_.no_result && (index >= 32 || (grad_.outputs >> index & 1u));
    return recorded_ && followed && IsFloatOrComplex(o.meta.dtype);
  }

  Tensor* MakeNew(Output& o, int index) {
    const Dim nbytes = o.nbytes.value_or(StorageNbytes(o.meta));
    Storage* storage = o.shares_with >= 0 ? made_[o.shares_with]->storage : objects_.NewStorage(nbytes, o.meta.device);
    if (o.shares_with >= 0) storage->nbytes = Max(storage->nbytes, nbytes);
    Tensor* t = objects_.NewTensor(std::move(o.meta), storage);
    return Finish(t, o, Follows(o, index));
  }

  Tensor* MakeView(Output& o, int index, ViewOrigin origin) {
    Tensor* t = objects_.NewTensor(std::move(o.meta), o.source->storage);
    const bool can_follow = o.kind == Output::Kind::kView && IsDifferentiable(*t) && IsDifferentiable(*o.source) &&
                            !(index < 32 && !(grad_.outputs >> index & 1u));
    if (!can_follow) return Finish(t, o, o.requires_grad.value_or(false));
    t->base = o.source->base ? o.source->base : o.source;
    t->origin = !state_.grad_enabled ? ViewOrigin::kNoGrad : origin == ViewOrigin::kPlain ? o.source->origin : origin;
    t->view_version = t->storage->version;
    Finish(t, o, o.source->RequiresGrad());
    if (!state_.grad_enabled) t->is_leaf = true;  // it has no grad_fn
    return t;
  }

  Tensor* Finish(Tensor* t, Output& o, bool requires_grad) {
    t->own_requires_grad = requires_grad;
    t->is_leaf = !requires_grad;
    if (o.constant) {
      t->constant = std::move(o.constant);
      t->constant_version = t->storage->version;
    }
    made_.push_back(t);
    return t;
  }

  const Schema& schema_;
  const GradRule& grad_;
  const ExecutionState& state_;
  ObjectTable& objects_;
  const bool recorded_;
  SmallVector<Tensor*, 4> made_;
};

// LibTorch's operators without results are not recorded, except for the in-place forms of foreach.
// Source: torchgen's gen_variable_type.py, emit_body (requires_derivative).
bool RecordsNothing(const Schema& schema) {
  return schema.returns.empty() && schema.name.starts_with("aten::") &&
         (schema.IsOut() || !schema.name.starts_with("aten::_foreach_"));
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
             row && (rule.flags & kOutRefused)) {
    rule.inputs = row->inputs;
    for (size_t i = 0, result = 0; i < schema.arguments.size() && i < 32; ++i)
      if (schema.arguments[i].IsOut()) rule.inputs |= (row->outputs >> result++ & 1u) << i;
  }
}

}  // namespace

GradRule FindGradRule(const Schema& schema, const ServedRule* served, int torch) {
  GradRule rule;
  if (RecordsNothing(schema)) rule.inputs = 0;
  const Differentiability* row = FindDifferentiability(schema.full_name, torch);
  const bool has_rows_of_functional =
      served && served->functional && (served->form == Form::kInplace || served->form == Form::kCopy);
  if (!row && has_rows_of_functional) row = FindDifferentiability(served->functional->full_name, torch);
  if (row) {
    if (!RecordsNothing(schema)) rule.inputs = row->inputs;
    rule.outputs = row->outputs;
    rule.refused = row->refused;
    rule.flags = row->flags;
  }
  if (schema.IsOut()) TakeOutForm(schema, served, torch, rule);
  rule.no_result = served && served->facts->grad == Grad::kNone;
  rule.list_views = served ? served->facts->list_views : ListViews();
  rule.by_dtype = (rule.flags & kOutRecorded) || (served && served->facts->grad == Grad::kFollowedByDtype);
  return rule;
}

Value ApplyEffects(Effects& effects, const Schema& schema, std::span<const Value* const> arguments,
    const GradRule& grad, const ExecutionState& state, ObjectTable& objects) {
  const bool is_recorded = IsRecorded(arguments, grad, state);
  if (state.grad_enabled && grad.refused) CheckRefused(schema, arguments, grad);
  if (is_recorded) {
    CheckViews(schema, arguments, grad);
    CheckResults(schema, arguments, grad, effects.outputs);
  }
  Applier applier(schema, grad, state, objects, is_recorded);
  applier.CheckMutations(effects);
  for (const Mutation& m : effects.mutations) applier.Mutate(m, effects);
  for (const Remembered& r : effects.remembered) r.of->Remember(r.asked, r.symbol);
  if (effects.outputs.empty()) return {};
  if (effects.outputs.size() == 1) return applier.MakeResult(effects.outputs[0], 0);
  List results;
  results.is_tuple = true;
  results.items.reserve(effects.outputs.size());
  for (size_t i = 0; i < effects.outputs.size(); ++i)
    results.items.push_back(applier.MakeResult(effects.outputs[i], static_cast<int>(i)));
  return results;
}

}  // namespace fakeprop
