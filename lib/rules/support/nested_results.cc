#include "lib/rules/support/nested_results.h"

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/support/sparse_results.h"

namespace fakeprop::rules {

bool IsNested(const TensorMeta& t) { return t.layout == Layout::Jagged; }

TensorMeta NestedMeta(DimSpan sizes, ScalarType dtype, Device device) {
  return MetaOfLayout(Dims(sizes.begin(), sizes.end()), dtype, device, Layout::Jagged);
}

Output& ReturnNested(Call& call, DimSpan sizes, ScalarType dtype) {
  Output& result = call.ReturnNew(NestedMeta(sizes, dtype, call.device()));
  result.nbytes = Numel(sizes) * Dim(static_cast<int64_t>(ItemSize(dtype)));
  return result;
}

}  // namespace fakeprop::rules
