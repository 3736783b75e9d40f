// Convolutions that name their kernel, and the one over time, batch and channel.
// Source: aten/src/ATen/native/{ConvolutionMM2d,ConvolutionMM3d,NaiveDilatedConvolution,NaiveConvolutionTranspose2d,
// NaiveConvolutionTranspose3d,ConvolutionTBC}.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/convolution_metas.h"
#include "lib/rules/support/normalization_metas.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

enum class Input { kBatched, kEither, kAsBatch };

void CheckKernel(const Call& call, const TensorMeta& weight, int spatial) {
  if (weight.rank() != spatial + 2)
    FailShape(call,
        "expected a weight of " + std::to_string(spatial + 2) + " dimensions, but got " + ToString(weight.size_span()));
  const Dims kernel = SpatialList(call.DimList(2), spatial, "kernel_size");
  for (int i = 0; i < spatial; ++i)
    if (!Expect(Eq(kernel[i], weight.sizes[i + 2])))
      FailShape(call, "kernel_size " + ToString(kernel) + " is not that of the weight " + ToString(weight.size_span()));
}

// Only the kernels of planes know channels_last.
TensorMeta Convolved(const Call& call, const TensorMeta& input, int spatial, const ConvParams& params) {
  const Tensor* bias = call.OptionalTensor(3);
  TensorMeta out = Convolution(input, call.Meta(1), bias ? &bias->meta : nullptr, params);
  if (spatial == 3) out.strides = ContiguousStrides(out.size_span());
  return out;
}

template <int Spatial, Input I>
void Convolve(Call& call, const ConvParams& params) {
  const TensorMeta& input = call.Meta(0);
  if (input.dtype == ScalarType::Bool || IsComplex(input.dtype))
    FailDtype(call, "not implemented for " + std::string(DtypeName(input.dtype)));
  CheckKernel(call, call.Meta(1), Spatial);
  if (I == Input::kAsBatch) {
    call.ReturnNew(Convolved(call, Unsqueezed(input, 0), Spatial, params));
  } else if (I == Input::kEither && input.rank() == Spatial + 1) {
    call.ReturnNew(Squeezed(Convolved(call, Unsqueezed(input, 0), Spatial, params), 0));
  } else {
    call.ReturnNew(Convolved(call, input, Spatial, params));
  }
}

// Unlike convolution, none stands for all.
void RequireLengths(const Call& call, std::initializer_list<int> positions, size_t length) {
  for (int i : positions)
    if (const Dims list = call.DimList(i); list.size() != length)
      FailValue(call, "takes " + std::to_string(length) + " numbers for " +
                          std::string(call.schema().arguments[i].name) + ", not " + ToString(DimSpan(list)));
}

template <int Spatial>
void SlowConv(Call& call) {
  RequireLengths(call, {2, 4, 5}, Spatial);
  Convolve<Spatial, Input::kBatched>(call, {call.DimList(4), call.DimList(5), Dims{1}, false, Dims{0}, 1});
}

template <int Spatial>
void SlowConvDilated(Call& call) {
  RequireLengths(call, {2, 4, 5, 6}, Spatial);
  Convolve<Spatial, Input::kEither>(call, {call.DimList(4), call.DimList(5), call.DimList(6), false, Dims{0}, 1});
}

// The kernel for images gives a batch of one for an input without a batch.
template <int Spatial>
void SlowConvTranspose(Call& call) {
  if (const Dims kernel = call.DimList(2); kernel.size() != Spatial)
    FailValue(call, "takes " + std::to_string(Spatial) + " kernel sizes, got " + ToString(kernel));
  if (Spatial == 2 && call.Meta(0).rank() == 3) {
    Convolve<Spatial, Input::kAsBatch>(
        call, {call.DimList(4), call.DimList(5), call.DimList(7), true, call.DimList(6), 1});
    return;
  }
  Convolve<Spatial, Input::kEither>(
      call, {call.DimList(4), call.DimList(5), call.DimList(7), true, call.DimList(6), 1});
}

// Gradients of input, weight and bias, as arguments 0 to 2 say their sizes.
void SlowConv2dBackward(Call& call) {
  const TensorMeta &grad = call.Meta(0), &input = call.Meta(1), &weight = call.Meta(2);
  RequireFloat(call, input.dtype);
  for (int i : {0, 1, 2}) RequireRank(call, i, 4);
  for (int i : {0, 2}) RequireSameDtype(call, 1, i);
  // slow_conv2d_shape_check: the gradient has the size of what the convolution gives, for any batch.
  const ConvParams params{call.DimList(4), call.DimList(5), Dims{1}, false, Dims{0}, 1};
  const TensorMeta output = Convolution(input, weight, nullptr, params);
  for (int d = 1; d < 4; ++d)
    if (!Expect(Eq(grad.sizes[d], output.sizes[d])))
      FailShape(call, "takes a gradient of the output's sizes " + ToString(output.size_span()) + ", but got " +
                          ToString(grad.size_span()));
  const std::vector<bool> wanted = call.Bools(6);
  const MemoryFormat format = ConvolutionFormat(input, weight, {});
  ReturnWanted(call, wanted[0], EmptyLike(input, format));
  ReturnWanted(call, wanted[1], EmptyLike(weight, format));
  ReturnWanted(call, wanted[2], ContiguousMeta(Dims{weight.sizes[0]}, grad.dtype, grad.device));
}

// input [time, batch, in], weight [kernel, in, out].
void CheckTbc(const Call& call, const TensorMeta& input, const TensorMeta& weight, const TensorMeta& bias) {
  if (input.rank() != 3 || weight.rank() != 3 || bias.rank() != 1)
    FailShape(call, "expected 3-d input and weight and a 1-d bias, but got " + ToString(input.size_span()) + ", " +
                        ToString(weight.size_span()) + ", " + ToString(bias.size_span()));
  if (!Expect(Eq(input.sizes[2], weight.sizes[1])) || !Expect(Eq(bias.sizes[0], weight.sizes[2])))
    FailShape(call, "channels of input " + ToString(input.size_span()) + ", weight " + ToString(weight.size_span()) +
                        " and bias " + ToString(bias.size_span()) + " do not fit");
}

// The kernels look at steps and batch as one dimension, by a view.
void RequireMergedSteps(const Call& call, const TensorMeta& t, Dim steps) {
  TensorMeta window = t;
  window.sizes[0] = Min(t.sizes[0], steps);
  const Dims merged = {window.sizes[0] * t.sizes[1], t.sizes[2]};
  if (ComputeViewStrides(window, merged)) return;
  Fail(ErrorClass::kViewError, std::string(call.schema().full_name) + " views time and batch of " + ToString(t) +
                                   " as one dimension, which its strides forbid; call contiguous() before");
}

void ConvTbc(Call& call) {
  const TensorMeta &input = call.Meta(0), &weight = call.Meta(1);
  CheckTbc(call, input, weight, call.Meta(2));
  const Dim time = input.sizes[0] + Dim(2) * call.DimArg(3) - weight.sizes[0] + 1;
  if (!Expect(Ge(time, 0)))
    FailShape(call, "the kernel " + weight.sizes[0].ToString() + " is longer than the padded input");
  RequireMergedSteps(call, input, time);
  ReturnContiguous(call, Dims{time, input.sizes[1], weight.sizes[2]}, input.dtype);
}

// What the steps of the convolution read; without any step nothing is looked at.
void CheckTbcSteps(const Call& call) {
  const TensorMeta &grad = call.Meta(0), &input = call.Meta(1), &weight = call.Meta(2);
  const Dim time =
      input.rank() && weight.rank() ? input.sizes[0] + Dim(2) * call.DimArg(4) - weight.sizes[0] + 1 : Dim(1);
  if (!Guard(Gt(time, 0))) return;
  CheckTbc(call, input, weight, call.Meta(3));
  RequireRank(call, 0, 3);
  for (int i : {1, 2}) RequireSameDtype(call, 0, i);
  if (!Expect(Ge(grad.sizes[0], time)) || !Expect(Eq(grad.sizes[1], input.sizes[1])) ||
      !Expect(Eq(grad.sizes[2], weight.sizes[2])))
    FailShape(call, "takes a gradient of " + time.ToString() + " steps for input " + ToString(input.size_span()) +
                        " and weight " + ToString(weight.size_span()) + ", but got " + ToString(grad.size_span()));
  RequireMergedSteps(call, grad, input.sizes[0]);
  RequireMergedSteps(call, input, grad.sizes[0]);
}

void ConvTbcBackward(Call& call) {
  CheckTbcSteps(call);
  const TensorMeta &grad = call.Meta(0), &bias = call.Meta(3);
  // The gradient's sum over steps and batch is copied to the bias's.
  const Dims summed(grad.sizes.begin() + std::min<int64_t>(2, grad.rank()), grad.sizes.end());
  if (!CanExpandTo(summed, bias.size_span()))
    FailShape(call, "has a gradient of " + ToString(grad.size_span()) + ", whose sums do not fit a bias of " +
                        ToString(bias.size_span()));
  for (int i = 1; i <= 3; ++i) ReturnContiguous(call, call.Meta(i).size_span(), call.Meta(i).dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::thnn_conv2d", SlowConv<2>},
    {"aten::_slow_conv2d_forward", SlowConv<2>},
    {"aten::_slow_conv2d_backward.output_mask", SlowConv2dBackward},
    {"aten::slow_conv3d", SlowConv<3>},
    {"aten::slow_conv3d_forward", SlowConv<3>},
    {"aten::slow_conv_dilated2d", SlowConvDilated<2>},
    {"aten::slow_conv_dilated3d", SlowConvDilated<3>},
    {"aten::slow_conv_transpose2d", SlowConvTranspose<2>},
    {"aten::slow_conv_transpose3d", SlowConvTranspose<3>},
    {"aten::conv_tbc", ConvTbc},
    {"aten::conv_tbc_backward", ConvTbcBackward},
};

}  // namespace

RuleRows SlowConvolutionRules() { return kRows; }

}  // namespace fakeprop::rules
