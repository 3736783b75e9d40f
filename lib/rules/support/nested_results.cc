#include "lib/rules/support/nested_results.h"

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"

namespace fakeprop::rules {

bool IsNested(const TensorMeta& t) { return t.layout == Layout::Jagged; }

TensorMeta NestedMeta(DimSpan sizes, ScalarType dtype, Device device) {
  TensorMeta meta;
  meta.sizes.assign(sizes.begin(), sizes.end());
  meta.dtype = dtype;
  meta.device = device;
  meta.layout = Layout::Jagged;
  return meta;
}

Output& ReturnNested(Call& call, DimSpan sizes, ScalarType dtype) {
  Output& result = call.ReturnNew(NestedMeta(sizes, dtype, call.device()));
  result.nbytes = Numel(sizes) * Dim(static_cast<int64_t>(ItemSize(dtype)));
  return result;
}

}  // namespace fakeprop::rules
