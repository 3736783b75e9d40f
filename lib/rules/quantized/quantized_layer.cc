// Quantized linear layers and convolutions, whose weights are packed.
// Source: aten/src/ATen/native/quantized/cpu/{qlinear,qlinear_dynamic,qconv,qconv_dynamic}.cpp (torch 2.15), as fbgemm
// and oneDNN have them. Results of convolutions have their channels last, whatever the input has.
#include "lib/rules/core/results.h"
#include "lib/rules/families.h"
#include "lib/rules/support/convolution_metas.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/packed_items.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

// Static layers take and give quantized tensors. Dynamic ones quantize their input themselves.
Operand InputOf(const Call& call, ArgumentName name, ScalarType dtype) {
  return call.In(name).Takes(dtype, {"takes an input of {}, not {tensor}", dtype});
}

// The input's rows times those of the weight, in the input's dtype.
void ReturnProduct(Call& call, const Operand& x, const Operand& weight) {
  RequireColumns(x, weight);
  const Dims sizes = WithSize(x->size_span(), -1, weight->sizes[0]);
  ReturnContiguous(call, {sizes.data(), sizes.size()}, x->dtype);
}

template <ScalarType kInput>
void Linear(Call& call) {
  const Operand x = InputOf(call, "X", kInput).RankAtLeast(2);
  const Operand weight = PackedItems(call, "W_prepack").Tensor(0);
  ReturnProduct(call, x, weight);
}

void LinearUnpacked(Call& call) {
  const Operand x = InputOf(call, "X", ScalarType::Float).RankAtLeast(2), weight = call.In("weight").Rank(2);
  ReturnProduct(call, x, weight);
}

// ---- convolutions

// A one-dimensional convolution is packed as that of images of height 1.
TensorMeta WeightFor(const Operand& packed, int spatial, ScalarType dtype) {
  return WithDtype(packed->rank() == spatial + 2 ? *packed : Squeezed(packed, 2), dtype);
}

Dims LastOf(const Dims& values, int count) {
  return Dims(values.end() - std::min<std::ptrdiff_t>(count, values.end() - values.begin()), values.end());
}

ConvParams ParamsOf(const PackedItems& packed, int spatial) {
  ConvParams params;
  params.stride = LastOf(packed.Numbers(2), spatial);
  params.padding = LastOf(packed.Numbers(3), spatial);
  params.output_padding = LastOf(packed.Numbers(4), spatial);
  params.dilation = LastOf(packed.Numbers(5), spatial);
  params.groups = packed[6].Get<Dim>();
  params.transposed = packed[7].Get<bool>();
  return params;
}

PackedItems PackedOf(const Call& call) {
  const int packed = call.schema().FindArgument("packed_weight");  // `weight` in the first schemas
  return packed >= 0 ? PackedItems(call, packed) : PackedItems(call, "weight");
}

TensorMeta ConvolutionMeta(const Call& call, int spatial, ScalarType dtype) {
  const Operand x = InputOf(call, "qx", dtype).Rank(spatial + 2);
  const PackedItems packed = PackedOf(call);
  RequireValue(call, packed.size() == 8, "takes the packed weight of a convolution");
  const TensorMeta weight = WeightFor(packed.Tensor(0), spatial, dtype);
  const ConvParams params = CheckedConvolution(x, weight, nullptr, ParamsOf(packed, spatial));
  TensorMeta out = NewMeta(call, {}, dtype);
  out.sizes = ConvolutionSizes(x, weight, params);
  out.strides = ConvolutionStrides(
      {out.sizes.data(), out.sizes.size()}, spatial == 3 ? MemoryFormat::ChannelsLast3d : MemoryFormat::ChannelsLast);
  return out;
}

template <int kSpatial, ScalarType kInput>
void Convolution(Call& call) {
  call.ReturnNew(ConvolutionMeta(call, kSpatial, kInput));
}

// The sum is written to the tensor that is added, if that has its channels last.
void ConvolutionAdd(Call& call) {
  TensorMeta out = ConvolutionMeta(call, 2, ScalarType::QUInt8);
  const Operand accumulated = call.In("qaccum").Sizes(out.size_span());
  if (!IsContiguousIn(accumulated, MemoryFormat::ChannelsLast)) return void(call.ReturnNew(std::move(out)));
  call.Write(accumulated.tensor());
  call.ReturnArgument(accumulated.tensor());
}

constexpr auto kStatic = ScalarType::QUInt8;
constexpr auto kDynamic = ScalarType::Float;

constexpr RuleRow kRows[] = {
    {"quantized::linear", Linear<kStatic>, Grad::kNone},
    {"quantized::linear_relu", Linear<kStatic>, Grad::kNone},
    {"quantized::linear_leaky_relu", Linear<kStatic>, Grad::kNone},
    {"quantized::linear_tanh", Linear<kStatic>, Grad::kNone},
    {"quantized::linear_dynamic", Linear<kDynamic>, Grad::kNone},
    {"quantized::linear_relu_dynamic", Linear<kDynamic>, Grad::kNone},
    {"quantized::linear_dynamic_fp16", Linear<kDynamic>, Grad::kNone},
    {"quantized::linear_relu_dynamic_fp16", Linear<kDynamic>, Grad::kNone},
    {"quantized::linear_dynamic_fp16_unpacked_weight", LinearUnpacked, Grad::kNone},
    {"quantized::linear_with_input_q_dq_qweight_dq_output_fp32", Linear<kDynamic>, Grad::kNone},
    {"quantized::linear_with_input_q_dq_qweight_dq_relu_output_fp32", Linear<kDynamic>, Grad::kNone},

    {"quantized::conv1d", Convolution<1, kStatic>, Grad::kNone},
    {"quantized::conv1d_relu", Convolution<1, kStatic>, Grad::kNone},
    {"quantized::conv1d_dynamic", Convolution<1, kDynamic>, Grad::kNone},
    {"quantized::conv2d", Convolution<2, kStatic>, Grad::kNone},
    {"quantized::conv2d.new", Convolution<2, kStatic>, Grad::kNone},
    {"quantized::conv2d_relu", Convolution<2, kStatic>, Grad::kNone},
    {"quantized::conv2d_relu.new", Convolution<2, kStatic>, Grad::kNone},
    {"quantized::conv2d_add", ConvolutionAdd, Grad::kNone},
    {"quantized::conv2d_add_relu", ConvolutionAdd, Grad::kNone},
    {"quantized::conv2d_dynamic", Convolution<2, kDynamic>, Grad::kNone},
    {"quantized::conv3d", Convolution<3, kStatic>, Grad::kNone},
    {"quantized::conv3d.new", Convolution<3, kStatic>, Grad::kNone},
    {"quantized::conv3d_relu", Convolution<3, kStatic>, Grad::kNone},
    {"quantized::conv3d_relu.new", Convolution<3, kStatic>, Grad::kNone},
    {"quantized::conv3d_dynamic", Convolution<3, kDynamic>, Grad::kNone},
    {"quantized::conv_transpose1d", Convolution<1, kStatic>, Grad::kNone},
    {"quantized::conv_transpose1d_dynamic", Convolution<1, kDynamic>, Grad::kNone},
    {"quantized::conv_transpose2d", Convolution<2, kStatic>, Grad::kNone},
    {"quantized::conv_transpose2d_dynamic", Convolution<2, kDynamic>, Grad::kNone},
    {"quantized::conv_transpose3d", Convolution<3, kStatic>, Grad::kNone},
    {"quantized::conv_transpose3d_dynamic", Convolution<3, kDynamic>, Grad::kNone},
};

}  // namespace

RuleRows QuantizedLayerRules() { return kRows; }

}  // namespace fakeprop::rules
