#include "lib/rules/support/copy_metas.h"

#include "lib/rules/core/shapes.h"
#include "lib/rules/support/elementwise.h"

namespace fakeprop::rules {

TensorMeta EmptyLike(const TensorMeta& t, MemoryFormat format) {
  if (format != MemoryFormat::Preserve) return MetaInFormat(t.size_span(), t.dtype, t.device, format);
  TensorMeta out = ContiguousMeta(t.size_span(), t.dtype, t.device);
  out.strides = PreservedStrides(t);
  return out;
}

TensorMeta NewLike(const TensorMeta& t, MemoryFormat format) {
  if (format != MemoryFormat::Preserve || !HasData(t.size_span())) return EmptyLike(t, format);
  const TensorMeta* operands[] = {&t};
  return ElementwiseMeta(operands, t.dtype, t.device);
}

TensorMeta InFormat(const TensorMeta& t, MemoryFormat format) {
  return IsContiguousIn(t, format) ? t : EmptyLike(t, format);
}

TensorMeta WithDtype(TensorMeta t, ScalarType dtype) {
  t.dtype = dtype;
  return t;
}

}  // namespace fakeprop::rules
