#include "lib/rules/support/tensor_options.h"

#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/quantized_kernels.h"
#include "lib/rules/support/sparse_results.h"

namespace fakeprop::rules {

namespace {

// The layout argument, if it is another one than strided.
std::optional<Layout> OtherLayoutOf(const Call& call) {
  if (!call.Has("layout") || call.OptionalLayout("layout") == Layout::Strided) return std::nullopt;
  return call.OptionalLayout("layout");
}

TensorOptions OptionsOf(const Call& call, ScalarType dtype, Device device) {
  const auto given = call.Has("device") ? call.OptionalDevice("device") : std::nullopt;
  return {TryDtype(call).value_or(dtype), given.value_or(device)};
}

void PutOn(Output& tensor, Device device) {
  tensor.meta.device = device;
  for (Output& part : tensor.items) part.meta.device = device;
}

// A tensor in which nothing is specified. Source: empty_sparse, empty_sparse_compressed, empty_mkldnn.
Output& ReturnUnspecified(Call& call, Layout layout, const Dims& sizes, const TensorOptions& options) {
  switch (layout) {
    case Layout::Sparse: return ReturnCoo(call, {sizes, options.dtype, static_cast<int64_t>(sizes.size()), 0, true});
    case Layout::Mkldnn: return call.ReturnNew(MetaOfLayout(sizes, options.dtype, options.device, layout));
    case Layout::SparseCsr:
    case Layout::SparseCsc:
      RequireShape(
          call, sizes.size() >= 2, {"takes at least two sizes for the layout {}, not {}", Value(layout), sizes});
      return ReturnCompressed(call, {sizes, options.dtype, layout, 0});
    default: FailValue(call, {"takes no block sizes, which the layout {} needs", Value(layout)});
  }
}

}  // namespace

TensorOptions TensorOptionsOf(const Call& call, ScalarType dtype, Device device) {
  if (const auto layout = OtherLayoutOf(call))
    FailAs(call, ErrorClass::kUnsupportedOperator, {"makes no tensor of the layout {}", Value(*layout)});
  return OptionsOf(call, dtype, device);
}

Output& ReturnUnspecified(Call& call, DimSpan sizes, ScalarType default_dtype) {
  const auto layout = OtherLayoutOf(call);
  if (!layout) return ReturnFactory(call, sizes, default_dtype);
  RequireNonNegative(sizes);
  const TensorOptions options = OptionsOf(call, default_dtype, call.device());
  Output& out = ReturnUnspecified(call, *layout, Dims(sizes.begin(), sizes.end()), options);
  PutOn(out, options.device);
  return out;
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
  const bool is_suggested = IsQuantized(self) && format == MemoryFormat::Preserve;
  TensorMeta out = is_suggested ? SuggestedMeta(self, self->dtype) : NewLike(self, format);
  out.dtype = options.dtype;
  out.device = options.device;
  call.ReturnNew(std::move(out));
}

}  // namespace fakeprop::rules
