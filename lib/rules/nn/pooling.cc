// Pooling over windows: maximum and average, forward and backward.
// Source: pooling_output_shape, pool2d_shape_check, pool3d_shape_check and the metas that call them in
// torch/_meta_registrations.py; aten/src/ATen/native/{Pool.h,Pooling.cpp} (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

struct Window {
  Dims kernel, stride, padding, dilation;
  bool ceil_mode = false;
};

// One value stands for all spatial dimensions; an empty list for `missing`.
Dims WindowList(const Call& call, const Dims& values, int spatial, const char* name, const Dims* missing = nullptr) {
  if (values.empty() && missing) return *missing;
  if (values.size() == 1) return Dims(spatial, values[0]);
  if (static_cast<int>(values.size()) == spatial) return values;
  FailValue(call,
      std::string(name) + " must be a single int or " + std::to_string(spatial) + " of them, got " + ToString(values));
}

Window WindowFrom(const Call& call, int spatial, int kernel, int dilation, int ceil_mode) {
  Window w;
  w.kernel = WindowList(call, call.DimList(kernel), spatial, "kernel_size");
  w.stride = WindowList(call, call.DimList(kernel + 1), spatial, "stride", &w.kernel);
  w.padding = WindowList(call, call.DimList(kernel + 2), spatial, "padding");
  w.dilation = dilation < 0 ? Dims(spatial, Dim(1)) : WindowList(call, call.DimList(dilation), spatial, "dilation");
  w.ceil_mode = call.Bool(ceil_mode);
  return w;
}

void CheckWindow(const Call& call, const Window& w) {
  for (size_t i = 0; i < w.kernel.size(); ++i) {
    if (!Expect(Gt(w.kernel[i], 0)))
      FailValue(call, "kernel size should be greater than zero, but got " + ToString(w.kernel));
    if (!Expect(Gt(w.stride[i], 0)))
      FailValue(call, "stride should be greater than zero, but got " + ToString(w.stride));
    if (!Expect(Gt(w.dilation[i], 0)))
      FailValue(call, "dilation should be greater than zero, but got " + ToString(w.dilation));
    if (!Expect(Ge(w.padding[i], 0))) FailValue(call, "pad must be non-negative, but got " + ToString(w.padding));
    if (!Expect(Le(w.padding[i], FloorDiv(w.kernel[i], 2))))
      FailValue(call, "pad should be at most half of kernel size, but got pad=" + ToString(w.padding) +
                          ", kernel_size=" + ToString(w.kernel));
  }
}

// The number of batch dimensions: 0 or 1. Only the batch may be empty.
void CheckInput(const Call& call, const TensorMeta& input, int spatial) {
  const bool batched = input.rank() == spatial + 2;
  if (!batched && input.rank() != spatial + 1) {
    FailShape(call, "expected an input of " + std::to_string(spatial + 1) + " or " + std::to_string(spatial + 2) +
                        " dimensions, but got: " + ToString(input.size_span()));
  }
  for (Dim size : input.size_span().subspan(batched ? 1 : 0))
    if (!Expect(Gt(size, 0)))
      FailShape(call, "only the batch of an input may be empty, but got: " + ToString(input.size_span()));
}

Dim PooledSize(Dim size, const Window& w, int i) {
  const Dim reach = size + Dim(2) * w.padding[i] - w.dilation[i] * (w.kernel[i] - 1) - 1;
  if (!w.ceil_mode) return FloorDiv(reach, w.stride[i]) + 1;
  // The last window must start inside the input or its left padding.
  const Dim out = FloorDiv(reach + w.stride[i] - 1, w.stride[i]) + 1;
  return Guard(Ge((out - 1) * w.stride[i], size + w.padding[i])) ? out - 1 : out;
}

Dims PooledSizes(const Call& call, const TensorMeta& input, const Window& w) {
  const int spatial = static_cast<int>(w.kernel.size());
  CheckWindow(call, w);
  CheckInput(call, input, spatial);
  Dims sizes = input.sizes;
  for (int i = 0; i < spatial; ++i) {
    Dim& size = sizes[input.rank() - spatial + i];
    size = PooledSize(size, w, i);
    if (!Expect(Ge(size, 1)))
      FailShape(
          call, "the output calculated for input " + ToString(input.size_span()) + " is too small: " + ToString(sizes));
  }
  return sizes;
}

// max_pool1d and avg_pool1d are pools over rows of height 1.
TensorMeta AsRow(const Call& call, const TensorMeta& input) {
  if (input.rank() != 2 && input.rank() != 3)
    FailShape(call, "expected an input of 2 or 3 dimensions, but got: " + ToString(input.size_span()));
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
  const TensorMeta row = AsRow(call, call.Meta(0));
  const TensorMeta out =
      MetaInFormat(PooledSizes(call, row, AsRow(w)), row.dtype, row.device, SuggestMemoryFormat(row));
  return Squeezed(out, -2);
}

TensorMeta Pooled(const Call& call, const Window& w) {
  const TensorMeta& input = call.Meta(0);
  return MetaInFormat(PooledSizes(call, input, w), input.dtype, input.device, SuggestMemoryFormat(input));
}

template <int Spatial>
TensorMeta MaxPooled(const Call& call) {
  const Window w = WindowFrom(call, Spatial, 1, 4, 5);
  return Spatial == 1 ? PooledRow(call, w) : Pooled(call, w);
}

template <int Spatial>
void MaxPool(Call& call) {
  call.ReturnNew(MaxPooled<Spatial>(call));
}

template <int Spatial>
void MaxPoolWithIndices(Call& call) {
  TensorMeta out = MaxPooled<Spatial>(call);
  TensorMeta indices = WithDtype(out, ScalarType::Long);
  call.ReturnNew(std::move(out));
  call.ReturnNew(std::move(indices));
}

void CheckAverage(const Call& call, const TensorMeta& input, int divisor) {
  const ScalarType t = input.dtype;
  if (t == ScalarType::Byte || t == ScalarType::UInt16 || t == ScalarType::UInt32 || t == ScalarType::UInt64)
    FailDtype(call, "not implemented for " + std::string(DtypeName(t)));
  if (divisor < 0) return;
  if (auto value = call.OptionalDim(divisor); value && !Expect(Ne(*value, 0)))
    FailValue(call, "divisor must be not zero");
}

void CheckWindowInside(const Call& call, const TensorMeta& input, const Window& w) {
  for (size_t i = 0; i < w.kernel.size(); ++i) {
    if (input.rank() > 3 && Expect(Ge(input.sizes[input.rank() - 3 + i], w.kernel[i]))) continue;
    FailShape(call, "input " + ToString(input.size_span()) + " is smaller than kernel size " + ToString(w.kernel));
  }
}

void AvgPool1d(Call& call) {
  CheckAverage(call, call.Meta(0), -1);
  call.ReturnNew(PooledRow(call, WindowFrom(call, 1, 1, -1, 4)));
}

void AvgPool2d(Call& call) {
  CheckAverage(call, call.Meta(0), 6);
  call.ReturnNew(Pooled(call, WindowFrom(call, 2, 1, -1, 4)));
}

void AvgPool3d(Call& call) {
  const TensorMeta& input = call.Meta(0);
  CheckAverage(call, input, 6);
  const Window w = WindowFrom(call, 3, 1, -1, 4);
  CheckWindowInside(call, input, w);
  ReturnContiguous(call, PooledSizes(call, input, w), input.dtype);
}

// The gradient and the indices of a pool have the sizes that its result had.
void CheckGradient(
    const Call& call, const TensorMeta& gradient, const TensorMeta& input, const Dims& pooled, int spatial) {
  if (gradient.rank() != input.rank())
    FailShape(
        call, "expected " + std::to_string(input.rank()) + " dimensions, but got " + ToString(gradient.size_span()));
  for (int64_t d = input.rank() - spatial - 1; d < input.rank(); ++d) {
    if (Expect(Eq(gradient.sizes[d], pooled[d]))) continue;
    FailShape(call, "expected size " + pooled[d].ToString() + " at dimension " + std::to_string(d) + ", but got " +
                        ToString(gradient.size_span()));
  }
}

template <int Spatial>
void MaxPoolBackward(Call& call) {
  const TensorMeta &grad = call.Meta(0), &input = call.Meta(1);
  const Dims pooled = PooledSizes(call, input, WindowFrom(call, Spatial, 2, 5, 6));
  if (Spatial == 2) RequireSameDtype(call, 0, 1);
  CheckGradient(call, grad, input, pooled, Spatial);
  CheckGradient(call, call.Meta(7), input, pooled, Spatial);
  if (call.Meta(7).dtype != ScalarType::Long) FailDtype(call, "takes int64 indices, not " + ToString(call.Meta(7)));
  call.ReturnNew(EmptyLike(input, SuggestMemoryFormat(input)));
}

template <int Spatial>
void AvgPoolBackward(Call& call) {
  const TensorMeta &grad = call.Meta(0), &input = call.Meta(1);
  RequireSameDtype(call, 0, 1);
  if (auto divisor = call.OptionalDim(7); divisor && !Expect(Ne(*divisor, 0)))
    FailValue(call, "divisor must be not zero");
  const Window w = WindowFrom(call, Spatial, 2, -1, 5);
  if (Spatial == 3) CheckWindowInside(call, input, w);
  CheckGradient(call, grad, input, PooledSizes(call, input, w), Spatial);
  call.ReturnNew(EmptyLike(input, Spatial == 2 ? SuggestMemoryFormat(input) : MemoryFormat::Contiguous));
}

constexpr RuleRow kRows[] = {
    {"aten::max_pool1d", MaxPool<1>},
    {"aten::max_pool2d", MaxPool<2>},
    {"aten::max_pool3d", MaxPool<3>},
    {"aten::max_pool1d_with_indices", MaxPoolWithIndices<1>},
    {"aten::max_pool2d_with_indices", MaxPoolWithIndices<2>},
    {"aten::max_pool3d_with_indices", MaxPoolWithIndices<3>},
    {"aten::avg_pool1d", AvgPool1d},
    {"aten::avg_pool2d", AvgPool2d},
    {"aten::avg_pool3d", AvgPool3d},
    {"aten::max_pool2d_with_indices_backward", MaxPoolBackward<2>},
    {"aten::max_pool3d_with_indices_backward", MaxPoolBackward<3>},
    {"aten::avg_pool2d_backward", AvgPoolBackward<2>},
    {"aten::avg_pool3d_backward", AvgPoolBackward<3>},
};

}  // namespace

RuleRows PoolingRules() { return kRows; }

}  // namespace fakeprop::rules
