#include "lib/rules/other_layouts/compressed_results.h"

#include "lib/rules/core/failures.h"
#include "lib/rules/other_layouts/twin_call.h"
#include "lib/rules/support/sparse_results.h"

namespace fakeprop::rules {
namespace {

Output NewLike(const Tensor& part, ScalarType dtype) { return NewPart(part.meta.sizes, dtype, part.meta.device); }

TensorMeta WithDtypeOf(TensorMeta meta, ScalarType dtype) {
  meta.dtype = dtype;
  return meta;
}

}  // namespace

Tensor& Self(const Call& call) { return call.In("self").tensor(); }

[[noreturn]] void FailLayout(const Call& call, const char* wanted, const TensorMeta& got) {
  FailAs(call, ErrorClass::kTypeError, {"expects a {} tensor, but got {}", wanted, got});
}

Output& ReturnAt(Call& call, const Tensor& like, ScalarType dtype) {
  const SparseParts& parts = PartsOf(like);
  return ReturnCompressed(call, WithDtypeOf(like.meta, dtype), NewLike(*parts.indices, parts.indices->meta.dtype),
      NewLike(*parts.plain, parts.plain->meta.dtype), NewLike(*parts.values, dtype));
}

Dims BlockOf(const Tensor& t) {
  if (!IsInBlocks(t.meta.layout)) return {};
  const DimSpan block = PartsOf(t).values->meta.size_span().subspan(static_cast<size_t>(BatchDim(t)) + 1, 2);
  return Dims(block.begin(), block.end());
}

Output& ReturnOther(Call& call, const Tensor& like, ScalarType dtype, Dim nnz) {
  return ReturnCompressed(call, {like.meta.sizes, dtype, like.meta.layout, nnz, DenseDim(like), BlockOf(like),
                                    PartsOf(like).indices->meta.dtype});
}

DimSpan MatrixOf(const Tensor& t) { return t.meta.size_span().subspan(static_cast<size_t>(BatchDim(t)), 2); }
Dim UnknownNnzOf(Call& call, const Tensor& t) { return UnknownNnz(call, MatrixOf(t)); }

void OfEach(Call& call) { ReturnAt(call, Self(call), TwinCall(call).Result().dtype); }

}  // namespace fakeprop::rules
