#include "lib/rules/derived/on_other_layouts.h"

#include "lib/meta/value_visit.h"
#include "lib/rules/core/results.h"
#include "lib/rules/layout_rows.h"
#include "lib/rules/other_layouts/sparse_writes.h"
#include "lib/schema/schema_flags.h"

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

LayoutOut KernelOfOut(const Schema& functional, OtherLayout layout) {
  const LayoutRow* row = FindLayoutRow(functional.full_name, layout);
  return row ? row->out : LayoutOut::kCopied;
}

// oneDNN's tensors have few such kernels. Generated ones call the functional operator and copy. Nothing is written to
// nested tensors.
bool HasOutKernel(const Call& call, const Schema& functional, OtherLayout layout) {
  const auto is_nested = [](const Tensor& t) { return t.meta.layout == Layout::Jagged; };
  if (AnyTensor(call.Arg(static_cast<int>(call.size()) - 1), is_nested)) return false;
  if (call.schema().Has(kTagGenerated)) return true;
  switch (KernelOfOut(functional, layout)) {
    case LayoutOut::kNone: return false;
    case LayoutOut::kCopied: return layout != OtherLayout::kMkldnn;
    default: return true;
  }
}

void WriteOpaque(Call& call, const TensorMeta& result, Tensor& out) {
  RequireShape(call, GuardSame(result.size_span(), out.meta.size_span()),
      {"writes a result of shape {} to a oneDNN tensor, which is not resized, of shape {}", result.sizes,
          out.meta.sizes});
  call.Write(out);
}

bool IsStrided(const Output& output) { return !OtherLayoutOf(output.meta.layout); }

void RequireFit(const Call& call, const Tensor& target, const TensorMeta& result) {
  RequireDtype(call, result.dtype == target.meta.dtype,
      {"writes a result of {} to a tensor of {}", result.dtype, target.meta.dtype});
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

void RequireStrided(const Call& call) {
  if (FindOtherLayout(call)) FailLayout(call);
}

bool RunOnLayout(const ServedRule& served, OtherLayout layout, Call& call) {
  if (const Rule rule = served.layouts[static_cast<size_t>(layout)]) return rule(call), true;
  if (served.form == Form::kDirect || (served.form == Form::kOut && !HasOutKernel(call, *served.functional, layout)))
    FailLayout(call);
  return false;
}

void WriteOutOfLayout(Call& call, const Schema& functional, const Output& result, Tensor& out) {
  const OtherLayout layout = *OtherLayoutOf(out.meta.layout);
  if (layout == OtherLayout::kMkldnn) return WriteOpaque(call, result.meta, out);
  const LayoutOut kernel = KernelOfOut(functional, layout);
  if (kernel == LayoutOut::kStrided)
    Fail(ErrorClass::kTypeError, Format("{} writes to strided tensors alone, not to {}", OpName(call), out.meta),
        {&out});
  rules::WriteSparse(call, kernel, result, out);
}

bool ReplaceWritten(Form form, Call& call, Effects& functional) {
  if (form != Form::kInplace || functional.outputs.size() != 1) return false;
  Output& result = functional.outputs[0];
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
