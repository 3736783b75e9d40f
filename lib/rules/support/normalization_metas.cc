#include "lib/rules/support/normalization_metas.h"

#include "lib/rules/core/results.h"

namespace fakeprop::rules {

ScalarType ComputationDtype(ScalarType dtype) {
  if (IsHalf(dtype)) return ScalarType::Float;
  return dtype == ScalarType::ComplexHalf ? ScalarType::ComplexFloat : dtype;
}

Dtypes StatisticsDtypes(ScalarType input) { return IsHalf(input) ? Dtypes{input, ScalarType::Float} : Dtypes(input); }

TensorMeta PerChannel(Dim channels, int64_t rank, ScalarType dtype, Device device) {
  Dims sizes(rank, Dim(1));
  sizes[1] = channels;
  return ContiguousMeta(sizes, dtype, device);
}

void ReturnWanted(Call& call, bool wanted, TensorMeta meta) {
  if (wanted) {
    call.ReturnNew(std::move(meta));
  } else {
    call.ReturnNone();
  }
}

}  // namespace fakeprop::rules
