// Source: MathOpFallback in aten/src/ATen/native/MathBitsFallback.h, and what falls through it in
// MathBitFallThroughLists.h and NegateFallback.cpp (torch 2.13).
#include "lib/rules/derived/pending_bits.h"

#include <algorithm>

#include "lib/meta/value_visit.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/support/memory_overlap.h"
#include "lib/schema/schema_flags.h"

namespace fakeprop {
namespace {

bool Given(const Call& call, bool (*is)(const Tensor&)) {
  return std::ranges::any_of(call.arguments(), [&](const Value* v) { return AnyTensor(*v, is); });
}

bool HasBits(const Tensor& t) { return t.meta.HasPendingBits(); }

// Operators that return views of their arguments take such tensors too.
bool TakesBits(const Schema& schema, const OperatorFacts& facts) {
  const auto is_viewed = [](const SchemaArgument& a) { return !a.alias_set.empty() && !a.is_write; };
  return (facts.math_bits == MathBits::kTaken && !schema.IsOut()) || std::ranges::any_of(schema.arguments, is_viewed);
}

// The cpu has no kernel that negates these.
bool HoldsBools(const TensorMeta& t) { return t.dtype == ScalarType::Bool && t.device.is_cpu() && !IsKnownEmpty(t); }

[[noreturn]] void FailNegated(const Call& call) {
  FailDtype(call, "negates bool elements: \"neg_cpu\" not implemented for 'Bool'");
}

// An operator that takes negated tensors applies the bit itself to the elements that it writes (copy_).
void RequireNoneNegatedByItself(const Call& call) {
  for (const Mutation& mutation : call.effects().mutations) {
    const TensorMeta& written = mutation.target->meta;
    if (!mutation.writes || !HoldsBools(written)) continue;
    for (const Value* v : call.arguments())
      if (AnyTensor(*v, [&](const Tensor& t) { return t.meta.is_neg != written.is_neg; })) FailNegated(call);
  }
}

// Aliases that autograd does not follow come from operators that are no views to it (unsafe_split).
bool IsNew(const Output& output) {
  const bool is_new = output.kind == Output::Kind::kNew || output.kind == Output::Kind::kAlias;
  return is_new || std::ranges::any_of(output.items, IsNew);
}

// A composite that makes and writes nothing has handed out views.
bool HandsOutViews(const Call& call) {
  const Effects& effects = call.effects();
  return std::ranges::none_of(effects.outputs, IsNew) && std::ranges::none_of(effects.mutations, &Mutation::writes);
}

bool IsResized(const Mutation& m) {
  return m.meta && !GuardSameOrFalse(m.meta->size_span(), m.target->meta.size_span());
}

// The copy of one written tensor is written back, if it is the first result.
void RequireOneWritten(const Call& call, bool TensorMeta::*bit, std::string_view name) {
  bool found = false;
  for (size_t i = 0; i < call.size(); ++i) {
    const SchemaArgument& argument = call.schema().arguments[i];
    if (!argument.is_write || !AnyTensor(call.Arg(int(i)), [&](const Tensor& t) { return t.meta.*bit; })) continue;
    if (argument.type.is_list)
      FailValue(call, {"writes no list of tensors with a pending {}: fallback doesn't currently support mutable "
                       "TensorLists with {} inputs",
                          name, name});
    RequireValue(call, !found,
        {"writes one tensor with a pending {}: {} fallback does not support operators with more "
         "than one mutable tensors",
            name, name});
    found = true;
  }
}

}  // namespace

void RequireNoNegatedBools(const Call& call, const TensorMeta& t) {
  if (t.is_neg && HoldsBools(t)) FailNegated(call);
}

void RequireBitsApplied(const Call& call, const OperatorFacts& facts) {
  if (!Given(call, HasBits)) return;
  const bool is_composite = call.schema().Has(kHasCompositeImplicit);
  if (is_composite && HandsOutViews(call)) return;
  if (!is_composite && TakesBits(call.schema(), facts)) return RequireNoneNegatedByItself(call);
  const auto is_negated = [](const Tensor& t) { return t.meta.is_neg && HoldsBools(t.meta); };
  // A composite that takes such tensors looks only at the dtype of those beside the first (type_as).
  const bool reads_first = is_composite && facts.math_bits == MathBits::kTaken;
  if (reads_first ? AnyTensor(call.Arg(0), is_negated) : Given(call, is_negated)) FailNegated(call);
  if (is_composite) return;
  RequireOneWritten(call, &TensorMeta::is_conj, "conjugate");
  RequireOneWritten(call, &TensorMeta::is_neg, "negation");
  for (const Mutation& m : call.effects().mutations)
    if (HasBits(*m.target) && !IsResized(m)) rules::RequireUnshared(call, *m.target);
}

void CopyResizedViews(Call& call) {
  if (!call.schema().IsOut()) return;
  for (Mutation& m : call.effects().mutations)
    if (m.meta && m.target->meta.HasPendingBits()) m.meta->strides = ContiguousStrides(m.meta->size_span());
}

}  // namespace fakeprop
