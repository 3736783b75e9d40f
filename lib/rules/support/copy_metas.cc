#include "lib/rules/support/copy_metas.h"

namespace fakeprop::rules {

TensorMeta EmptyLike(const TensorMeta& t, MemoryFormat format) {
  if (format != MemoryFormat::Preserve) return MetaInFormat(t.size_span(), t.dtype, t.device, format);
  TensorMeta out = ContiguousMeta(t.size_span(), t.dtype, t.device);
  out.strides = PreservedStrides(t);
  return out;
}

TensorMeta InFormat(const TensorMeta& t, MemoryFormat format) {
  return IsContiguousIn(t, format) ? t : EmptyLike(t, format);
}

TensorMeta WithDtype(TensorMeta t, ScalarType dtype) {
  t.dtype = dtype;
  return t;
}

}  // namespace fakeprop::rules
