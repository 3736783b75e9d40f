#include "lib/rules/support/tensor_options.h"

#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/support/copy_metas.h"

namespace fakeprop::rules {

TensorOptions TensorOptionsOf(const Call& call, ScalarType dtype, Device device) {
  if (call.Has("layout") && call.OptionalLayout("layout") != Layout::Strided)
    Fail(ErrorClass::kUnsupportedOperator, OpName(call) + " of a layout other than strided is not supported");
  const auto given = call.Has("device") ? call.OptionalDevice("device") : std::nullopt;
  return {TryDtype(call).value_or(dtype), given.value_or(device)};
}

Output& ReturnFactory(Call& call, DimSpan sizes, ScalarType default_dtype) {
  RequireNonNegative(sizes);
  const TensorOptions options = TensorOptionsOf(call, default_dtype, call.device());
  return call.ReturnNew(ContiguousMeta(sizes, options.dtype, options.device));
}

void FactoryLike(Call& call) {
  const Operand self = call.In("self");
  const TensorOptions options = TensorOptionsOf(call, self->dtype, self->device);
  const MemoryFormat format = call.OptionalMemoryFormat("memory_format").value_or(MemoryFormat::Preserve);
  TensorMeta out = NewLike(self, format);
  out.dtype = options.dtype;
  out.device = options.device;
  call.ReturnNew(std::move(out));
}

}  // namespace fakeprop::rules
