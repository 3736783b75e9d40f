#include "lib/rules/support/tensor_options.h"

#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {

TensorOptions TensorOptionsOf(const Call& call, ScalarType dtype, Device device) {
  const Schema& schema = call.schema();
  if (int i = schema.FindArgument("layout");
      i >= 0 && call.OptionalLayout(i).value_or(Layout::Strided) != Layout::Strided)
    Fail(ErrorClass::kUnsupportedOperator, OpName(call) + " of a layout other than strided is not supported");
  const int device_at = schema.FindArgument("device");
  const auto given = device_at >= 0 ? call.OptionalDevice(device_at) : std::nullopt;
  return {TryDtype(call).value_or(dtype), given.value_or(device)};
}

Output& ReturnFactory(Call& call, DimSpan sizes, ScalarType default_dtype) {
  RequireNonNegative(sizes);
  const TensorOptions options = TensorOptionsOf(call, default_dtype, call.device());
  return call.ReturnNew(ContiguousMeta(sizes, options.dtype, options.device));
}

void FactoryLike(Call& call) {
  const TensorMeta& t = call.Meta(0);
  const TensorOptions options = TensorOptionsOf(call, t.dtype, t.device);
  const MemoryFormat format = call.OptionalMemoryFormat("memory_format").value_or(MemoryFormat::Preserve);
  TensorMeta out = EmptyLike(t, format);
  out.dtype = options.dtype;
  out.device = options.device;
  call.ReturnNew(std::move(out));
}

}  // namespace fakeprop::rules
