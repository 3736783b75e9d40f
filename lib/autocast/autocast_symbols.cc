#include "lib/autocast/autocast_symbols.h"

namespace fakeprop {
namespace {

bool IsAt(Dim symbolic, Dim number) { return symbolic.Hint() == number.TryNumber(); }

// Of one shape and layout at the hints; strides of dimensions of one element say nothing.
bool IsAt(const TensorMeta& symbolic, const TensorMeta& number) {
  if (symbolic.rank() != number.rank() || symbolic.device != number.device) return false;
  for (int64_t d = 0; d < number.rank(); ++d) {
    if (!IsAt(symbolic.sizes[d], number.sizes[d])) return false;
    if (number.sizes[d].TryNumber() != 1 && !IsAt(symbolic.strides[d], number.strides[d])) return false;
  }
  return true;
}

bool TakeDtype(Output& by_rule, const Output& by_parts) {
  if (by_rule.kind != by_parts.kind || by_rule.items.size() != by_parts.items.size()) return false;
  for (size_t i = 0; i < by_rule.items.size(); ++i)
    if (!TakeDtype(by_rule.items[i], by_parts.items[i])) return false;
  if (by_rule.kind != Output::Kind::kNew) return by_rule.meta.dtype == by_parts.meta.dtype;
  if (by_rule.nbytes || by_rule.shares_with >= 0 || !IsAt(by_rule.meta, by_parts.meta)) return false;
  by_rule.meta.dtype = by_parts.meta.dtype;
  by_rule.requires_grad = by_parts.requires_grad;
  return true;
}

}  // namespace

void TakeDtypes(const Schema& schema, Effects& by_rule, const Effects& by_parts) {
  bool same =
      by_rule.outputs.size() == by_parts.outputs.size() && by_rule.mutations.size() == by_parts.mutations.size();
  for (size_t i = 0; same && i < by_rule.outputs.size(); ++i) same = TakeDtype(by_rule.outputs[i], by_parts.outputs[i]);
  if (!same)
    Fail(ErrorClass::kUnsupportedOperator,
        std::string(schema.full_name) +
            " under autocast goes by its parts, which give another "
            "layout than the rule for it: concrete shapes in the input spec avoid that");
}

}  // namespace fakeprop
