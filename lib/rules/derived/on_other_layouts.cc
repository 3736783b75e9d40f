#include "lib/rules/derived/on_other_layouts.h"

#include "lib/meta/value_visit.h"
#include "lib/rules/core/results.h"

namespace fakeprop {
namespace {

bool ComesFirst(OtherLayout a, std::optional<OtherLayout> b) {
  return !b || (a == OtherLayout::kCompressed && *b != OtherLayout::kCompressed);
}

const Tensor& FirstOther(const Call& call) {
  const Tensor* found = nullptr;
  for (const Value* argument : call.arguments())
    ForEachTensor(*argument, [&](const Tensor& t) {
      if (!found && OtherLayoutOf(t.meta.layout)) found = &t;
    });
  return *found;
}

[[noreturn]] void FailLayout(const Call& call) {
  const Tensor& t = FirstOther(call);
  Fail(ErrorClass::kUnsupportedOperator,
      Format("{} has no rule for a tensor of layout {}: `to_dense` before it gives a strided one", OpName(call),
          Value(t.meta.layout)),
      {&t});
}

bool IsStrided(const Output& output) { return !OtherLayoutOf(output.meta.layout); }

void RequireFit(const Call& call, const Tensor& target, const TensorMeta& result) {
  if (result.dtype != target.meta.dtype)
    FailDtype(call, {"writes a result of {} to a tensor of {}", result.dtype, target.meta.dtype});
  RequireShape(call, GuardSame(result.size_span(), target.meta.size_span()),
      {"writes a result of shape {} to a tensor of shape {}", result.sizes, target.meta.sizes});
}

void Replace(Call& call, Tensor& target, Output& result) {
  Mutation& mutation = call.effects().mutations.emplace_back();
  mutation.target = &target;
  mutation.writes = true;
  mutation.parts = std::move(result.items);
  mutation.is_coalesced = result.is_coalesced;
  call.ReturnArgument(target);
}

}  // namespace

std::optional<OtherLayout> FindOtherLayout(const Call& call) {
  std::optional<OtherLayout> found;
  const auto add = [&](const Value& value) {
    const Tensor* t = value.TryTensor();
    if (!t || t->meta.layout == Layout::Strided) return;
    if (const auto layout = OtherLayoutOf(t->meta.layout); layout && ComesFirst(*layout, found)) found = layout;
  };
  for (const Value* argument : call.arguments()) {
    add(*argument);
    if (const List* list = argument->TryList())
      for (const Value& item : list->items) add(item);
  }
  return found;
}

bool RunOnLayout(const ServedRule& served, OtherLayout layout, Call& call) {
  if (const Rule rule = served.layouts[static_cast<size_t>(layout)]) return rule(call), true;
  if (served.form == Form::kDirect ||
      (served.form == Form::kOut && OtherLayoutOf(call.Tensors(static_cast<int>(call.size()) - 1)[0]->meta.layout)))
    FailLayout(call);
  return false;
}

bool ReplaceWritten(Form form, Call& call, Effects& functional) {
  if (form == Form::kCopy || functional.outputs.size() != 1) return false;
  Output& result = functional.outputs[0];
  if (form == Form::kOut && !IsStrided(result)) FailLayout(call);
  if (form == Form::kOut) return false;
  Tensor& target = call.TensorArg(0);
  const bool is_strided = !OtherLayoutOf(target.meta.layout);
  if (is_strided && IsStrided(result)) return false;
  if (IsStrided(result)) FailLayout(call);
  RequireFit(call, target, result.meta);
  if (is_strided) call.Write(target), call.ReturnArgument(target);
  else Replace(call, target, result);
  return true;
}

}  // namespace fakeprop
