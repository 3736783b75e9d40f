// Source: MathOpFallback in aten/src/ATen/native/MathBitsFallback.h, and what falls through it in
// MathBitFallThroughLists.h and NegateFallback.cpp (torch 2.13).
#include "lib/rules/derived/pending_bits.h"

#include <algorithm>

#include "lib/meta/value_visit.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/schema/schema_flags.h"

namespace fakeprop {
namespace {

// Operators that take such tensors as they are, beside those that return views of their arguments.
constexpr std::string_view kTakingBits[] = {"aten::_unsafe_view", "aten::as_strided_", "aten::detach_",
    "aten::empty_like", "aten::full_like", "aten::resize_", "aten::set_", "aten::set_.source_Storage_storage_offset",
    "aten::set_.source_Tensor", "aten::squeeze_", "aten::t_", "aten::transpose_", "aten::unsqueeze_"};
static_assert(std::ranges::is_sorted(kTakingBits));

bool Given(const Call& call, bool (*is)(const Tensor&)) {
  return std::ranges::any_of(call.arguments(), [&](const Value* v) { return AnyTensor(*v, is); });
}

bool HasBits(const Tensor& t) { return t.meta.is_conj || t.meta.is_neg; }

bool TakesBits(const Schema& schema) {
  const auto is_viewed = [](const SchemaArgument& a) { return !a.alias_set.empty() && !a.is_write; };
  return std::ranges::binary_search(kTakingBits, schema.full_name) || std::ranges::any_of(schema.arguments, is_viewed);
}

// The cpu has no kernel that negates these.
bool HoldsBools(const Tensor& t) {
  return t.meta.dtype == ScalarType::Bool && t.meta.device.is_cpu() && !IsKnownEmpty(t.meta);
}

// copy_ applies the bits itself, to what it writes.
bool NegatesBools(const Call& call) {
  if (call.schema().full_name == "aten::copy_") {
    const Tensor& self = call.TensorArg(0);
    return self.meta.is_neg != call.Meta(1).is_neg && HoldsBools(self);
  }
  return Given(call, [](const Tensor& t) { return t.meta.is_neg && HoldsBools(t); });
}

bool IsNew(const Output& output) {
  return output.kind == Output::Kind::kNew || std::ranges::any_of(output.items, IsNew);
}

// A composite that makes and writes nothing has handed out views.
bool HandsOutViews(const Call& call) {
  const Effects& effects = call.effects();
  return std::ranges::none_of(effects.outputs, IsNew) && std::ranges::none_of(effects.mutations, &Mutation::writes);
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

void RequireBitsApplied(const Call& call) {
  if (!Given(call, HasBits)) return;
  const bool is_composite = call.schema().Has(kHasCompositeImplicit);
  if (is_composite ? HandsOutViews(call) : TakesBits(call.schema())) return;
  if (NegatesBools(call)) FailDtype(call, "negates bool elements: \"neg_cpu\" not implemented for 'Bool'");
  if (is_composite) return;
  RequireOneWritten(call, &TensorMeta::is_conj, "conjugate");
  RequireOneWritten(call, &TensorMeta::is_neg, "negation");
}

}  // namespace fakeprop
