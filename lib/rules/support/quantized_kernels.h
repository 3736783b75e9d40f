// Kernels for quantized tensors, where they give other results than the kernels for plain ones. They allocate in the
// memory format that a tensor suggests, and know no other layout. Source: aten/src/ATen/native/quantized/cpu
// (torch 2.15).
#pragma once

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

inline constexpr Dtypes kQuantizedTypes{ScalarType::QInt8, ScalarType::QUInt8, ScalarType::QInt32};

inline bool IsQuantized(const TensorMeta& t) { return kQuantizedTypes.Has(t.dtype); }

// A new tensor of t's sizes in the memory format that t suggests.
inline TensorMeta SuggestedMeta(const TensorMeta& t, ScalarType dtype) {
  return MetaInFormat(t.size_span(), dtype, t.device, SuggestMemoryFormat(t));
}

// Rule: kPlain, but for a quantized `self` a new tensor of its dtype in the format that it suggests.
template <Rule kPlain>
void OrSuggested(Call& call) {
  const Operand self = call.In("self");
  if (!IsQuantized(self)) return kPlain(call);
  call.ReturnNew(SuggestedMeta(self, self->dtype));
}

}  // namespace fakeprop::rules
