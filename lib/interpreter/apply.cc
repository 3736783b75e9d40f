// Source: torch/csrc/autograd/VariableTypeUtils.h (as_view), variable.cpp (rebase_history); torch 2.13.
#include "lib/interpreter/apply.h"

#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/meta/value_visit.h"

namespace fakeprop {
namespace {

bool IsDifferentiable(const Tensor& t) { return IsFloatOrComplex(t.meta.dtype); }

void MarkRecorded(Tensor& t) {
  t.own_requires_grad = true;
  t.is_leaf = false;
}

class Applier {
 public:
  Applier(const Schema& schema, const GradRule& grad, const ExecutionState& state, ObjectTable& objects, bool recorded)
      : schema_(schema), grad_(grad), state_(state), objects_(objects), recorded_(recorded) {}

  // Autograd follows writes to tensors that LibTorch's operators return, and the writes of foreach, which returns
  // nothing. Its fallback does not know which results have a derivative. Source: torchgen's gen_variable_type.py,
  // differentiable_outputs; autograd_not_implemented_fallback.cpp.
  bool IsFollowed(const Mutation& m, const Effects& effects) const {
    const bool is_fallback = (grad_.flags & kOutRecorded) && !grad_.is_composite;
    const bool is_differentiable = m.differentiable || (is_fallback && IsReturned(m, effects));
    if (!is_differentiable || !recorded_) return false;
    return effects.outputs.empty() || !schema_.name.starts_with("aten::") || IsReturned(m, effects);
  }

  void CheckMutations(const Effects& effects) const {
    for (const Mutation& m : effects.mutations)
      if (m.refused_as_seen && state_.grad_enabled && m.target->RequiresGrad()) CheckInplace(schema_, *m.target);
    if (!recorded_) return;
    // Others are recorded with a warning (autograd_not_implemented_fallback.cpp).
    if (schema_.IsOut() && schema_.name.starts_with("aten::") && !(grad_.flags & kOutRecorded))
      Fail(ErrorClass::kAutogradError,
          std::string(schema_.full_name) +
              ": forms with out= do not support automatic differentiation, but an argument requires grad");
    if (grad_.flags & kOutRecorded) CheckLaterResults(effects);
    // The fallback looks at all tensors that are written, also at those that the operator does not return. Running
    // statistics are written below it.
    for (const Mutation& m : effects.mutations) {
      const bool is_seen = m.differentiable || IsReturned(m, effects);
      if (IsFollowed(m, effects) || ((grad_.flags & kOutRecorded) && is_seen)) CheckInplace(schema_, *m.target);
    }
  }

  // The fallback records its results as those of one function, of which only the first may be a view.
  // Source: rebase_history in torch/csrc/autograd/variable.cpp.
  void CheckLaterResults(const Effects& effects) const {
    for (size_t i = 1; i < effects.outputs.size(); ++i) {
      Tensor* t = effects.outputs[i].kind == Output::Kind::kArgument ? effects.outputs[i].source : nullptr;
      if (t && t->base && IsDifferentiable(*t))
        Fail(ErrorClass::kAutogradError,
            std::string(schema_.full_name) +
                ": functions which modify views in-place must return a single Variable, but it returns several",
            {t});
    }
  }

  void Mutate(Mutation& m, const Effects& effects) {
    Tensor& t = *m.target;
    if (m.fresh_storage) t.storage = objects_.NewStorage(0, t.meta.device);
    if (m.storage_of) t.storage = m.storage_of->storage;
    if (m.meta) t.meta = *m.meta;
    if (!m.parts.empty()) {
      t.parts = objects_.NewParts(MakeParts(m.parts, m.is_coalesced));
      t.storage = t.parts->values->storage;
    }
    if (m.nbytes) t.storage->nbytes = Max(t.storage->nbytes, *m.nbytes);
    if (m.writes) ++t.storage->version;
    if (BumpsVersion(m)) t.CountChange();
    if (m.requires_grad) {
      t.own_requires_grad = *m.requires_grad;
      t.is_leaf = true;
    }
    if (IsFollowed(m, effects) && (IsDifferentiable(t) || !grad_.by_dtype)) {
      if (t.base) MarkRecorded(*t.base);
      MarkRecorded(t);
      t.view_version = t.Version();
    }
  }

  Value MakeResult(Output& o, int index) {
    switch (o.kind) {
      case Output::Kind::kValue: return std::move(o.value);
      case Output::Kind::kArgument: return HandBack(o, index);
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
  static bool IsReturned(const Mutation& m, const Effects& effects) {
    return std::any_of(effects.outputs.begin(), effects.outputs.end(), [&](const Output& o) {
      return o.kind == Output::Kind::kList || (o.kind == Output::Kind::kArgument && o.source == m.target);
    });
  }

  // Returns true if autograd counts the mutation as a version of the tensor. Among LibTorch's operators the in-place
  // and out= forms count what they write (_cummin_helper is neither), and those that change a view in place its sizes
  // and strides. Source: torchgen's gen_inplace_or_view_type.py.
  bool BumpsVersion(const Mutation& m) const {
    const bool is_form = schema_.IsOut() || schema_.IsInplace() || schema_.name.ends_with("__");
    const bool counts = is_form || !schema_.name.starts_with("aten::");
    return (m.writes && counts) || (m.meta && schema_.Has(kTagInplaceView));
  }

  bool FollowsResult(int index, ScalarType dtype) const {
    const bool followed = !grad_.no_result && (index >= 32 || (grad_.outputs >> index & 1u));
    return recorded_ && followed && IsFloatOrComplex(dtype);
  }

  bool Follows(const Output& o, int index) const {
    return o.requires_grad ? *o.requires_grad : FollowsResult(index, o.meta.dtype);
  }

  // Autograd takes an argument that a kernel gives back for a new result, and records it as such.
  Tensor* HandBack(const Output& o, int index) const {
    const bool is_result = (grad_.flags & kDerived) && !grad_.is_composite && !schema_.Writes();
    if (is_result && FollowsResult(index, o.source->meta.dtype)) MarkRecorded(*o.source);
    return o.source;
  }

  // The parts of a tensor of a sparse layout. Autograd follows the whole, not its parts.
  SparseParts MakeParts(std::vector<Output>& parts, bool is_coalesced) {
    const auto part = [&](size_t i) { return i < parts.size() ? MakePart(parts[i]) : nullptr; };
    SparseParts made{.values = part(0), .indices = part(1), .plain = part(2), .is_coalesced = is_coalesced};
    return made;
  }

  Tensor* MakePart(Output& o) {
    if (o.kind == Output::Kind::kArgument) return o.source;
    Storage* storage = o.source ? o.source->storage : objects_.NewStorage(StorageNbytes(o.meta), o.meta.device);
    return objects_.NewTensor(std::move(o.meta), storage);
  }

  Tensor* MakeSparse(Output& o, int index) {
    Tensor* t = objects_.NewSparse(o.meta, MakeParts(o.items, o.is_coalesced));
    return Finish(t, o, Follows(o, index));
  }

  Tensor* MakeNew(Output& o, int index) {
    if (!o.items.empty()) return MakeSparse(o, index);
    const Dim nbytes = o.nbytes.value_or(StorageNbytes(o.meta));
    Storage* storage = o.shares_with >= 0 ? made_[o.shares_with]->storage : objects_.NewStorage(nbytes, o.meta.device);
    if (o.shares_with >= 0) storage->nbytes = Max(storage->nbytes, nbytes);
    Tensor* t = Finish(objects_.NewTensor(std::move(o.meta), storage), o, Follows(o, index));
    if (o.ends_in_view) GiveBase(*t);
    return t;
  }

  // What the view is made of, which nobody else sees.
  void GiveBase(Tensor& t) {
    t.base = objects_.NewTensor(t.meta, t.storage);
    t.base->own_requires_grad = t.own_requires_grad;
    t.base->is_leaf = t.is_leaf;
    if (!state_.grad_enabled) t.origin = ViewOrigin::kNoGrad;
    t.view_version = t.Version();
  }

  Tensor* MakeView(Output& o, int index, ViewOrigin origin) {
    Tensor* t = objects_.NewTensor(std::move(o.meta), o.source->storage);
    if (!o.items.empty()) t->parts = objects_.NewParts(MakeParts(o.items, o.is_coalesced));
    // What autograd takes for a new result has a version of its own.
    const bool is_new = o.kind == Output::Kind::kAlias && o.requires_grad;
    if (!is_new) t->versioned_with = o.source->versioned_with ? o.source->versioned_with : o.source;
    const bool can_follow = o.kind == Output::Kind::kView && !(index < 32 && !(grad_.outputs >> index & 1u));
    if (!can_follow) return Finish(t, o, o.requires_grad.value_or(false));
    t->is_of_base = !o.source->base;
    t->base = t->is_of_base ? o.source : o.source->base;
    t->origin = !state_.grad_enabled ? ViewOrigin::kNoGrad : origin == ViewOrigin::kPlain ? o.source->origin : origin;
    t->view_version = t->Version();
    // Without a grad_fn of its own a view requires grad only with its base (DifferentiableViewMeta::requires_grad).
    const bool recorded = state_.grad_enabled && o.source->RequiresGrad();
    Finish(t, o, recorded || o.requires_grad.value_or(false));
    if (!state_.grad_enabled) t->is_leaf = true;
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

// A composite that gives its arguments back calls nothing that autograd sees.
bool HandsBack(const Schema& schema, const Effects& effects) {
  const auto is_argument = [](const Output& o) {
    const auto is_item = [](const Output& item) { return item.kind == Output::Kind::kArgument; };
    return o.kind == Output::Kind::kList ? std::ranges::all_of(o.items, is_item) : is_item(o);
  };
  return schema.Has(kHasCompositeImplicit) && effects.mutations.empty() &&
         std::ranges::all_of(effects.outputs, is_argument);
}

}  // namespace

Value ApplyEffects(Effects& effects, const Schema& schema, std::span<const Value* const> arguments,
    const GradRule& grad, const ExecutionState& state, ObjectTable& objects) {
  const bool is_recorded = IsRecorded(arguments, grad, state);
  if (state.grad_enabled && grad.refused) CheckRefused(schema, arguments, grad);
  if (is_recorded) {
    if (!HandsBack(schema, effects)) CheckViews(schema, arguments, grad);
    CheckResults(schema, arguments, grad, effects);
  }
  Applier applier(schema, grad, state, objects, is_recorded);
  applier.CheckMutations(effects);
  if (is_recorded && !HandsBack(schema, effects)) FollowViews(arguments, grad);
  for (Mutation& m : effects.mutations) applier.Mutate(m, effects);
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
