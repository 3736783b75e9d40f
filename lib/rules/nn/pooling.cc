// Pooling over windows: maximum and average, forward and backward.
// Source: pooling_output_shape, pool2d_shape_check, pool3d_shape_check and the metas that call them in
// torch/_meta_registrations.py; aten/src/ATen/native/{Pool.h,Pooling.cpp} (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/pooling_metas.h"
#include "lib/rules/support/quantized_kernels.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

struct Window {
  Dims kernel, stride, padding, dilation;
  bool ceil_mode = false;
};

constexpr const char* kNumberWords[] = {"no", "one", "two", "three"};

// One value stands for all spatial dimensions.
Dims WindowList(const Call& call, ArgumentName name, int spatial) {
  const Dims values = call.DimList(name);
  if (values.size() == 1) return Dims(spatial, values[0]);
  RequireValue(call, static_cast<int>(values.size()) == spatial,
      {"{} must either be a single int, or a tuple of {} ints, but got {}", call.NameOf(name), kNumberWords[spatial],
          values});
  return values;
}

// Without dilation.
template <int Spatial>
Window WindowOf(const Call& call) {
  Window w;
  w.kernel = WindowList(call, "kernel_size", Spatial);
  w.stride = call.DimList("stride").empty() ? w.kernel : WindowList(call, "stride", Spatial);
  w.padding = WindowList(call, "padding", Spatial);
  w.dilation = Dims(Spatial, Dim(1));
  w.ceil_mode = call.Bool("ceil_mode");
  return w;
}

template <int Spatial>
Window DilatedWindowOf(const Call& call) {
  Window w = WindowOf<Spatial>(call);
  w.dilation = WindowList(call, "dilation", Spatial);
  return w;
}

void CheckWindow(const Call& call, const Window& w) {
  for (size_t i = 0; i < w.kernel.size(); ++i) {
    RequireValue(call, Gt(w.kernel[i], 0), {"kernel size should be greater than zero, but got {}", w.kernel});
    RequireValue(call, Gt(w.stride[i], 0), {"stride should not be zero, but got {}", w.stride});
    RequireValue(call, Gt(w.dilation[i], 0), {"dilation should be greater than zero, but got {}", w.dilation});
    RequireValue(call, Ge(w.padding[i], 0), {"pad must be non-negative, but got {}", w.padding});
    RequireValue(call, Le(w.padding[i], FloorDiv(w.kernel[i], 2)),
        {"pad should be at most half of effective kernel size, but got pad={}, kernel_size={} and dilation={}",
            w.padding[i], w.kernel[i], w.dilation[i]});
  }
}

void CheckRank(const Call& call, const TensorMeta& input, int spatial) {
  RequireShape(call, input.rank() == spatial + 1 || input.rank() == spatial + 2,
      {"got {}: non-empty {}D or {}D (batch mode) tensor expected for input", input.sizes, spatial + 1, spatial + 2});
}

// Only the batch may be empty.
void CheckInput(const Call& call, const TensorMeta& input, int spatial) {
  CheckRank(call, input, spatial);
  for (Dim size : input.size_span().subspan(input.rank() - spatial - 1))
    RequireShape(call, Gt(size, 0),
        {"expected {}D or {}D (batch mode) tensor with optional 0 dim batch size for input, but got:{}", spatial + 1,
            spatial + 2, input.sizes});
}

Dim PooledSize(Dim size, const Window& w, int i) {
  const Dim reach = size + Dim(2) * w.padding[i] - w.dilation[i] * (w.kernel[i] - 1) - 1;
  if (!w.ceil_mode) return FloorDiv(reach, w.stride[i]) + 1;
  // The last window must start inside the input or its left padding.
  const Dim out = FloorDiv(reach + w.stride[i] - 1, w.stride[i]) + 1;
  return Guard(Ge((out - 1) * w.stride[i], size + w.padding[i])) ? out - 1 : out;
}

// "(3x8x8)": channels and spatial sizes.
std::string PlaneText(DimSpan sizes, int spatial) {
  std::string text;
  for (Dim size : sizes.subspan(sizes.size() - spatial - 1)) text += (text.empty() ? "(" : "x") + size.ToString();
  return text + ")";
}

Dims PooledSizes(const Call& call, const TensorMeta& input, const Window& w) {
  const int spatial = static_cast<int>(w.kernel.size());
  CheckWindow(call, w);
  CheckInput(call, input, spatial);
  Dims sizes = input.sizes;
  for (int i = 0; i < spatial; ++i) {
    Dim& size = sizes[input.rank() - spatial + i];
    size = PooledSize(size, w, i);
  }
  for (int i = 0; i < spatial; ++i)
    if (!Expect(Ge(sizes[input.rank() - spatial + i], 1)))
      FailShape(call, {"given input size: {}. Calculated output size: {}. Output size is too small",
                          PlaneText(input.size_span(), spatial), PlaneText(sizes, spatial)});
  return sizes;
}

Operand InputOf(const Call& call) { return call.Has("qx") ? call.In("qx") : call.In("self"); }

// max_pool1d and avg_pool1d pool over an image of height 1.
TensorMeta InputRow(const Call& call) {
  const Operand input = InputOf(call);
  CheckRank(call, input, 1);
  return Unsqueezed(input, -2);
}

Window AsRow(Window w) {
  w.kernel.insert(w.kernel.begin(), 1);
  w.stride.insert(w.stride.begin(), 1);
  w.padding.insert(w.padding.begin(), 0);
  w.dilation.insert(w.dilation.begin(), 1);
  return w;
}

TensorMeta PooledRow(const Call& call, const Window& w) {
  const TensorMeta row = InputRow(call);
  const TensorMeta out =
      MetaInFormat(PooledSizes(call, row, AsRow(w)), row.dtype, row.device, SuggestMemoryFormat(row));
  return Squeezed(out, -2);
}

TensorMeta Pooled(const Call& call, const Window& w) {
  const Operand input = InputOf(call);
  return MetaInFormat(PooledSizes(call, input, w), input->dtype, input->device, SuggestMemoryFormat(input));
}

// A volume of no batch that lies as channels-last alone keeps that on the cpu; it is no image.
// Source: max_pool3d_with_indices_out_cpu_template in aten/src/ATen/native/DilatedMaxPool3d.cpp; for other devices
// meta_max_pool3d_with_indices in torch/_meta_registrations.py (2.13).
TensorMeta PooledVolume(const Call& call, const Window& w) {
  TensorMeta out = Pooled(call, w);
  if (out.rank() != 4) return out;
  out.strides = ContiguousStrides(out.sizes);
  if (!out.device.is_cpu()) return out;
  const TensorMeta batch = Unsqueezed(InputOf(call), 0);
  if (!IsContiguous(batch) && IsContiguousIn(batch, MemoryFormat::ChannelsLast3d)) {
    const Dims strides = StridesInFormat(Unsqueezed(out, 0).sizes, MemoryFormat::ChannelsLast3d);
    out.strides.assign(strides.begin() + 1, strides.end());
  }
  return out;
}

template <int Spatial>
TensorMeta MaxPooled(const Call& call) {
  const Window w = DilatedWindowOf<Spatial>(call);
  if (Spatial == 1) return PooledRow(call, w);
  return Spatial == 3 ? PooledVolume(call, w) : Pooled(call, w);
}

// Source: max_pool3d_kernel_impl in aten/src/ATen/native/cpu/MaxPoolKernel.cpp, which takes an image for a volume.
template <int Spatial>
void RequireKnownFormat(const Call& call) {
  if (Spatial != 3 || !call.device().is_cpu()) return;
  const Operand input = InputOf(call);
  input.Require(SuggestMemoryFormat(input) != MemoryFormat::ChannelsLast,
      "unsupported memory format of {tensor}. Supports only ChannelsLast3d, Contiguous");
}

template <int Spatial>
void MaxPool(Call& call) {
  RequireKnownFormat<Spatial>(call);
  call.ReturnNew(MaxPooled<Spatial>(call));
}

template <int Spatial>
void MaxPoolWithIndices(Call& call) {
  RequireKnownFormat<Spatial>(call);
  ReturnWithIndices(call, MaxPooled<Spatial>(call));
}

// Kernels for quantized tensors. Images may also be plain bytes.
constexpr Dtypes kBytes{ScalarType::Byte, ScalarType::Char};

template <int Spatial>
void QuantizedMaxPool(Call& call) {
  if (Spatial == 3) InputOf(call).Rank(5);
  InputOf(call).Takes(
      Spatial == 2 ? kQuantizedTypes | kBytes : kQuantizedTypes, "takes quantized tensors, not {tensor}");
  MaxPool<Spatial>(call);
}

constexpr DtypeClass kAveraged{
    ~Dtypes{ScalarType::Byte, ScalarType::UInt16, ScalarType::UInt32, ScalarType::UInt64}, "not implemented for {}"};

void CheckDivisor(const Call& call) {
  const std::optional<Dim> divisor = call.OptionalDim("divisor_override");
  RequireValue(call, !divisor || Expect(Ne(*divisor, 0)), "divisor must be not zero");
}

void CheckWindowInside(const Call& call, const TensorMeta& input, const Window& w) {
  for (size_t i = 0; i < w.kernel.size(); ++i)
    RequireShape(call, input.rank() > 3 && Expect(Ge(input.sizes[input.rank() - 3 + i], w.kernel[i])),
        {"input {} is smaller than kernel size {}", input.sizes, w.kernel});
}

void AvgPool1d(Call& call) {
  call.In("self").Takes(kAveraged);
  call.ReturnNew(PooledRow(call, WindowOf<1>(call)));
}

void AvgPool2d(Call& call) {
  call.In("self").Takes(kAveraged);
  CheckDivisor(call);
  call.ReturnNew(Pooled(call, WindowOf<2>(call)));
}

void AvgPool3d(Call& call) {
  const Operand input = call.In("self").Takes(kAveraged);
  CheckDivisor(call);
  const Window w = WindowOf<3>(call);
  CheckWindowInside(call, input, w);
  const bool is_last = IsQuantized(input) && input->rank() == 5;  // QNNPACK's kernel is written for it
  const MemoryFormat format = is_last ? MemoryFormat::ChannelsLast3d : MemoryFormat::Contiguous;
  call.ReturnNew(MetaInFormat(PooledSizes(call, input, w), input->dtype, input->device, format));
}

// The gradient and the indices of a pool have the sizes that its result had.
void CheckGradient(const Operand& gradient, const TensorMeta& input, const Dims& pooled, int spatial) {
  gradient.Rank(input.rank(), {"expected {} dimensions, but got {}", input.rank()});
  for (int64_t d = input.rank() - spatial - 1; d < input.rank(); ++d)
    gradient.Size(d, pooled[d], {"expected size {} at dimension {}, but got {}", pooled[d], d});
}

template <int Spatial>
void MaxPoolBackward(Call& call) {
  const Operand grad = call.In("grad_output"), input = call.In("self"), indices = call.In("indices");
  const Dims pooled = PooledSizes(call, input, DilatedWindowOf<Spatial>(call));
  if (Spatial == 2) grad.SameDtypeAs(input);
  CheckGradient(grad, input, pooled, Spatial);
  CheckGradient(indices, input, pooled, Spatial);
  indices.Takes(ScalarType::Long);
  call.ReturnNew(EmptyLike(input, SuggestMemoryFormat(input)));
}

template <int Spatial>
void AvgPoolBackward(Call& call) {
  const Operand grad = call.In("grad_output"), input = call.In("self");
  grad.SameDtypeAs(input);
  CheckDivisor(call);
  const Window w = WindowOf<Spatial>(call);
  if (Spatial == 3) CheckWindowInside(call, input, w);
  CheckGradient(grad, input, PooledSizes(call, input, w), Spatial);
  call.ReturnNew(EmptyLike(input, Spatial == 2 ? SuggestMemoryFormat(input) : MemoryFormat::Contiguous));
}

// Without gradients max_pool1d has a kernel of its own.
void EndInViewIfRecorded(Call& call) {
  if (call.state().grad_enabled && call.In("self").tensor().RequiresGrad()) EndInView(call);
}

constexpr RuleRow kRows[] = {
    {"aten::max_pool1d", InOrder<MaxPool<1>, EndInViewIfRecorded>},
    {"aten::max_pool2d", MaxPool<2>},
    {"aten::max_pool3d", MaxPool<3>},
    {"aten::quantized_max_pool1d", QuantizedMaxPool<1>},
    {"aten::quantized_max_pool2d", QuantizedMaxPool<2>},
    {"aten::quantized_max_pool3d", QuantizedMaxPool<3>},
    {"quantized::max_pool1d", QuantizedMaxPool<1>},
    {"quantized::max_pool2d", QuantizedMaxPool<2>},
    {"aten::max_pool1d_with_indices", InOrder<MaxPoolWithIndices<1>, EndInView>},
    {"aten::max_pool2d_with_indices", MaxPoolWithIndices<2>},
    {"aten::max_pool3d_with_indices", MaxPoolWithIndices<3>, SetsStrides{5} | Overlap::kAllowedInOut},
    {"aten::avg_pool1d", InOrder<AvgPool1d, EndInView>},
    {"aten::avg_pool2d", AvgPool2d, OutStrides::kOfResultEverywhere},
    {"aten::avg_pool3d", AvgPool3d},
    {"aten::max_pool2d_with_indices_backward", MaxPoolBackward<2>},
    {"aten::max_pool3d_with_indices_backward", MaxPoolBackward<3>, SetsStrides{4}},
    {"aten::avg_pool2d_backward", AvgPoolBackward<2>},
    {"aten::avg_pool3d_backward", AvgPoolBackward<3>, Overlap::kAllowedInOut},
};

}  // namespace

RuleRows PoolingRules() { return kRows; }

}  // namespace fakeprop::rules
